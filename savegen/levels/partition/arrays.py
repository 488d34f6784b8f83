"""The greedy partition on arrays: runs of equal cells in rows, joined with the same run above."""

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
_CHUNK = 1 << 22  # points at once: some 100 MB


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

    first: Places  # places of their first cells, in reading order
    width: Places
    value: Cells

    def take(self, places: Ints) -> Runs:
        return Runs(*(column.take(places) for column in self))


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
    """Return rectangles (n, 5) of the runs that begin at `starts`, in reading order.

    A run extends the one above exactly when left, width and value agree.

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
    # 32 bits, if enough, take half the time: most of it is spent moving memory.
    kind = np.int32 if max(cells.size, *cells.shape) < 1 << 31 else np.int64
    value = cells.reshape(-1).take(first)
    runs = Runs(first.astype(kind), width.astype(kind), value)
    return runs if empty is None else runs.take(np.flatnonzero(runs.value != empty))


def _heights(runs: Runs, left: Places, columns: int) -> Ints:
    """Return for each run the height of its rectangle if it is the topmost run, else 0."""
    order = order_of(left, columns)  # runs of one rectangle now follow each other
    first, width, value = runs.take(order)
    begins = np.ones(len(first), np.bool_)
    np.not_equal(first[1:], first[:-1] + columns, out=begins[1:])
    begins[1:] |= width[1:] != width[:-1]
    begins[1:] |= value[1:] != value[:-1]
    heads = np.flatnonzero(begins)
    height = np.zeros(len(first), np.int64)
    height[order.take(heads)] = np.diff(heads, append=len(first))
    return height


def cut(found: Ints, size: tuple[int, int] | None) -> Ints:
    """Return pieces that are no larger than `size` (width, height), in reading order.

    >>> cut(np.array([[0, 0, 5, 1, 7]]), (2, 2)).tolist()
    [[0, 0, 2, 1, 7], [2, 0, 2, 1, 7], [4, 0, 1, 1, 7]]
    """
    if size is None:
        return found
    pieces = _cut_along(_cut_along(found, 0, size[0]), 1, size[1])
    return pieces[np.lexsort((pieces[:, 0], pieces[:, 1]))]


def _cut_along(found: Ints, axis: int, longest: int) -> Ints:
    """Return rectangles with their widths (axis 0) or heights (axis 1) cut."""
    start, length = axis, axis + 2
    counts = -(-found[:, length] // longest)
    pieces = np.repeat(found, counts, axis=0)
    offset = np.arange(len(pieces)) - np.repeat(np.cumsum(counts) - counts, counts)
    pieces[:, start] += offset * longest
    pieces[:, length] = np.minimum(longest, pieces[:, length] - offset * longest)
    return pieces


def cell_to_rectangle(found: Ints, shape: tuple[int, int]) -> NDArray[np.int32]:
    """Return for each cell the index of its rectangle in `found`, -1 if it has none.

    >>> cell_to_rectangle(np.array([[1, 0, 1, 2, 7]]), (2, 2)).tolist()
    [[-1, 0], [-1, 0]]
    """
    left, top, width, height, _ = found.T
    change = np.zeros(shape[0] * shape[1] + 1, np.int32)
    for owner, begin in along(top * shape[1] + left, height, shape[1]):
        change[begin] += owner + 1
        change[begin + width[owner]] -= owner + 1  # where a run ends, one may begin
    owners = np.cumsum(change, dtype=np.int32)[:-1].reshape(shape)
    owners -= 1
    return owners


# -- faster than numpy


def divided(places: _P, columns: int) -> tuple[_P, _P]:
    """Return rows and columns of places: `np.divmod` in a quarter of its time.

    >>> [found.tolist() for found in divided(np.array([3, 7, 8]), 4)]
    [[0, 1, 2], [3, 3, 0]]
    """
    row = cast("_P", places // columns)
    return row, cast("_P", places - row * columns)


def order_of(numbers: NDArray[np.integer], below: int) -> Ints:
    """Return the stable order of numbers from 0 to `below`, which is at most 2**32.

    It takes linear time: numpy sorts 16-bit numbers by digits.

    >>> order_of(np.array([70_000, 5, 70_001, 5]), 80_000).tolist()
    [1, 3, 0, 2]
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if below > 1 << 16:
        high = (numbers[order] >> 16).astype(np.uint16)
        order = order[np.argsort(high, kind="stable")]
    return order


def true_places(flags: Flags | NDArray[np.uint8]) -> Ints:
    """Return the indices of bytes that are not 0: `np.flatnonzero`, twice as fast if they are few.

    >>> true_places(np.eye(5, dtype=bool)).tolist()
    [0, 6, 12, 18, 24]
    """
    flat = flags.reshape(-1)
    eights = len(flat) // 8
    words = flat[: eights * 8].view(np.uint64)
    some = np.flatnonzero(words != 0)
    if len(some) * 4 > eights:  # if they are many, this would be slower
        return np.flatnonzero(flat)
    inside = np.flatnonzero(words[some].view(flat.dtype))
    places = some[inside >> 3] * 8 + (inside & 7)
    return np.append(places, eights * 8 + np.flatnonzero(flat[eights * 8 :]))


def along(first: Ints, count: Ints, step: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield the points of lines, and the index of each point's line.

    A line has `count` points: `first`, `first + step` and so on. They are yielded in chunks, so
    that any number of points needs little memory.

    >>> [(owner, point)] = along(np.array([0, 50]), np.array([3, 2]), 10)
    >>> owner.tolist(), point.tolist()
    ([0, 0, 0, 1, 1], [0, 10, 20, 50, 60])
    """
    total = np.cumsum(count)
    begin = 0
    while begin < len(first):
        before = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, before + _CHUNK, "right")))
        some = count[begin:end]
        owner = np.repeat(np.arange(begin, end), some)
        point = np.arange(0, len(owner) * step, step)
        skipped = (total[begin:end] - some - before) * step
        point += np.repeat(first[begin:end] - skipped, some)
        yield owner, point
        begin = end
