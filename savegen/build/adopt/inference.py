"""Find the types of attributes from the source alone, or admit that they are unknown.

A wrong mark costs more than a missing one: a type is given only if every assignment that can
reach the value is understood.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from savegen.build.adopt import engines
from savegen.build.adopt.changes import ContainerChange
from savegen.build.adopt.filling import Filling
from savegen.build.adopt.definitions import (
    GameClass,
    GameFunction,
    GameScope,
    GameValue,
    text_of,
)
from savegen.build.adopt.program import Program
from savegen.build.adopt.functions import is_value_class
from savegen.build.adopt.types import (
    COMPUTING,
    UNION,
    InferredType,
    union,
    without_fields,
    without_none,
)

_NOT_OBJECTS = frozenset(
    {"int", "float", "bool", "str", "bytes", "None", "list", "dict", "set", "tuple"}
)


_Entry = TypeVar("_Entry", GameValue, ContainerChange)


class Inference(Filling):
    """The types of a program's attributes, from all assignments to them."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._of_families: dict[tuple[int, str, GameClass], list[Any]] = {}
        self._own: defaultdict[str, defaultdict[str, list[GameValue]]] | None = None

    def attribute(self, cls: GameClass, name: str) -> InferredType | None:
        """Return the type of an attribute of a class's objects; `None` if it is unknown."""
        key = ("attribute", id(cls), name)
        return self._remembered(key, lambda: self._attribute_of(cls, name), COMPUTING)

    def _attribute_of(self, cls: GameClass, name: str) -> InferredType | None:
        declared = self.declaration(cls, name)
        if declared is not None:
            return self.annotated(*declared)
        if engines.has_fixed_type(cls, name):
            return engines.property_type(cls, name)
        assignments = self.assignments(cls, name)
        sure = [s for s in assignments if self._is_of(s, cls)]
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
        complete = self.filled(assigned, self._changes_of(cls, name))
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

    def without_subclasses(self, type_: InferredType) -> InferredType:
        """Return a type whose unions contain no class beside one of its bases."""
        arguments = [self.without_subclasses(part) for part in type_.arguments]
        if type_.name == UNION:
            arguments = [a for a in arguments if not self._has_base(a, arguments)]
            return (
                arguments[0]
                if len(arguments) == 1
                else InferredType(UNION, tuple(arguments))
            )
        return InferredType(type_.name, tuple(arguments)) if arguments else type_

    def _has_base(self, type_: InferredType, others: list[InferredType]) -> bool:
        cls = self._program.class_named(type_.name)
        if cls is None or is_value_class(cls):  # values are saved by their own class
            return False
        bases = {base.name for base in cls.ancestors[1:]}
        return any(other.name in bases for other in others)

    def declaration(
        self, cls: GameClass, name: str
    ) -> tuple[ast.expr, GameScope] | None:
        """Return the annotation of an attribute, and the scope in which it is evaluated."""
        for base in cls.ancestors:
            if name in base.annotations:
                return base.annotations[name].annotation, base.inside
        for assignment in self.assignments(cls, name):
            if assignment.annotation is not None and assignment.scope.cls in cls.family:
                return assignment.annotation, assignment.scope
        return None

    def assignments(self, cls: GameClass, name: str) -> list[GameValue]:
        """Return the assignments to attribute `name` of objects of `cls` or related classes."""
        return self._of_family(self._program.assignments, name, cls)

    def _changes_of(self, cls: GameClass, name: str) -> list[ContainerChange]:
        return self._of_family(self._changes.of_attributes, name, cls)

    def _of_family(
        self, entries: Mapping[str, list[_Entry]], name: str, cls: GameClass
    ) -> list[_Entry]:
        """Return the assignments or changes of an attribute that may concern a class."""
        key = id(entries), name, cls
        if key in self._of_families:
            return self._of_families[key]
        found = [e for e in entries.get(name, ()) if self._is_of(e, cls) is not False]
        if not self._depths:  # else the types of receivers may be incomplete
            self._of_families[key] = found
        return found

    def own_assignments(self, cls: GameClass) -> dict[str, list[GameValue]]:
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

    def _owner(self, assignment: GameValue) -> GameClass | None:
        if assignment.owner is not None:
            return assignment.owner
        type_ = without_none(self.of(assignment.receiver, assignment.scope))
        return self._program.class_named(type_.name) if type_ is not None else None

    def class_assignments(self, cls: GameClass, name: str) -> Iterator[GameValue]:
        """Yield the assignments to an attribute of the class itself: `Enemy.count += 1`."""
        for assignment in self._program.assignments.get(name, ()):
            type_ = self.of(assignment.receiver, assignment.scope)
            if type_ is not None and type_.name == "type" and type_.arguments:
                if type_.arguments[0].name in cls.family_names:
                    yield assignment

    def known(self, cls: GameClass, name: str) -> list[InferredType]:
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
        changes = self._changes_of(cls, name)
        return [*known, *self.known_elements(members, changes)]

    def _is_of(self, entry: GameValue | ContainerChange, cls: GameClass) -> bool | None:
        """Return whether a receiver is an object of a class's family; `None` if unknown."""
        if entry.owner is not None:
            return entry.owner in cls.family
        type_ = without_none(self.of(entry.receiver, entry.scope))
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

    def _put_into_dict(
        self, cls: GameClass, name: str
    ) -> Iterator[InferredType | None]:
        """Yield the types that changes of `self.__dict__` may give to an attribute."""
        for change in self._changes_of(cls, "__dict__"):
            function = change.update.scope
            if change.owner not in cls.family:
                continue
            if isinstance(function, GameFunction) and function.name == "__setstate__":
                continue  # it restores what other statements assigned
            yield from self._put(change, name)

    def _put(self, change: ContainerChange, name: str) -> Iterator[InferredType | None]:
        method, arguments = change.update.method, change.update.arguments
        if change.depth or method == "kept":
            return
        if method != "[]=":
            yield None
        elif text_of(arguments[0]) in (name, None):
            yield self.of(arguments[1], change.update.scope)
