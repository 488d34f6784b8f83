"""Which chords exclude each other: those that cross or share an end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from savegen.levels.partition.chords import Chords
from savegen.levels.partition.runs import Ints, along, order_of

Indices = NDArray[np.int32]  # of chords: of a billion there is no memory, anyway


class Side(NamedTuple):
    """Who crosses the chords of one direction: those of chord n are others[start[n]:][:degree[n]]."""

    start: Ints
    degree: Ints
    others: Indices

    def of(self, chosen: Ints) -> tuple[Indices, Ints]:
        """Return whom the chosen cross, one after the other, and where each one's begin.

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


class Crossings(NamedTuple):
    """The bipartite graph of chords: an edge for each crossing."""

    standing: Side
    lying: Side


def crossings(lying: Chords, standing: Chords, shape: tuple[int, int]) -> Crossings:
    """Return which chords cross, of cells in the given shape.

    Every crossing is a lattice point of its own, so there are never more than cells.
    """
    columns = shape[1] - 1
    # By point: who lies there, from 1.
    owners = np.zeros((shape[0] - 1) * columns, np.int32)
    begin = lying.line * columns + lying.first
    for owner, point in along(begin, lying.last - lying.first + 1, 1):
        owners[point] = owner + 1
    pairs = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
    begin = standing.first * columns + standing.line
    for owner, point in along(begin, standing.last - standing.first + 1, columns):
        met = owners.take(point)
        crosses = np.flatnonzero(met != 0)
        pairs.append((owner.take(crosses).astype(np.int32), met.take(crosses) - 1))
    up, across = (np.concatenate(column) for column in zip(*pairs, strict=True))
    order = order_of(across, len(lying.line))
    return Crossings(
        _side(up, across, len(standing.line)),
        _side(across.take(order), up.take(order), len(lying.line)),
    )


def _side(chords: Indices, others: Indices, total: int) -> Side:
    degree = np.bincount(chords, minlength=total)
    return Side(np.cumsum(degree) - degree, degree, others)
