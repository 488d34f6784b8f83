"""A value of one of several types, `None` above all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks._base import Check, Fault, Resolve, types_of
from savegen.runtime.checks._leaves import NONE, REFERENCE


class AnyOf(Check):
    """A value of one of several types."""

    def __init__(self, *members: Check) -> None:
        super().__init__(" | ".join(member.wanted for member in members))
        self.members = members
        others = [member for member in members if member is not NONE]
        self.only = others[0] if len(others) == 1 else None  # beside None
        references = [member for member in members if member.is_object]
        self.leaves_none_out = references == [REFERENCE] and NONE not in members

    def fits(self, value: Any) -> bool:
        return any(member.fits(value) for member in self.members)

    def fault(self, value: Any) -> Fault | None:
        first = None
        for member in self.members:
            if member.fits(value):
                fault = member.fault(value)
                if fault is None:
                    return None
                first = first or fault
        return first or super().fault(value)

    def same(self, left: Any, right: Any) -> bool:
        return left is right or self.member(left).same(left, right)

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        if self.only is None or type(None) in types_of(left, right):
            return super().compare(left, right)
        return self.only.compare(left, right)

    def write(self, value: Any, name: plain.Name) -> bytes:
        return self.member(value).write(value, name)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        return [(self.member(value), value)]

    def checks(self) -> Iterable[Check]:
        return self.members

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        return self.member(value).relink(value, resolve)

    def reach(self, values: list[Any]) -> list[Any]:
        if self.only is None:
            return super().reach(values)
        if self.only.is_object:
            return values
        return self.only.reach([value for value in values if value is not None])

    def member(self, value: Any) -> Check:
        """Return the check of the type that a value is of."""
        if self.only is not None:
            return NONE if value is None else self.only
        found = [member for member in self.members if member.fits(value)]
        if len(found) > 1:  # two tuples, of which the members decide
            found = [member for member in found if not member.fault(value)] or found
        # In rows a weak reference is its object.
        return found[0] if found else REFERENCE


def optional(check: Check) -> Check:
    """A value or `None`."""
    return AnyOf(check, NONE)
