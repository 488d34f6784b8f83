"""The greedy partition in plain Python: the same result as in `arrays`, without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import index
from typing import Any, TypeAlias

Rectangle: TypeAlias = tuple[int, int, int, int, int]  # left, top, width, height, value

LARGEST = (1 << 63) - 1  # the largest signed number of 64 bits


def rows_of(cells: Iterable[Iterable[Any]]) -> list[list[int]]:
    """Return cells as lists. Raises `ValueError` if rows differ in length.

    >>> rows_of([b"ab", (True, 2)])
    [[97, 98], [1, 2]]
    """
    rows = [[index(value) for value in row] for row in cells]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise ValueError(f"rows have from {lengths[0]} to {lengths[-1]} cells")
    return rows


def size_of(max_size: int | tuple[int, int] | None) -> tuple[int, int] | None:
    """Return `max_size` as (width, height). Raises `ValueError` if one of them is below 1.

    >>> size_of(8), size_of((8, 2)), size_of(None)
    ((8, 8), (8, 2), None)
    """
    if max_size is None:
        return None
    numbers = max_size if isinstance(max_size, Iterable) else (max_size, max_size)
    sizes = [min(index(number), LARGEST) for number in numbers]
    if len(sizes) != 2:
        raise ValueError(f"`max_size` must be one number or two, not {len(sizes)}")
    if min(sizes) < 1:
        raise ValueError(f"`max_size` must be at least 1, not {max_size}")
    return sizes[0], sizes[1]


def greedy(rows: list[list[int]], empty: int | None) -> list[Rectangle]:
    """Return rectangles, sorted by top, then by left, that join each run with the same run above.

    >>> greedy([[7, 7], [7, 7], [7, 8]], None)
    [(0, 0, 2, 2, 7), (0, 2, 1, 1, 7), (1, 2, 1, 1, 8)]
    """
    rectangles: list[list[int]] = []
    above: dict[tuple[int, int, int], list[int]] = {}  # run → its rectangle
    for top, row in enumerate(rows):
        current = {}
        for run in _runs(row, empty):
            left, width, value = run
            if run not in above:
                rectangles.append([left, top, width, 0, value])
            current[run] = above.get(run, rectangles[-1])
            current[run][3] += 1
        above = current
    return [(x, y, width, height, it) for x, y, width, height, it in rectangles]


def _runs(row: list[int], empty: int | None) -> Iterator[tuple[int, int, int]]:
    """Yield left, width and value of each run of equal cells in a row."""
    left = 0
    for value, cells in groupby(row):
        width = len([*cells])
        if value != empty:
            yield left, width, value
        left += width


def cut(rectangles: list[Rectangle], size: tuple[int, int] | None) -> list[Rectangle]:
    """Return rectangles cut into pieces no larger than `size`, sorted by top, then by left.

    >>> cut([(0, 0, 5, 1, 7)], (2, 2))
    [(0, 0, 2, 1, 7), (2, 0, 2, 1, 7), (4, 0, 1, 1, 7)]
    """
    if size is None:
        return rectangles
    pieces = [piece for it in rectangles for piece in _pieces(it, *size)]
    return sorted(pieces, key=lambda piece: (piece[1], piece[0]))


def _pieces(rectangle: Rectangle, widest: int, highest: int) -> Iterator[Rectangle]:
    left, top, width, height, value = rectangle
    for down in range(0, height, highest):
        for right in range(0, width, widest):
            piece = min(widest, width - right), min(highest, height - down)
            yield left + right, top + down, *piece, value


def cell_to_rectangle(
    rectangles: list[Rectangle], shape: tuple[int, int]
) -> list[list[int]]:
    """Return for each cell the index of its rectangle, or -1 if it has none.

    >>> cell_to_rectangle([(1, 0, 1, 2, 7)], (2, 2))
    [[-1, 0], [-1, 0]]
    """
    rows = [[-1] * shape[1] for _ in range(shape[0])]
    for number, (left, top, width, height, _) in enumerate(rectangles):
        for row in rows[top : top + height]:
            row[left : left + width] = [number] * width
    return rows
