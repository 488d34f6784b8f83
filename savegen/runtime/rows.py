"""Many objects of one class at once: what was generated for them, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import compress, count
from operator import attrgetter, is_, not_
from typing import Any, NamedTuple

from savegen.runtime.checks import Check

_Objects = Iterable[Any]
_Resolve = Callable[[Any], Any]


class Rows(NamedTuple):
    """Loops over many objects of one class, and what its fields may hold.

    The rows of a class are one flat list: the fields of the first object, of the second, ….
    A reference in it is the object itself; what finds objects by their hash is `Unhashed`.
    """

    checks: Mapping[str, Check]  # by attribute, in the order of the rows
    capture: Callable[[_Objects], list[Any]]
    # The places of the objects with other values than the rows; copies are not looked at.
    moved: Callable[[_Objects, list[Any]], list[int]] | None = None
    # What refers to nothing, then what refers to objects.
    restore: Callable[[_Objects, list[Any]], None] | None = None
    link: Callable[[_Objects, list[Any]], None] | None = None
    # What hashes objects: not before each of them has all its other fields.
    gather: Callable[[_Objects, list[Any]], None] | None = None
    # The rows with what a function gives for each object in them.
    relink: Callable[[list[Any], _Resolve], list[Any]] | None = None
    # The objects in the rows; `None` may be among them.
    reach: Callable[[list[Any]], list[Any]] | None = None
    copied: tuple[str, ...] = ()  # the attributes of which rows hold copies
    # Whether objects can have something in common that has a state of its own.
    shares_state: bool = False

    def compare(self, objects: _Objects, rows: list[Any]) -> list[int]:
        """Return the places of the objects that are not as the rows say."""
        return differing(self.checks, self.capture(objects), rows)

    def unlike(self, objects: list[Any], rows: list[Any]) -> list[int]:
        """Return the places of all objects that are not as the rows say, and of some that are.

        Where a value is not the very same object, it is not looked at any further.
        """
        if self.moved is None:
            return self.compare(objects, rows)
        found = self.moved(objects, rows)
        for column, (name, check) in enumerate(self.checks.items()):
            if name in self.copied:
                values = [*map(attrgetter(name), objects)]
                same = check.compare(values, rows[column :: len(self.checks)])
                if 0 in same:
                    found += compress(count(), map(not_, same))
        return sorted({*found})


def rows_of(
    checks: Mapping[str, Check],
    capture: Callable[[_Objects], list[Any]],
    moved: Callable[[_Objects, list[Any]], list[int]] | None = None,
    restore: Callable[[_Objects, list[Any]], None] | None = None,
    link: Callable[[_Objects, list[Any]], None] | None = None,
    gather: Callable[[_Objects, list[Any]], None] | None = None,
    copied: tuple[str, ...] = (),
) -> Rows:
    """Return what was generated, with what the checks know of the values."""
    width = len(checks)
    referring = [
        (place, check) for place, check in enumerate(checks.values()) if check.refers
    ]

    def relink(rows: list[Any], resolve: _Resolve) -> list[Any]:
        made = rows.copy()
        for place, check in referring:
            column = rows[place::width]
            made[place::width] = [check.relink(value, resolve) for value in column]
        return made

    def reach(rows: list[Any]) -> list[Any]:
        columns = ((check, rows[place::width]) for place, check in referring)
        return [each for check, column in columns for each in check.reach(column)]

    rows = Rows(checks, capture, moved, restore, link, gather, copied=copied)
    if not referring:
        return rows
    shares = any(check.shares_state for _, check in referring)
    return rows._replace(relink=relink, reach=reach, shares_state=shares)


def differing(
    checks: Mapping[str, Check], left: list[Any], right: list[Any]
) -> list[int]:
    """Return the places of the objects that differ in two rows of one class.

    >>> from savegen.runtime.checks import FLOAT, INT
    >>> differing({"hp": INT, "x": FLOAT}, [3, 0.0, 4, 1.0], [3, -0.0, 4, 1.0])
    [0]
    """
    changed: set[int] = set()
    # Most cells hold the very same object on both sides: only the others are looked into.
    same = bytearray(map(is_, left, right))
    for column, check in enumerate(checks.values()):
        flags = same[column :: len(checks)]
        if 0 in flags:
            cells = left[column :: len(checks)], right[column :: len(checks)]
            changed.update(_differing_cells(check, flags, *cells))
    return sorted(changed)


def _differing_cells(
    check: Check, same: bytearray, left: list[Any], right: list[Any]
) -> Iterable[int]:
    """Return the places where two columns differ, of those that are not the `same`."""
    unlike = [*map(not_, same)]
    places = [*compress(count(), unlike)]
    if len(places) < len(left):
        left, right = [*compress(left, unlike)], [*compress(right, unlike)]
    return compress(places, map(not_, check.compare(left, right)))
