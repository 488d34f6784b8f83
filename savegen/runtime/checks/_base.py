"""What every check is: questions about a value, and about two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from itertools import chain
from operator import and_
from typing import Any, NamedTuple, TypeAlias

from savegen.runtime import plain
from savegen.runtime.errors import a

Resolve: TypeAlias = Callable[[Any], Any]


class Fault(NamedTuple):
    """A value that does not fit: where below the field it is, and what it should have been."""

    path: str  # `[3].x`; empty for the field's own value
    found: str
    wanted: str

    def below(self, step: str) -> Fault:
        """Return the fault as it is seen from one step further up."""
        return self._replace(path=step + self.path)


class Check:
    """What a field may hold."""

    is_object = False  # whether each value is an object, or `None`
    has_state = False  # whether each value is something shared that has a state
    # Whether `None`, which stands for an object that was destroyed, is left out of containers.
    leaves_none_out = False

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def fault(self, value: Any) -> Fault | None:
        """Return the first fault in `value`, or `None` if it fits."""
        if self.fits(value):
            return None
        return Fault("", a(type(value).__qualname__), self.wanted)

    def fits(self, value: Any) -> bool:
        """Tell whether `value` itself is of the right type; its parts are not looked at."""
        raise NotImplementedError

    def same(self, left: Any, right: Any) -> bool:
        """Tell whether nobody could tell two values apart."""
        return plain.same(left, right)

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        """Return for each pair of values whether they are the same, as ones and zeros.

        What games have a million of is compared without a step of Python for each.
        """
        return bytes(map(self.same, left, right))

    def write(self, value: Any, name: plain.Name) -> bytes:
        """Return bytes that stand for a value; `name` gives those of an object in it."""
        return plain.write(value)

    def parts(self, value: Any) -> Iterable[tuple[Check, Any]]:
        """Return what a value is made of, each part with its check."""
        return ()

    @cached_property
    def refers(self) -> bool:
        """Whether a value can refer to objects, or to something else that is shared."""
        return any(check.is_object or check.has_state for check in _all(self))

    @cached_property
    def shares_state(self) -> bool:
        """Whether a value can hold something shared that has a state of its own."""
        return any(check.has_state for check in _all(self))

    def checks(self) -> Iterable[Check]:
        """Return the checks of all parts that a value can have."""
        return ()

    def reach(self, values: list[Any]) -> list[Any]:
        """Return every object that some values refer to; `None` may be among them."""
        if not (self.refers and values):
            return []
        parts: dict[Check, list[Any]] = {}
        for check, part in chain.from_iterable(map(self.parts, values)):
            if check.refers:
                parts.setdefault(check, []).append(part)
        return [each for check, found in parts.items() for each in check.reach(found)]

    def relink(self, value: Any, resolve: Resolve) -> Any:
        """Return the value with what `resolve` gives for each object in it.

        What refers to no object may be shared with it.
        """
        return self._relink(value, resolve) if self.refers else value

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        raise NotImplementedError

    def changeable(self, value: Any) -> Iterator[Any]:
        """Yield all that can change and is part of a field's value; objects are no parts."""
        for check, part in self.parts(value):
            yield from check.changeable(part)


def _all(top: Check) -> Iterator[Check]:
    """Yield a check and those of all parts; they may lead back to it."""
    seen = {id(top)}
    waiting = [top]
    while waiting:
        check = waiting.pop()
        yield check
        for inner in check.checks():
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting.append(inner)


def types_of(left: list[Any], right: list[Any]) -> set[type]:
    return {*map(type, left), *map(type, right)}


def all_of(columns: Iterable[bytes]) -> bytes:
    """Return ones where all columns have one."""
    return reduce(lambda one, other: bytes(map(and_, one, other)), columns)
