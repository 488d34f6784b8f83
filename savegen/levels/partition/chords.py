"""Find chords, which are cuts that save a rectangle, and the pairs of chords that cross.

A lattice point is a point where four cells meet. If exactly three of them have one value, it is a
concave corner, and a horizontal or a vertical cut must end there. A chord is a cut between two
concave corners. It does the work of two cuts, and so it saves a rectangle. Of two chords that
cross or share an end, only one can be used.

There is one row and one column of lattice points fewer than of cells. Point (0, 0) is where the
first two cells of the first two rows meet. Arrays of points have an additional last column, in
which there are no corners, so they are as wide as the grid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from savegen.levels.partition.arrays import (
    Cells,
    Flags,
    Ints,
    along,
    divided,
    nonzero_indices,
    order_of,
)

Indices = NDArray[np.int32]  # of chords, of which there are always fewer than 2**31


class Chords(NamedTuple):
    """Chords of one direction, as columns. Each is on a row or a column of lattice points."""

    line: Ints  # the row of a horizontal chord, the column of a vertical one
    first: Ints  # the left or upper end: its column or row
    last: Ints  # the right or lower end

    def where(self, flags: Flags) -> Chords:
        return Chords(self.line[flags], self.first[flags], self.last[flags])


class Joins(NamedTuple):
    """Flags for neighbouring cells that have the same value and are not empty."""

    beside: Flags  # (height, width): a cell and the one to its right
    below: Flags  # (height - 1, width): a cell and the one below it
    around: Flags  # (height - 1, width): all four cells at a lattice point


def chords(
    cells: Cells, starts: Flags, empty: int | None
) -> tuple[int, Chords, Chords]:
    """Return the number of rectangles without chords, and the horizontal and vertical chords.

    `starts` is the result of `run_starts` for the cells.

    >>> from savegen.levels.partition.arrays import run_starts
    >>> cells = np.array([[0, 1, 0], [1, 1, 1]])
    >>> count, horizontal, vertical = chords(cells, run_starts(cells), 0)
    >>> count, horizontal, len(vertical.line)
    (3, Chords(line=array([0]), first=array([0]), last=array([1])), 0)
    """
    regions, joins = _joins(cells, starts, empty)
    left, right = joins.below, _next(joins.below)
    upper, lower = joins.beside[:-1], joins.beside[1:]
    corners = left ^ right
    corners &= upper ^ lower
    # A cut only continues through points whose four cells are joined; it ends at all others.
    across = nonzero_indices((left | right) ^ joins.around)
    down = nonzero_indices((upper | lower) ^ joins.around)
    columns = max(1, corners.shape[1])
    down = down[order_of(divided(down, columns)[1], columns)]
    row, begin, end_row, end = _pairs_of_corners(across, corners, right)
    horizontal = Chords(row, begin, end).where(row == end_row)
    begin, column, end, end_column = _pairs_of_corners(down, corners, lower)
    vertical = Chords(column, begin, end).where(column == end_column)
    return regions + int(np.count_nonzero(corners)), horizontal, vertical


def _joins(cells: Cells, starts: Flags, empty: int | None) -> tuple[int, Joins]:
    """Return the number of connected regions minus that of their holes, and the joins."""
    beside = np.zeros(cells.shape, np.bool_)
    np.logical_not(starts.reshape(-1)[1:], out=beside.reshape(-1)[:-1])
    below = cells[1:] == cells[:-1]
    filled = int(cells.size)
    if empty is not None:
        not_empty = cells != empty
        beside &= not_empty
        below &= not_empty[1:]
        filled = int(np.count_nonzero(not_empty))
    around = beside[:-1] & beside[1:]
    around &= below
    # Euler's formula: cells, minus joined pairs of cells, plus lattice points inside.
    pairs = int(np.count_nonzero(beside)) + int(np.count_nonzero(below))
    regions = filled - pairs + int(np.count_nonzero(around))
    return regions, Joins(beside, below, around)


def _next(flags: Flags) -> Flags:
    """Return flags in which each point has the flag of the next point of `flags`."""
    moved = np.zeros_like(flags)
    moved.reshape(-1)[:-1] = flags.reshape(-1)[1:]
    return moved


def _pairs_of_corners(
    ends: Ints, corners: Flags, onward: Flags
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return row and column of the first, and row and column of the second corner of each chord.

    `ends` are all points where cuts end, line by line; `onward` flags the points from which a cut
    can continue along its line. If a cut ends at the border, the corners of a pair may be on
    different lines; the caller removes such pairs.
    """
    is_corner = corners.reshape(-1).take(ends)
    pairs = np.flatnonzero(is_corner[:-1] & is_corner[1:])
    pairs = pairs[onward.reshape(-1).take(ends.take(pairs))]
    columns = max(1, corners.shape[1])
    begin, end = ends.take(pairs), ends.take(pairs + 1)
    return *divided(begin, columns), *divided(end, columns)


# -- crossings


class Crossings(NamedTuple):
    """For each chord of one direction the chords of the other direction that it crosses.

    Chord n crosses `degree[n]` chords: those in `others` from index `start[n]` on.
    """

    start: Ints
    degree: Ints
    others: Indices

    @classmethod
    def of_pairs(cls, chords: Indices, others: Indices, total: int) -> Crossings:
        degree = np.bincount(chords, minlength=total)
        return cls(np.cumsum(degree) - degree, degree, others)

    def of(self, chosen: Ints) -> tuple[Indices, Ints]:
        """Return the chords that the chosen ones cross, and the index of the first for each.

        >>> both = Crossings(np.array([0, 2]), np.array([2, 1]), np.array([7, 8, 9], np.int32))
        >>> others, begin = both.of(np.array([1, 0]))
        >>> others.tolist(), begin.tolist()
        ([9, 7, 8], [0, 1])
        """
        degree = self.degree.take(chosen)
        begin = np.cumsum(degree) - degree
        indices = np.repeat(self.start.take(chosen) - begin, degree)
        indices += np.arange(len(indices))
        return self.others.take(indices), begin


def crossings(
    horizontal: Chords, vertical: Chords, shape: tuple[int, int]
) -> tuple[Crossings, Crossings]:
    """Return the crossings of the vertical chords, and those of the horizontal chords.

    Each crossing is at another lattice point, so there are fewer crossings than cells.
    """
    columns = shape[1] - 1
    # For each point the number of the horizontal chord there, counted from 1; 0 for none.
    numbers = np.zeros((shape[0] - 1) * columns, np.int32)
    begin = horizontal.line * columns + horizontal.first
    for chord, point in along(begin, horizontal.last - horizontal.first + 1, 1):
        numbers[point] = chord + 1
    pairs = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
    begin = vertical.first * columns + vertical.line
    for chord, point in along(begin, vertical.last - vertical.first + 1, columns):
        crossed = numbers.take(point)
        indices = np.flatnonzero(crossed != 0)
        pairs.append((chord.take(indices).astype(np.int32), crossed.take(indices) - 1))
    down, across = (np.concatenate(column) for column in zip(*pairs, strict=True))
    order = order_of(across, len(horizontal.line))
    return (
        Crossings.of_pairs(down, across, len(vertical.line)),
        Crossings.of_pairs(across.take(order), down.take(order), len(horizontal.line)),
    )
