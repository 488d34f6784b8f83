"""The greedy partition with numpy: runs of equal cells, joined with the same run in the row above.

A place is the index of a cell in the flat grid, counted row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from savegen.levels.partition.plain import LARGEST, rows_of

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Cells = NDArray[np.integer]
Places = NDArray[np.integer]
_P = TypeVar("_P", bound=Places)
_CHUNK = 1 << 22  # points at once, which need about 100 MB


def checked(cells: Any) -> Cells:
    """Return cells as a contiguous array of whole numbers; copy only if necessary.

    >>> checked([[True, False]]).tolist()
    [[1, 0]]
    >>> checked(np.zeros((2, 2, 4), np.uint8))
    Traceback (most recent call last):
        ...
    ValueError: cells have rows and columns, not 3 dimensions
    """
    array = _array(cells)
    if array.ndim != 2:
        raise ValueError(f"cells have rows and columns, not {array.ndim} dimensions")
    if array.dtype.kind not in "iub":
        raise TypeError(f"cells are whole numbers, not {array.dtype}")
    if array.dtype == np.uint64 and (array > LARGEST).any():
        raise ValueError(f"a cell is larger than {LARGEST}")
    array = array.view(np.uint8) if array.dtype == np.bool_ else array
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _array(cells: Any) -> NDArray[Any]:
    if hasattr(cells, "__array__") or hasattr(cells, "__array_interface__"):
        if isinstance(cells, np.ma.MaskedArray):
            raise TypeError("cells have no mask: fill the hidden cells with `filled`")
        return np.asarray(cells)
    rows = rows_of(cells)
    try:
        array = np.array(rows, np.int64)
    except OverflowError:
        raise ValueError("a cell has more than 64 bits") from None
    return array.reshape(len(rows), len(rows[0]) if rows else 0)


# -- rectangles


class Runs(NamedTuple):
    """Runs of equal cells in a row, as columns."""

    first: Places  # of their first cells, in ascending order
    width: Places
    value: Cells

    def take(self, indices: Ints) -> Runs:
        return Runs(*(column.take(indices) for column in self))


def run_starts(cells: Cells) -> Flags:
    """Return flags for the cells at which a run of equal cells begins in its row.

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
    """Return rectangles (n, 5) of the runs that begin at `starts`, sorted by top, then by left.

    A run belongs to the rectangle of the run above if left, width and value are the same.

    >>> cells = np.array([[7, 7], [7, 7], [7, 8]])
    >>> rectangles_of(cells, run_starts(cells), None).tolist()
    [[0, 0, 2, 2, 7], [0, 2, 1, 1, 7], [1, 2, 1, 1, 8]]
    """
    columns = max(1, cells.shape[1])
    runs = _runs(cells, starts, empty)
    top, left = divided(runs.first, columns)
    height = _heights(runs, left, columns)
    topmost = np.flatnonzero(height != 0)
    rectangles = np.empty((5, len(topmost)), np.int64)
    for row, column in zip(rectangles, (left, top, runs.width, height, runs.value)):
        row[:] = column.take(topmost)
    return rectangles.T


def _runs(cells: Cells, starts: Flags, empty: int | None) -> Runs:
    """Return the runs whose value is not `empty`, in the order of their first cells."""
    first = nonzero_indices(starts)
    width = np.diff(first, append=cells.size)
    # With 32 bits this takes half the time, because most of it is spent moving memory.
    dtype = np.int32 if max(cells.size, *cells.shape) < 1 << 31 else np.int64
    value = cells.reshape(-1).take(first)
    runs = Runs(first.astype(dtype), width.astype(dtype), value)
    return runs if empty is None else runs.take(np.flatnonzero(runs.value != empty))


def _heights(runs: Runs, left: Places, columns: int) -> Ints:
    """Return for each run the height of its rectangle if it is the topmost run, else 0."""
    order = order_of(left, columns)  # in it, runs of one rectangle follow each other
    first, width, value = runs.take(order)
    begins = np.ones(len(first), np.bool_)
    np.not_equal(first[1:], first[:-1] + columns, out=begins[1:])
    begins[1:] |= width[1:] != width[:-1]
    begins[1:] |= value[1:] != value[:-1]
    topmost = np.flatnonzero(begins)
    height = np.zeros(len(first), np.int64)
    height[order.take(topmost)] = np.diff(topmost, append=len(first))
    return height


def cut(rectangles: Ints, size: tuple[int, int] | None) -> Ints:
    """Return rectangles cut into pieces no larger than `size` (width, height), sorted.

    >>> cut(np.array([[0, 0, 5, 1, 7]]), (2, 2)).tolist()
    [[0, 0, 2, 1, 7], [2, 0, 2, 1, 7], [4, 0, 1, 1, 7]]
    """
    if size is None:
        return rectangles
    pieces = _cut_along(_cut_along(rectangles, 0, size[0]), 1, size[1])
    return pieces[np.lexsort((pieces[:, 0], pieces[:, 1]))]


def _cut_along(rectangles: Ints, axis: int, limit: int) -> Ints:
    """Return rectangles with their widths (axis 0) or heights (axis 1) cut to a limit."""
    start, length = axis, axis + 2
    counts = -(-rectangles[:, length] // limit)
    pieces = np.repeat(rectangles, counts, axis=0)
    number = np.arange(len(pieces)) - np.repeat(np.cumsum(counts) - counts, counts)
    pieces[:, start] += number * limit
    pieces[:, length] = np.minimum(limit, pieces[:, length] - number * limit)
    return pieces


def cell_to_rectangle(rectangles: Ints, shape: tuple[int, int]) -> NDArray[np.int32]:
    """Return for each cell the index of its rectangle, or -1 if it has none.

    >>> cell_to_rectangle(np.array([[1, 0, 1, 2, 7]]), (2, 2)).tolist()
    [[-1, 0], [-1, 0]]
    """
    left, top, width, height, _ = rectangles.T
    # The difference between the index of each cell and that of the cell before it.
    change = np.zeros(shape[0] * shape[1] + 1, np.int32)
    for number, begin in along(top * shape[1] + left, height, shape[1]):
        change[begin] += number + 1
        change[begin + width[number]] -= number + 1
    indices = np.cumsum(change, dtype=np.int32)[:-1].reshape(shape)
    indices -= 1
    return indices


# -- faster replacements of numpy functions


def divided(places: _P, columns: int) -> tuple[_P, _P]:
    """Return the rows and the columns of places. This takes a quarter of the time of `np.divmod`.

    >>> [numbers.tolist() for numbers in divided(np.array([3, 7, 8]), 4)]
    [[0, 1, 2], [3, 3, 0]]
    """
    row = cast("_P", places // columns)
    return row, cast("_P", places - row * columns)


def order_of(numbers: NDArray[np.integer], below: int) -> Ints:
    """Return the indices that sort numbers below `below`, which is at most 2**32. It is stable.

    This takes linear time, because numpy uses radix sort for 16-bit numbers.

    >>> order_of(np.array([70_000, 5, 70_001, 5]), 80_000).tolist()
    [1, 3, 0, 2]
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if below > 1 << 16:
        high = (numbers[order] >> 16).astype(np.uint16)
        order = order[np.argsort(high, kind="stable")]
    return order


def nonzero_indices(flags: Flags | NDArray[np.uint8]) -> Ints:
    """Return the indices of bytes that are not 0.

    If there are few, this is twice as fast as `np.flatnonzero`.

    >>> nonzero_indices(np.eye(5, dtype=bool)).tolist()
    [0, 6, 12, 18, 24]
    """
    flat = flags.reshape(-1)
    words = flat[: len(flat) // 8 * 8].view(np.uint64)
    nonzero = np.flatnonzero(words != 0)
    if len(nonzero) * 4 > len(words):
        return np.flatnonzero(flat)
    offsets = np.flatnonzero(words[nonzero].view(flat.dtype))
    indices = nonzero[offsets >> 3] * 8 + (offsets & 7)
    end = len(words) * 8
    return np.append(indices, end + np.flatnonzero(flat[end:]))


def along(first: Ints, count: Ints, step: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield the points of lines in chunks, each with the index of each point's line.

    A line has `count` points: `first`, `first + step` and so on. Chunks limit the memory.

    >>> [(line, point)] = along(np.array([0, 50]), np.array([3, 2]), 10)
    >>> line.tolist(), point.tolist()
    ([0, 0, 0, 1, 1], [0, 10, 20, 50, 60])
    """
    total = np.cumsum(count)
    begin = 0
    while begin < len(first):
        before = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, before + _CHUNK, "right")))
        counts = count[begin:end]
        line = np.repeat(np.arange(begin, end), counts)
        point = np.arange(0, len(line) * step, step)
        skipped = (total[begin:end] - counts - before) * step
        point += np.repeat(first[begin:end] - skipped, counts)
        yield line, point
        begin = end
