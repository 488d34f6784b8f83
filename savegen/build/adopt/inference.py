"""Find the types of attributes from the source alone, or admit that they are unknown.

A wrong mark costs more than a missing one: a type is given only if every assignment that can
reach the value is understood.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from savegen.build.scan.facts import dotted
from savegen.build.adopt import engines
from savegen.build.adopt.expressions import Expressions
from savegen.build.adopt.program import (
    Alias,
    Class,
    Function,
    Program,
    Scope,
    Update,
    Value,
)
from savegen.build.adopt.functions import (
    UNCLEAR,
    is_value_class,
    parameters,
    passed,
)
from savegen.build.adopt.types import (
    COMPUTING,
    MAPPINGS,
    NONE,
    ONE_ELEMENT,
    UNION,
    Type,
    of_elements,
    operation,
    union,
    without_none,
)

_NOT_OBJECTS = frozenset(
    {"int", "float", "bool", "str", "bytes", "None", "list", "dict", "set", "tuple"}
)


# Stores, updates or aliases with their place in the program, by the class of their receiver
_Groups = defaultdict[Class | None, list[tuple[int, Any]]]


class Inference(Expressions):
    """The types of a program's attributes, from all assignments to them."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._by_class: dict[tuple[str, str], _Groups] = {}
        self._of_families: dict[tuple[str, str, Class], list[Any]] = {}
        self._passed: defaultdict[str, list[Alias]] | None = None
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
        stores = list(self.stores(cls, name))
        sure = [s for s in stores if self.is_sure(s, cls)]
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
        complete = self._filled(cls, name, assigned)
        if complete is None:
            return None
        # An assignment to an object of unknown type must not add a type of its own.
        others = [self.value(store) for store in stores if store not in sure]
        others += [self.value(value) for base in cls.family for value in base.computed]
        if union([complete, *others]) != complete:
            return None
        return self._without_subclasses(complete)

    def _without_subclasses(self, type_: Type) -> Type:
        """Return a type whose unions contain no class beside one of its bases."""
        arguments = [self._without_subclasses(part) for part in type_.arguments]
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
        for store in self.stores(cls, name):
            if store.annotation is not None and store.scope.cls in cls.family:
                return store.annotation, store.scope
        return None

    def stores(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute that can change objects of a class."""
        yield from self._of_family("stores", name, cls)

    def _of_family(self, kind: str, name: str, cls: Class) -> list[Any]:
        """Return the stores, updates or aliases of an attribute that may concern a class."""
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
        """Return the stores, updates or aliases of all attributes of a name, by class.

        Those whose receiver is not the `self` of a method are below `None`.
        """
        if (kind, name) not in self._by_class:
            groups: _Groups = defaultdict(list)
            for index, entry in enumerate(getattr(self._program, kind).get(name, ())):
                receiver = entry.receiver
                owner = None
                if isinstance(receiver, ast.Name):
                    owner = self._self_class(receiver.id, entry.scope)
                groups[owner].append((index, entry))
            self._by_class[kind, name] = groups
        return self._by_class[kind, name]

    def own_stores(self, cls: Class) -> dict[str, list[Value]]:
        """Return the assignments to attributes of `self` in a class, and to its known objects."""
        if self._own is None:
            self._own = defaultdict(lambda: defaultdict(list))
            for name, stores in self._program.stores.items():
                for store in stores:
                    owner = self._owner(store)
                    if owner is not None:
                        self._own[owner.name][name].append(store)
        return self._own[cls.name]

    def _owner(self, store: Value) -> Class | None:
        assert store.receiver is not None
        if isinstance(store.receiver, ast.Name):
            owner = self._self_class(store.receiver.id, store.scope)
            if owner is not None:
                return owner
        type_ = without_none(self.of(store.receiver, store.scope))
        return self._program.class_named(type_.name) if type_ is not None else None

    def _self_class(self, name: str, scope: Scope) -> Class | None:
        """Return the class whose `self` a name is; `None` if it is another name."""
        inner: Scope | None = scope
        while inner is not None and inner.function is not None:
            if inner.self_name == name:
                return inner.cls
            inner = inner.parent
        return None

    def class_stores(self, cls: Class, name: str) -> Iterator[Value]:
        """Yield the assignments to an attribute of the class itself: `Enemy.count += 1`."""
        for _, store in self._groups("stores", name).get(None, ()):
            type_ = self.of(store.receiver, store.scope)
            if type_ is not None and type_.name == "type" and type_.arguments:
                if type_.arguments[0].name in cls.family_names:
                    yield store

    def is_sure(self, store: Value, cls: Class) -> bool:
        """Return whether the receiver of an assignment is known to be of a class."""
        return (
            store.receiver is None or self._is(store.receiver, store.scope, cls) is True
        )

    def _may_be(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool:
        return self._is(receiver, scope, cls) is not False

    def known(self, cls: Class, name: str) -> list[Type]:
        """Return the types that those assignments give which are understood."""
        constants = [b for b in cls.family if name in b.constants]
        types = [
            *(self.value(store) for store in self.stores(cls, name)),
            *(self.of(base.constants[name], base.inside) for base in constants),
        ]
        return [type_ for type_ in types if type_ is not None]

    def _is(self, receiver: ast.expr, scope: Scope, cls: Class) -> bool | None:
        """Return whether an expression is an object of a class's family; `None` if unknown."""
        if isinstance(receiver, ast.Name):
            owner = self._self_class(receiver.id, scope)
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

    def _filled(self, cls: Class, name: str, assigned: Type) -> Type | None:
        """Complete the element types of a container with what is added to it."""
        if assigned.name not in (*ONE_ELEMENT, *MAPPINGS, "|"):
            return assigned
        types: list[Type | None] = [assigned]
        for update in self._updates(cls, name):
            if update is None:
                return None
            types += [self._added(m, update) for m in assigned.members if m != NONE]
        return union(types)

    def _updates(self, cls: Class, name: str) -> Iterator[Update | None]:
        """Yield what is added to a container in an attribute; `None` if something may be missed."""
        yield from self._of_family("updates", name, cls)
        for alias in self._of_family("aliases", name, cls):
            yield from alias.scope.updates.get(alias.name, ())
        for call in self._passed_to(name):
            if self._may_be(call.receiver, call.scope, cls):
                yield None

    def _passed_to(self, name: str) -> list[Alias]:
        """Return the uses of an attribute as an argument that the called function may fill."""
        if self._passed is None:
            self._passed = defaultdict(list)
            for calls in self._program.calls.values():
                for scope, node in calls:
                    for argument in [*node.args, *(k.value for k in node.keywords)]:
                        if isinstance(argument, ast.Attribute) and self._fills(
                            node, argument
                        ):
                            alias = Alias(scope, "", argument.value)
                            self._passed[argument.attr].append(alias)
        return self._passed[name]

    def _fills(self, call: ast.Call, argument: ast.expr) -> bool:
        """Return whether a called function of the game may add to one of its arguments."""
        name = (dotted(call.func) or "").rpartition(".")[2]
        for function in self._functions.get(name, ()):
            inner = self._program.scopes[id(function)]
            is_method = inner.self_name is not None or inner.class_name is not None
            for parameter in parameters(function):
                if parameter.arg in inner.updates or parameter.arg in inner.kept:
                    given = passed(call, function, parameter.arg, is_method)
                    if given is argument or given is UNCLEAR:
                        return True
        return False

    @cached_property
    def _functions(self) -> dict[str, list[Function]]:
        functions: defaultdict[str, list[Function]] = defaultdict(list)
        for scope in self._program.scopes.values():
            if scope.function is not None:
                functions[scope.function.name].append(scope.function)
        for cls in self._program.classes.values():
            functions[cls.node.name] += cls.functions("__init__")
        return functions

    def _added(self, container: Type, update: Update) -> Type | None:
        return (
            self._added_inside(container, update)
            if update.depth
            else self._added_to(container, update)
        )

    def _added_inside(self, container: Type, update: Update) -> Type | None:
        """Return the container's type, if the update keeps the types of inner containers."""
        inner: Type | None = container
        for _ in range(update.depth):
            is_known = inner is not None and inner.name in (*ONE_ELEMENT, *MAPPINGS)
            inner = inner.arguments[-1] if inner and is_known else None
        if inner is None:
            return None
        added = union(self._added_to(member, update) for member in inner.members)
        return container if union([inner, added]) == inner else None

    def _added_to(self, container: Type, update: Update) -> Type | None:
        arguments = update.arguments
        of = partial(self.of, scope=update.scope)
        if update.method in ("append", "appendleft", "add") and len(arguments) == 1:
            return of_elements(container.name, of(arguments[0]))
        if update.method == "insert" and len(arguments) == 2:
            return of_elements(container.name, of(arguments[1]))
        if update.method in ("extend", "extendleft", "update") and len(arguments) == 1:
            if container.name in MAPPINGS:
                given = of(arguments[0])
                return (
                    Type(container.name, given.arguments)
                    if given and given.name in MAPPINGS
                    else None
                )
            return of_elements(
                container.name, self._iterated_value(arguments[0], update.scope)
            )
        if update.method in ("[]=", "setdefault") and len(arguments) == 2:
            key, value = of(arguments[0]), of(arguments[1])
            if container.name in MAPPINGS:
                return Type(container.name, (key, value)) if key and value else None
            return (
                of_elements(container.name, value) if container.name == "list" else None
            )
        if update.method == "[]op=" and container.arguments and update.operator:
            value, right = container.arguments[-1], of(arguments[0])
            new = union(operation(m, update.operator, right) for m in value.members)
            return container if union([value, new]) == value else None
        return None
