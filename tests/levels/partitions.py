"""Check partitions by brute force, and count the fewest rectangles with an integer program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

Cells = NDArray[Any]
Rectangles = NDArray[np.int64]
BATCH = 1000  # grids that one integer program solves at once


def grids(most: int = 8, colours: int = 3) -> st.SearchStrategy[Cells]:
    sides = st.integers(1, most)
    return st.tuples(sides, sides).flatmap(
        lambda shape: arrays(np.uint8, shape, elements=st.integers(0, colours - 1))
    )


# -- what must not be


def faults(cells: Cells, found: Rectangles, empty: int | None = None) -> list[str]:
    """Return errors if rectangles do not cover each cell that is not empty once, by its value."""
    return [*_misfits(cells, found), *_uncovered(cells, found, empty)]


def _misfits(cells: Cells, found: Rectangles) -> Iterator[str]:
    for left, top, width, height, value in found.tolist():
        part = cells[top : top + height, left : left + width]
        if part.shape != (height, width) or not part.size:
            yield f"({left}, {top}) is no rectangle of the cells"
        elif (part != value).any():
            yield f"({left}, {top}) is not all {value}"
    places = [(top, left) for left, top, *_ in found.tolist()]
    if places != sorted(places):
        yield "not in reading order"


def _uncovered(cells: Cells, found: Rectangles, empty: int | None) -> Iterator[str]:
    times = np.zeros(cells.shape, int)
    for left, top, width, height, _ in found.tolist():
        times[top : top + height, left : left + width] += 1
    wanted = (
        np.ones(cells.shape, int) if empty is None else (cells != empty).astype(int)
    )
    for y, x in np.argwhere(times != wanted).tolist():
        yield f"({x}, {y}) is covered {times[y, x]} times"


def mergeable(found: Rectangles) -> list[tuple[Any, Any]]:
    """Return pairs of rectangles that could be merged."""
    rows = [tuple(row) for row in found.tolist()]
    by_corner = {(left, top): (left, top, *rest) for left, top, *rest in rows}
    pairs = []
    for left, top, width, height, value in rows:
        right = by_corner.get((left + width, top))
        below = by_corner.get((left, top + height))
        if right and right[3:] == (height, value):
            pairs.append(((left, top), right))
        if below and (below[2], below[4]) == (width, value):
            pairs.append(((left, top), below))
    return pairs


def loose_seams(cells: Cells, found: Rectangles) -> list[tuple[int, int]]:
    """Return the points (x, y) at which a vertical seam ends in a flat floor or ceiling."""
    owners = np.zeros(cells.shape, int)
    for place, (left, top, width, height, _) in enumerate(found.tolist(), 1):
        owners[top : top + height, left : left + width] = place
    seams = (owners[:, 1:] != owners[:, :-1]) & (cells[:, 1:] == cells[:, :-1])
    seams &= owners[:, 1:] > 0
    edged = np.pad(seams, ((1, 1), (0, 0)))
    ends = np.argwhere(edged[1:] != edged[:-1])  # point (y, x + 1)
    return [(x + 1, y) for y, x in ends.tolist() if not _is_concave(cells, y, x + 1)]


def _is_concave(cells: Cells, y: int, x: int) -> bool:
    around = cells[max(0, y - 1) : y + 1, x - 1 : x + 1]
    _, times = np.unique(around, return_counts=True)
    return around.size == 4 and 3 in times


# -- how few there can be


def fewest(grids: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the smallest possible number of rectangles for each of the grids (n, height, width).

    An integer program chooses among all rectangles of one value those that cover each cell
    once. It knows nothing of corners. Many grids are one program: they do not touch.
    """
    counts = [_solved(grids[at : at + BATCH]) for at in range(0, len(grids), BATCH)]
    return np.concatenate(counts)


def _solved(grids: NDArray[np.uint8]) -> NDArray[np.int64]:
    masks = _masks(*grids.shape[1:])  # (rectangles, cells)
    flat = grids.reshape(len(grids), -1)
    constant = [(flat[:, mask] == flat[:, mask][:, :1]).all(axis=1) for mask in masks]
    grid, rectangle = np.nonzero(np.stack(constant, axis=1))
    variable, cell = np.nonzero(masks[rectangle])
    rows = grid[variable] * flat.shape[1] + cell
    covers = coo_array((np.ones(len(rows)), (rows, variable)), (flat.size, len(grid)))
    result = milp(
        np.ones(len(grid)),
        constraints=LinearConstraint(covers.tocsr(), 1, 1),
        integrality=np.ones(len(grid)),
        bounds=Bounds(0, 1),
    )
    assert result.success, result.message
    return np.bincount(grid[result.x > 0.5], minlength=len(grids))


@cache
def _masks(height: int, width: int) -> NDArray[np.bool_]:
    masks = []
    for top, left in product(range(height), range(width)):
        for bottom, right in product(range(top, height), range(left, width)):
            mask = np.zeros((height, width), np.bool_)
            mask[top : bottom + 1, left : right + 1] = True
            masks.append(mask.reshape(-1))
    return np.array(masks)


def all_grids(height: int, width: int, colours: int = 3) -> NDArray[np.uint8]:
    """Return all grids of a size, (n, height, width)."""
    numbers = np.arange(colours ** (height * width))[:, None]
    digits = numbers // colours ** np.arange(height * width) % colours
    return digits.astype(np.uint8).reshape(-1, height, width)


def kinds(grids: NDArray[np.uint8], colours: int = 3) -> NDArray[np.int64]:
    """Return a number for each grid; it is equal for mirrored and recoloured grids."""
    mirrored = [grids, grids[:, ::-1], grids[:, :, ::-1], grids[:, ::-1, ::-1]]
    flat = [each.reshape(len(grids), -1) for each in mirrored]
    return np.min([_number(_renamed(each, colours), colours) for each in flat], axis=0)


def _renamed(flat: NDArray[np.uint8], colours: int) -> NDArray[np.int64]:
    """Replace the first colour that appears by 0, the next by 1."""
    never = flat.shape[1]
    first = [
        np.where((flat == c).any(axis=1), (flat == c).argmax(axis=1), never + c)
        for c in range(colours)
    ]
    names = np.argsort(np.argsort(np.stack(first, axis=1), axis=1), axis=1)
    return np.take_along_axis(names, flat.astype(np.int64), axis=1)


def _number(flat: NDArray[np.int64], colours: int) -> NDArray[np.int64]:
    return flat @ colours ** np.arange(flat.shape[1])


def sheet(grids: NDArray[np.uint8], columns: int, between: int) -> NDArray[np.uint8]:
    """Return one array with all grids in `columns`, separated by lines of the value `between`."""
    count, height, width = grids.shape
    rows = -(-count // columns)
    page = np.full((rows * columns, height + 1, width + 1), between, np.uint8)
    page[:count, :-1, :-1] = grids
    page = page.reshape(rows, columns, height + 1, width + 1).swapaxes(1, 2)
    return page.reshape(rows * (height + 1), -1)[:-1, :-1]


def counts_on(
    sheet_of: NDArray[np.uint8], columns: int, found: Rectangles
) -> NDArray[np.int64]:
    """Return the number of rectangles in each grid of a sheet."""
    count, height, width = sheet_of.shape
    grid = found[:, 1] // (height + 1) * columns + found[:, 0] // (width + 1)
    return np.bincount(grid, minlength=count)
