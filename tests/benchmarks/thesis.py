"""The partition that the thesis describes in 3.7.1, in plain Python, to measure beside.

Scanlines in pairs, and for each cell a search for what is above it. The middle of that search is
halfway between both ends; as printed it never ends on some maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class Interval:
    """A stretch of one value on a scanline, and where its rectangle began."""

    left: int
    right: int
    top: int
    value: int
    done: bool = False  # whether its rectangle is found already


Found = list[tuple[int, int, int, int, int]]  # left, top, right, bottom, value


def partition(rows: list[list[int]]) -> Found:
    """Return rectangles of all values, in no order.

    >>> sorted(partition([[0, 0, 1], [0, 0, 0]]))
    [(0, 0, 1, 0, 0), (0, 1, 2, 1, 0), (2, 0, 2, 0, 1)]
    """
    found: Found = []
    above = [*_first(rows[0])]
    for top in range(1, len(rows)):
        above = _next(rows, top, above, found)
    for interval in above:
        _finish(interval, len(rows) - 1, found)
    return found


def _first(row: list[int]) -> Iterator[Interval]:
    current = Interval(0, 0, 0, row[0])
    for place in range(1, len(row)):
        if row[place] != current.value:
            yield current
            current = Interval(place, place, 0, row[place])
        current.right = place
    yield current


def _next(
    rows: list[list[int]], top: int, above: list[Interval], found: Found
) -> list[Interval]:
    row, before = rows[top], rows[top - 1]
    first = above[0]
    current = Interval(0, 0, top, row[0])
    if first.value == current.value:
        current.top = first.top
    else:
        _finish(first, top - 1, found)
    intervals = [current]
    for place in range(1, len(row)):
        index = _containing(above, place)
        over = above[index]
        if row[place] == row[place - 1]:
            current.right = place
        else:
            if over.value == row[place - 1] and over.left != place:
                # Shorter than what is above it: no part of that rectangle.
                current.top = top
                _finish(over, top - 1, found)
            current = Interval(place, place, top, row[place])
            intervals.append(current)
        if over.done:
            continue
        if over.value == current.value and over.left == current.left:
            current.top = over.top
            continue
        _finish(over, top - 1, found)
        left = above[index - 1]
        if before[place - 1] == current.value != over.value and not left.done:
            # Longer than what is above its left end.
            _finish(left, top - 1, found)
            current.top = top
    return intervals


def _containing(intervals: list[Interval], place: int) -> int:
    """Return where the interval is that holds a place."""
    low, high = 0, len(intervals)
    middle = (low + high) // 2
    while low < high and intervals[middle].left != place:
        if place < intervals[middle].left:
            high = middle
        else:
            low = middle + 1
        middle = (low + high) // 2
    if middle == len(intervals) or intervals[middle].left != place:
        middle -= 1
    return middle


def _finish(interval: Interval, bottom: int, found: Found) -> None:
    if not interval.done:
        interval.done = True
        found.append(
            (interval.left, interval.top, interval.right, bottom, interval.value)
        )
