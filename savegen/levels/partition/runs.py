"""The greedy partition: runs of rows, joined with the same run above; and fast looks at arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Cells = NDArray[np.integer]
Places = NDArray[np.integer]
_P = TypeVar("_P", bound=Places)
_MOST = 1 << 22  # points at once: some 100 MB


class Runs(NamedTuple):
    """Stretches of cells in a row, a column of an array each."""

    first: Places  # their first cells, by place in reading order
    width: Places
    value: Cells

    def taken(self, places: Ints) -> Runs:
        return Runs(*(column.take(places) for column in self))


def run_starts(cells: Cells) -> Flags:
    """Return where a run of equal cells begins in its row: shape of `cells`.

    >>> run_starts(np.array([[7, 7, 8], [8, 8, 8]])).tolist()
    [[True, False, True], [True, False, False]]
    """
    flat = cells.reshape(-1)
    changes = np.empty(flat.shape, np.bool_)
    np.not_equal(flat[1:], flat[:-1], out=changes[1:])
    starts: Flags = changes.reshape(cells.shape)
    starts[:, :1] = True
    return starts


def rectangles_of(cells: Cells, starts: Flags, empty: int | None) -> Ints:
    """Return rectangles (n, 5) of the runs that begin at `starts`, in reading order.

    A run extends the one above exactly when left, width and value agree. Takes time in
    the number of cells, and then in that of runs.

    >>> cells = np.array([[7, 7], [7, 7], [7, 8]])
    >>> rectangles_of(cells, run_starts(cells), None).tolist()
    [[0, 0, 2, 2, 7], [0, 2, 1, 1, 7], [1, 2, 1, 1, 8]]
    """
    columns = max(1, cells.shape[1])
    runs = _runs(cells, starts, empty)
    top, left = divided(runs.first, columns)
    height = _heights(runs, left, columns)
    heads = np.flatnonzero(height != 0)
    found = np.empty((5, len(heads)), np.int64)
    for row, column in zip(found, (left, top, runs.width, height, runs.value)):
        row[:] = column.take(heads)
    return found.T


def _runs(cells: Cells, starts: Flags, empty: int | None) -> Runs:
    """Return the runs that are not empty, in reading order."""
    first = true_places(starts)
    width = np.diff(first, append=cells.size)
    # What counts cells is half as long, where that is enough: memory is what this waits for.
    kind = np.int32 if max(cells.size, *cells.shape) < 1 << 31 else np.int64
    value = cells.reshape(-1).take(first)
    runs = Runs(first.astype(kind), width.astype(kind), value)
    return runs if empty is None else runs.taken(np.flatnonzero(runs.value != empty))


def _heights(runs: Runs, left: Places, columns: int) -> Ints:
    """Return by run how many rows its rectangle has, if it is the topmost of it, else 0."""
    order = order_of(left, columns)  # by columns those of a rectangle follow each other
    first, width, value = runs.taken(order)
    begins = np.ones(len(first), np.bool_)
    np.not_equal(first[1:], first[:-1] + columns, out=begins[1:])
    begins[1:] |= width[1:] != width[:-1]
    begins[1:] |= value[1:] != value[:-1]
    heads = np.flatnonzero(begins)
    height = np.zeros(len(first), np.int64)
    height[order.take(heads)] = np.diff(heads, append=len(first))
    return height


def divided(places: _P, columns: int) -> tuple[_P, _P]:
    """Return rows and columns of places, as `np.divmod` does: in a quarter of its time.

    >>> [found.tolist() for found in divided(np.array([3, 7, 8]), 4)]
    [[0, 1, 2], [3, 3, 0]]
    """
    row = cast("_P", places // columns)
    return row, cast("_P", places - row * columns)


def order_of(numbers: NDArray[np.integer], below: int) -> Ints:
    """Return in which order numbers from 0 and `below` 2**32 rise; equal ones stay as they are.

    In linear time: numpy sorts by digits what has sixteen bits.

    >>> order_of(np.array([70_000, 5, 70_001, 5]), 80_000).tolist()
    [1, 3, 0, 2]
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if below > 1 << 16:
        high = (numbers[order] >> 16).astype(np.uint16)
        order = order[np.argsort(high, kind="stable")]
    return order


def true_places(flags: Flags | NDArray[np.uint8]) -> Ints:
    """Return where bytes are not 0, in reading order; of few of them in half of numpy's time.

    >>> true_places(np.eye(5, dtype=bool)).tolist()
    [0, 6, 12, 18, 24]
    """
    flat = flags.reshape(-1)
    eights = len(flat) // 8
    words = flat[: eights * 8].view(np.uint64)
    some = np.flatnonzero(words != 0)
    if len(some) * 4 > eights:  # of many, looking twice takes longer
        return np.flatnonzero(flat)
    inside = np.flatnonzero(words[some].view(flat.dtype))
    places = some[inside >> 3] * 8 + (inside & 7)
    return np.append(places, eights * 8 + np.flatnonzero(flat[eights * 8 :]))


def along(first: Ints, count: Ints, step: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield whose they are, and points: of each row `first`, `first + step` and so on.

    In chunks, so that memory stays bounded however long the rows are together.

    >>> [(owner, point)] = along(np.array([0, 50]), np.array([3, 2]), 10)
    >>> owner.tolist(), point.tolist()
    ([0, 0, 0, 1, 1], [0, 10, 20, 50, 60])
    """
    total = np.cumsum(count)
    begin = 0
    while begin < len(first):
        before = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, before + _MOST, "right")))
        some = count[begin:end]
        owner = np.repeat(np.arange(begin, end), some)
        point = np.arange(0, len(owner) * step, step)
        skipped = (total[begin:end] - some - before) * step
        point += np.repeat(first[begin:end] - skipped, some)
        yield owner, point
        begin = end
