"""Find chords, the cuts that save a rectangle, and which of them exclude each other.

A concave corner is a lattice point, where four cells meet, with exactly three cells of one
colour. One cut has to end there, horizontal or vertical. A chord is a cut that joins two such
corners and so serves both: it saves a rectangle. Two chords that cross or share an end exclude
each other.

Lattice points lie between cells: there is one row and one column fewer than of cells. Point
(0, 0) is where the first two cells of the first two rows meet. Arrays of points have one more
column, always false, so that a step to the right is one place also at the end of a row.
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
    order_of,
    true_places,
)

Indices = NDArray[np.int32]  # of chords, which are always fewer than 2**31


class Chords(NamedTuple):
    """Chords of one direction."""

    line: Ints  # row of points (of a horizontal chord) or column
    first: Ints  # the nearer end, on its line
    last: Ints  # the farther end

    def where(self, chosen: Flags) -> Chords:
        return Chords(self.line[chosen], self.first[chosen], self.last[chosen])


class Outline(NamedTuple):
    """Flags of neighbours that have one colour and are not empty."""

    beside: Flags  # (height, width): a cell and the one to its right
    below: Flags  # (height - 1, width): a cell and the one below
    whole: Flags  # (height - 1, width), by lattice point: all four


def chords(
    cells: Cells, starts: Flags, empty: int | None
) -> tuple[int, Chords, Chords]:
    """Return how many rectangles are needed without chords, and the horizontal and vertical chords.

    `starts` are the cells' `run_starts`.

    >>> from savegen.levels.partition.arrays import run_starts
    >>> cells = np.array([[0, 1, 0], [1, 1, 1]])
    >>> count, horizontal, vertical = chords(cells, run_starts(cells), 0)
    >>> count, horizontal, len(vertical.line)
    (3, Chords(line=array([0]), first=array([0]), last=array([1])), 0)
    """
    regions, outline = _outline(cells, starts, empty)
    left, right = outline.below, _next(outline.below)
    upper, lower = outline.beside[:-1], outline.beside[1:]
    corners = left ^ right
    corners &= upper ^ lower
    # A cut goes on through points whose four cells are one; it stops at all others.
    across = true_places((left | right) ^ outline.whole)
    down = true_places((upper | lower) ^ outline.whole)
    columns = max(1, corners.shape[1])
    down = down[order_of(divided(down, columns)[1], columns)]
    row, begin, other, end = _joining(across, corners, right)
    horizontal = Chords(row, begin, end).where(row == other)
    begin, column, end, other = _joining(down, corners, lower)
    vertical = Chords(column, begin, end).where(column == other)
    return regions + int(np.count_nonzero(corners)), horizontal, vertical


def _outline(cells: Cells, starts: Flags, empty: int | None) -> tuple[int, Outline]:
    """Return the number of connected regions less that of their holes, and the outline."""
    beside = np.zeros(cells.shape, np.bool_)
    np.logical_not(starts.reshape(-1)[1:], out=beside.reshape(-1)[:-1])
    below = cells[1:] == cells[:-1]
    filled = int(cells.size)
    if empty is not None:
        full = cells != empty
        beside &= full
        below &= full[1:]
        filled = int(np.count_nonzero(full))
    whole = beside[:-1] & beside[1:]
    whole &= below
    # Euler's formula: cells, less neighbours, plus lattice points inside.
    neighbours = int(np.count_nonzero(beside)) + int(np.count_nonzero(below))
    regions = filled - neighbours + int(np.count_nonzero(whole))
    return regions, Outline(beside, below, whole)


def _next(flags: Flags) -> Flags:
    """Return flags moved by one place: each place has the flag of the next one."""
    found = np.zeros_like(flags)
    found.reshape(-1)[:-1] = flags.reshape(-1)[1:]
    return found


def _joining(
    stops: Ints, corners: Flags, onward: Flags
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return row and column of corners from which a cut goes on to a corner, and of that corner.

    The result may join corners of two lines, where a cut ends at the border; the caller removes
    these pairs.
    """
    corner = corners.reshape(-1).take(stops)
    joins = np.flatnonzero(corner[:-1] & corner[1:])
    joins = joins[onward.reshape(-1).take(stops.take(joins))]
    columns = max(1, corners.shape[1])
    begin, end = stops.take(joins), stops.take(joins + 1)
    return *divided(begin, columns), *divided(end, columns)


# -- crossings


class Side(NamedTuple):
    """The crossings of the chords of one direction: n crosses others[start[n]:][:degree[n]]."""

    start: Ints
    degree: Ints
    others: Indices

    @classmethod
    def of_pairs(cls, chords: Indices, others: Indices, total: int) -> Side:
        degree = np.bincount(chords, minlength=total)
        return cls(np.cumsum(degree) - degree, degree, others)

    def of(self, chosen: Ints) -> tuple[Indices, Ints]:
        """Return the chords that the chosen ones cross, and where the part of each one begins.

        >>> side = Side(np.array([0, 2]), np.array([2, 1]), np.array([7, 8, 9], np.int32))
        >>> others, begin = side.of(np.array([1, 0]))
        >>> others.tolist(), begin.tolist()
        ([9, 7, 8], [0, 1])
        """
        degree = self.degree.take(chosen)
        begin = np.cumsum(degree) - degree
        place = np.repeat(self.start.take(chosen) - begin, degree)
        place += np.arange(len(place))
        return self.others.take(place), begin


def crossings(
    horizontal: Chords, vertical: Chords, shape: tuple[int, int]
) -> tuple[Side, Side]:
    """Return the bipartite graph of crossing chords: the vertical side and the horizontal side.

    Every crossing is another lattice point, so there are fewer crossings than cells.
    """
    columns = shape[1] - 1
    # By point: the horizontal chord there, from 1.
    owners = np.zeros((shape[0] - 1) * columns, np.int32)
    begin = horizontal.line * columns + horizontal.first
    for owner, point in along(begin, horizontal.last - horizontal.first + 1, 1):
        owners[point] = owner + 1
    pairs = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
    begin = vertical.first * columns + vertical.line
    for owner, point in along(begin, vertical.last - vertical.first + 1, columns):
        crossed = owners.take(point)
        places = np.flatnonzero(crossed != 0)
        pairs.append((owner.take(places).astype(np.int32), crossed.take(places) - 1))
    up, across = (np.concatenate(column) for column in zip(*pairs, strict=True))
    order = order_of(across, len(horizontal.line))
    return (
        Side.of_pairs(up, across, len(vertical.line)),
        Side.of_pairs(across.take(order), up.take(order), len(horizontal.line)),
    )
