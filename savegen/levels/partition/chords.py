"""Where rectangles can be saved: concave corners, and the chords that join two of them.

A concave corner is a lattice point, where four cells meet, with exactly three cells of one
colour. One cut has to end there, lying or standing. A chord, a cut that joins two such corners,
serves both of them: it saves a rectangle.

The lattice points of an array are those inside of it: one row and one column fewer than there
are cells. Point (0, 0) is where the first two cells of the first two rows meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from savegen.levels.partition.runs import (
    Cells,
    Flags,
    Ints,
    divided,
    order_of,
    true_places,
)


class Chords(NamedTuple):
    """Chords of one direction, by line: the rows of points of those that lie, or the columns."""

    line: Ints
    first: Ints  # where on its line one end is
    last: Ints  # and the other, always beyond

    def where(self, kept: Flags) -> Chords:
        return Chords(self.line[kept], self.first[kept], self.last[kept])


class Outline(NamedTuple):
    """Which neighbours are of one colour and not empty, and what that comes to.

    Lattice points have a column more here, which is always false: so rows follow each other in
    memory without gaps, and a step to the right is one place.
    """

    beside: Flags  # (height, width): a cell and the one to its right
    below: Flags  # (height - 1, width): a cell and the one below
    whole: Flags  # (height - 1, width), by lattice point: all four
    # Connected regions less their holes: cells, less neighbours, plus wholes (Euler).
    regions: int


def outline(cells: Cells, starts: Flags, empty: int | None) -> Outline:
    """Return how cells meet; `starts` are the runs of `run_starts`."""
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
    neighbours = np.count_nonzero(beside) + np.count_nonzero(below)
    regions = filled - int(neighbours) + int(np.count_nonzero(whole))
    return Outline(beside, below, whole, regions)


def chords(found: Outline) -> tuple[int, Chords, Chords]:
    """Return how many rectangles there are without any chord, and the chords, lying and standing.

    >>> from savegen.levels.partition.runs import run_starts
    >>> cells = np.array([[0, 1, 0], [1, 1, 1]])
    >>> without, lying, standing = chords(outline(cells, run_starts(cells), 0))
    >>> without, lying, len(standing.line)
    (3, Chords(line=array([0]), first=array([0]), last=array([1])), 0)
    """
    left, right = found.below, _next(found.below)
    upper, lower = found.beside[:-1], found.beside[1:]
    corners = left ^ right
    corners &= upper ^ lower
    # A row of wholes is what a cut can go through; it stops at all others.
    across = true_places((left | right) ^ found.whole)
    down = true_places((upper | lower) ^ found.whole)
    columns = max(1, corners.shape[1])
    down = down[order_of(divided(down, columns)[1], columns)]
    row, begin, other, end = _joining(across, corners, right)
    lying = Chords(row, begin, end).where(row == other)
    begin, column, end, other = _joining(down, corners, lower)
    standing = Chords(column, begin, end).where(column == other)
    return found.regions + int(np.count_nonzero(corners)), lying, standing


def _next(flags: Flags) -> Flags:
    """Return by place what the next one says."""
    found = np.zeros_like(flags)
    found.reshape(-1)[:-1] = flags.reshape(-1)[1:]
    return found


def _joining(
    stops: Ints, corners: Flags, onward: Flags
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return row and column of corners from which a cut goes on, and of the next stop if a corner.

    A cut that goes on to the border seems to end at the first stop of another line.
    """
    corner = corners.reshape(-1).take(stops)
    joins = np.flatnonzero(corner[:-1] & corner[1:])
    joins = joins[onward.reshape(-1).take(stops.take(joins))]
    columns = max(1, corners.shape[1])
    begin, end = stops.take(joins), stops.take(joins + 1)
    return *divided(begin, columns), *divided(end, columns)
