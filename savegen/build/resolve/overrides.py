"""Find the fields that a class says it saves itself, although its methods do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.build.model import Field
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.scan.declarations import OVERRIDES, Call, Method

_GENERATED = {f"{name}_" for name in OVERRIDES}


def unhandled_fields(
    name: str, hierarchy: ClassHierarchy, fields: Iterable[Field], is_override: bool
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each field that `save_data` or `load_data` does not handle, with these methods.

    A class that writes the methods itself must handle inherited fields too, except those that
    the base does not handle either.
    """
    saved_here = [f for f in fields if f.override and (f.own or is_override)]
    for field in saved_here:
        missing = _Methods(name, hierarchy).without(field)
        if not field.own:
            of_base = _Methods(field.owner, hierarchy).without(field)
            missing = [method for method in missing if method not in of_base]
        if missing:
            yield field.name, tuple(missing)


class _Methods:
    """The methods of a class and its bases, by name, the nearest first."""

    def __init__(self, name: str, hierarchy: ClassHierarchy) -> None:
        self._methods: dict[str, list[Method]] = {}
        self._descriptors: set[str] = set()
        for symbol in hierarchy.declarations(name):
            for method in symbol.declaration.methods:
                self._methods.setdefault(method.name, []).append(method)
            for attribute in symbol.declaration.attributes:
                if attribute.method is None and isinstance(attribute.default, Call):
                    self._descriptors.add(attribute.name)

    def without(self, field: Field) -> list[str]:
        """Return those of `save_data` and `load_data` that do not use a field."""
        names = {field.name.casefold(), field.enum_member.casefold()}
        uses = {name: self._uses(name) for name in OVERRIDES}
        return [m for m, used in uses.items() if used and names.isdisjoint(used)]

    def _uses(self, name: str) -> set[str]:
        """Return the names in a method and in all that it uses, in lower case.

        The result is empty if they cannot be known.
        """
        used = set[str]()
        visited = set[str]()
        waiting = self._methods.get(name, [])[:1]
        while waiting:
            method = waiting.pop()
            if method.uses is None or not self._are_known(method):
                return set()
            used.update(method.uses)
            for other in {*method.uses} & self._methods.keys() - visited:
                visited.add(other)
                waiting += self._methods[other]
        return {each.casefold() for each in used}

    def _are_known(self, method: Method) -> bool:
        """Return whether a method calls only methods that the source shows."""
        assert method.uses is not None
        called = {*method.calls} - _GENERATED
        return called <= self._methods.keys() and self._descriptors.isdisjoint(
            method.uses
        )
