"""Complete the element types of containers with what the program adds to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

from savegen.build.adopt.changes import ContainerChange
from savegen.build.adopt.expressions import Expressions
from savegen.build.adopt.definitions import Update, text_of
from savegen.build.adopt.types import (
    CONTAINERS,
    FILLING,
    MAPPINGS,
    ONE_PARAMETER,
    InferredType,
    of_elements,
    operation,
    union,
    without_fields,
)

# The containers that a change has an effect on
_CHANGED_BY: defaultdict[str, set[str]] = defaultdict(set)
for _name, _container in CONTAINERS.items():
    for _change in _container.changes.split():
        _CHANGED_BY[_change].add(_name)
        _CHANGED_BY["kept"].add(_name)
_CHANGED_BY["[]op="] = _CHANGED_BY["[]?="] = _CHANGED_BY["[]="]
_EXTENDING = ("extend", "extendleft", "update", "subtract")


class Filling(Expressions):
    """The types of containers with all their elements."""

    def filled(
        self, assigned: InferredType, changes: Iterable[ContainerChange]
    ) -> InferredType | None:
        """Return the type of a container after some changes; `None` if one is not understood.

        A change that may be one of another container must not add a type, nor may one inside
        of a nested container.
        """
        changes = [*changes]
        if any(_affects(change, assigned) for change in changes):
            assigned = without_fields(assigned)
        types: list[InferredType | None] = [assigned]
        others = []
        for change in changes:
            if change.is_certain and not change.depth:
                types += [self._added(m, change.update) for m in assigned.members]
            else:
                others.append(change)
        complete = union(types)
        if complete is None or not all(self._keeps(complete, c) for c in others):
            return None
        return complete

    def _keeps(self, complete: InferredType, change: ContainerChange) -> bool:
        """Return whether a change adds nothing to the types that a container has already."""
        for inner in _inside(complete, change.depth):
            added = self._added(inner, change.update)
            if added is None or union([inner, added]) != inner:
                return False
        return True

    def _added(self, container: InferredType, update: Update) -> InferredType | None:
        """Return the type of a container of that kind with only the elements of an update."""
        if not _has_effect(update, container):
            return container
        return self._added_to(container, update)

    def known_elements(
        self, containers: Iterable[InferredType], changes: Iterable[ContainerChange]
    ) -> Iterator[InferredType]:
        """Yield the types of containers with those elements whose types are understood."""
        for change in changes:
            if change.is_certain and not change.depth:
                added = (self._added(c, change.update) for c in containers)
                yield from (type_ for type_ in added if type_ is not None)

    def _added_to(self, container: InferredType, update: Update) -> InferredType | None:
        arguments = update.arguments
        of = partial(self.of, scope=update.scope)
        if update.method in ("append", "appendleft", "add") and len(arguments) == 1:
            return of_elements(container.name, of(arguments[0]))
        if update.method == "insert" and len(arguments) == 2:
            return of_elements(container.name, of(arguments[1]))
        if update.method in _EXTENDING and len(arguments) == 1:
            if container.name in MAPPINGS:
                return self.mapping_of(container.name, arguments[0], update.scope)
            return of_elements(
                container.name, self.element_type(arguments[0], update.scope)
            )
        if update.method in ("[]=", "setdefault") and len(arguments) == 2:
            key, value = of(arguments[0]), of(arguments[1])
            if container.name in MAPPINGS:
                return (
                    InferredType(container.name, (key, value))
                    if key and value
                    else None
                )
            return (
                of_elements(container.name, value) if container.name == "list" else None
            )
        if update.method == "[]op=" and container.arguments and update.operator:
            value, right = container.arguments[-1], of(arguments[1])
            new = union(operation(m, update.operator, right) for m in value.members)
            if container.name in FILLING:
                key = of(arguments[0])
                return InferredType(container.name, (key, new)) if key and new else None
            return without_fields(container) if union([value, new]) == value else None
        return None


def _affects(change: ContainerChange, type_: InferredType) -> bool:
    """Return whether a change may change a container of a type, or one inside of it."""
    inner = _inside(type_, change.depth)
    return any(_has_effect(change.update, container) for container in inner)


def _has_effect(update: Update, container: InferredType) -> bool:
    method = update.method
    if method == "unknown":  # `add = self.items.append`
        method = text_of(update.arguments[0]) or ""
    return container.name in _CHANGED_BY[method]


def _inside(type_: InferredType, depth: int) -> Iterator[InferredType]:
    """Yield the types in a container at a depth."""
    for member in type_.members:
        if not depth:
            yield member
        elif member.name in (*ONE_PARAMETER, *MAPPINGS, "tuple"):
            for argument in member.arguments:
                yield from _inside(argument, depth - 1)
