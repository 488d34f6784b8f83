"""Cells into an array that all steps can take, and rectangles as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from savegen.levels.partition.plain import LARGEST, rows_of
from savegen.levels.partition.runs import Cells, Ints, along


def checked(cells: Any) -> Cells:
    """Return cells as whole numbers, row after row in memory; a copy only where need be.

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
            raise TypeError("cells have no mask: fill what it hides, as `filled` does")
        return np.asarray(cells)
    rows = rows_of(cells)
    try:
        array = np.array(rows, np.int64)
    except OverflowError:
        raise ValueError("a cell has more than 64 bits") from None
    return array.reshape(len(rows), len(rows[0]) if rows else 0)


def cut(found: Ints, size: tuple[int, int] | None) -> Ints:
    """Return pieces that are no greater than `size` (width, height), in reading order.

    >>> cut(np.array([[0, 0, 5, 1, 7]]), (2, 2)).tolist()
    [[0, 0, 2, 1, 7], [2, 0, 2, 1, 7], [4, 0, 1, 1, 7]]
    """
    if size is None:
        return found
    pieces = _cut_along(_cut_along(found, 0, size[0]), 1, size[1])
    return pieces[np.lexsort((pieces[:, 0], pieces[:, 1]))]


def _cut_along(found: Ints, axis: int, longest: int) -> Ints:
    """Cut widths, axis 0, or heights, axis 1."""
    start, length = axis, axis + 2
    counts = -(-found[:, length] // longest)
    pieces = np.repeat(found, counts, axis=0)
    offset = np.arange(len(pieces)) - np.repeat(np.cumsum(counts) - counts, counts)
    pieces[:, start] += offset * longest
    pieces[:, length] = np.minimum(longest, pieces[:, length] - offset * longest)
    return pieces


def cell_to_rectangle(found: Ints, shape: tuple[int, int]) -> NDArray[np.int32]:
    """Return for each cell the place of its rectangle in `found`, -1 if it has none.

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
