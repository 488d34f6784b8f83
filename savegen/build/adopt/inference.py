"""Find the types of attributes from the source alone, or admit that they are unknown.

A wrong mark costs more than a missing one: a type is given only if every assignment that can
reach the value is understood.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from savegen.build.adopt import engines
from savegen.build.adopt.changes import Change
from savegen.build.adopt.filling import Filling
from savegen.build.adopt.definitions import (
    Class,
    Scope,
    Value,
    self_class,
    text_of,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.functions import is_value_class
from savegen.build.adopt.types import (
    COMPUTING,
    UNION,
    Type,
    union,
    without_fields,
    without_none,
)

_NOT_OBJECTS = frozenset(
    {"int", "float", "bool", "str", "bytes", "None", "list", "dict", "set", "tuple"}
)


# Assignments or changes with their place in the program, by the class of their receiver
_Groups = defaultdict[Class | None, list[tuple[int, Any]]]


class Inference(Filling):
    """The types of a program's attributes, from all assignments to them."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._by_class: dict[tuple[str, str], _Groups] = {}
        self._of_families: dict[tuple[str, str, Class], list[Any]] = {}
        self._entries: dict[str, Mapping[str, Sequence[Any]]] = {
            "assignments": program.assignments,
            "changes": self._changes.of_attributes,
        }
        self._own: defaultdict[str, defaultdict[str, list[Value]]] | None = None

    def attribute(self, cls: Class, name: str) -> Type | None:
        """Return the type of an attribute of a class's objects; `None` if it is unknown."""
        key = ("attribute", id(cls), name)
        return self._remembered(key, lambda: self._attribute_of(cls, name), COMPUTING)

    def _attribute_of(self, cls: Class, name: str) -> Type | None:
        declared = self.declaration(cls, name)
        if declared is not None:
            return self.annotated(*declared)
        if engines.has_fixed_type(cls, name):
            return engines.property_type(cls, name)
        assignments = list(self.assignments(cls, name))
        sure = [s for s in assignments if self.is_sure(s, cls)]
        constants = [
            self.of(base.constants[name], base.inside)
            for base in cls.family
            if name in base.constants
        ]
        if not sure and not constants:
            return None
        assigned = self.assigned(sure, constants)
        if assigned is None:
            return None
        complete = self.filled(assigned, self._of_family("changes", name, cls))
        if complete is None:
            return None
        complete = without_fields(complete)
        # An assignment to an object of unknown type must not add a type of its own.
        others = [
            self.value(assignment)
            for assignment in assignments
            if assignment not in sure
        ]
        others += [self.value(value) for base in cls.family for value in base.computed]
        others += self._put_into_dict(cls, name)
        changed = union([complete, *others])
        if changed is None or without_fields(changed) != complete:
            return None
        return self.without_subclasses(complete)

    def without_subclasses(self, type_: Type) -> Type:
        """Return a type whose unions contain no class beside one of its bases."""
        arguments = [self.without_subclasses(part) for part in type_.arguments]
        if type_.name == UNION:
            arguments = [a for a in arguments if not self._has_base(a, arguments)]
            return (
                arguments[0] if len(arguments) == 1 else Type(UNION, tuple(arguments))
            )
        return Type(type_.name, tuple(arguments)) if arguments else type_

    def _has_base(self, type_: Type, others: list[Type]) -> bool:
        cls = self._program.class_named(type_.name)
        if cls is None or is_value_class(cls):  # values are saved by their own class
            return False
        bases = {base.name for base in cls.ancestors[1:]}
        return any(other.name in bases for other in others)

    def declaration(self, cls: Class, name: str) -> tuple[ast.expr, Scope] | None:
        """Return the annotation of an attribute, and the scope in which it is evaluated."""
        for base in cls.ancestors:
            if name in base.annotations:
                return base.annotations[name].annotation, base.inside
        for assignment in self.assignments(cls, name):
            if assignment.annotation is not None and assignment.scope.cls in cls.family:
                return assignment.annotation, assignment.scope
        return None

    def assignments(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to attribute `name` of objects of `cls` or related classes."""
        yield from self._of_family("assignments", name, cls)

    def _of_family(self, kind: str, name: str, cls: Class) -> list[Any]:
        """Return the assignments or changes of an attribute that may concern a class."""
        key = kind, name, cls
        if key in self._of_families:
            return self._of_families[key]
        found = self._find_of_family(kind, name, cls)
        if not self._depths:  # else the types of receivers may be incomplete
            self._of_families[key] = found
        return found

    def _find_of_family(self, kind: str, name: str, cls: Class) -> list[Any]:
        groups = self._groups(kind, name)
        own = [entry for base in cls.family for entry in groups.get(base, ())]
        others = [
            (index, entry)
            for index, entry in groups.get(None, ())
            if entry.receiver is None or self._may_be(entry.receiver, entry.scope, cls)
        ]
        return [entry for _, entry in sorted([*own, *others], key=itemgetter(0))]

    def _groups(self, kind: str, name: str) -> _Groups:
        """Return the assignments or changes of all attributes of a name, by class.

        Those whose receiver is not the `self` of a method are below `None`.
        """
        if (kind, name) not in self._by_class:
            groups: _Groups = defaultdict(list)
            for index, entry in enumerate(self._entries[kind].get(name, ())):
                owner = self_class(entry.receiver, entry.scope)
                groups[owner].append((index, entry))
            self._by_class[kind, name] = groups
        return self._by_class[kind, name]

    def own_assignments(self, cls: Class) -> dict[str, list[Value]]:
        """Return the assignments to attributes of a class's objects, by attribute.

        They are made through `self`, or through another expression of that type.
        """
        if self._own is None:
            self._own = defaultdict(lambda: defaultdict(list))
            for name, assignments in self._program.assignments.items():
                for assignment in assignments:
                    owner = self._owner(assignment)
                    if owner is not None:
                        self._own[owner.name][name].append(assignment)
        return self._own[cls.name]

    def _owner(self, assignment: Value) -> Class | None:
        assert assignment.receiver is not None
        owner = self_class(assignment.receiver, assignment.scope)
        if owner is not None:
            return owner
        type_ = without_none(self.of(assignment.receiver, assignment.scope))
        return self._program.class_named(type_.name) if type_ is not None else None

    def class_assignments(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute of the class itself: `Enemy.count += 1`."""
        for _, assignment in self._groups("assignments", name).get(None, ()):
            type_ = self.of(assignment.receiver, assignment.scope)
            if type_ is not None and type_.name == "type" and type_.arguments:
                if type_.arguments[0].name in cls.family_names:
                    yield assignment

    def is_sure(self, assignment: Value, cls: Class) -> bool:
        """Return whether the receiver of an assignment is known to be of a class."""
        return (
            assignment.receiver is None
            or self._is(assignment.receiver, assignment.scope, cls) is True
        )

    def _may_be(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool:
        return self._is(receiver, scope, cls) is not False

    def known(self, cls: Class, name: str) -> list[Type]:
        """Return the types from those assignments and changes that are understood."""
        defaults = [
            (base, base.annotations[name].value)
            for base in cls.family
            if name in base.annotations
        ]
        constants = [b for b in cls.family if name in b.constants]
        types = [
            *(self.value(assignment) for assignment in self.assignments(cls, name)),
            *(self.of(base.constants[name], base.inside) for base in constants),
            *(self.of(value, base.inside) for base, value in defaults),
        ]
        known = [type_ for type_ in types if type_ is not None]
        members = [member for type_ in known for member in type_.members]
        changes = self._of_family("changes", name, cls)
        return [*known, *self.known_elements(members, changes)]

    def _is(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool | None:
        """Return whether an expression is an object of a class's family; `None` if unknown."""
        owner = self_class(receiver, scope)
        if owner is not None:
            return owner in cls.family
        type_ = without_none(self.of(receiver, scope))
        if type_ is None or type_ is COMPUTING:
            return None
        for member in type_.members:
            other = self._program.class_named(member.name)
            if member.name in cls.family_names:
                return True
            if member.name.startswith("?"):
                return None
            if other is None and member.name not in _NOT_OBJECTS and "." in member.name:
                if member.name in cls.all_foreign_bases:
                    return None
        return False

    def _put_into_dict(self, cls: Class, name: str) -> Iterator[Type | None]:
        """Yield the types that changes of `self.__dict__` may give to an attribute."""
        for change in self._of_family("changes", "__dict__", cls):
            function = change.update.scope.function
            if self_class(change.receiver, change.scope) not in cls.family:
                continue
            if function is not None and function.name == "__setstate__":
                continue  # it restores what other statements assigned
            yield from self._put(change, name)

    def _put(self, change: Change, name: str) -> Iterator[Type | None]:
        method, arguments = change.update.method, change.update.arguments
        if change.depth or method == "kept":
            return
        if method != "[]=":
            yield None
        elif text_of(arguments[0]) in (name, None):
            yield self.of(arguments[1], change.update.scope)
