"""Cut the rectangles and cells of a layer to a region."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from savegen.levels.layout import LayerLayout
from savegen.levels.places import Region

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Cut(NamedTuple):
    """What of a layer's geometry is inside a region."""

    rectangles: npt.NDArray[np.int64]  # (n, 5): left, top, width, height, value
    cell_to_rectangle: npt.NDArray[np.int32]  # of the whole image; -1: nothing


def cut_of(layer: LayerLayout, region: Region | None) -> Cut:
    """Return the rectangles of a layer inside a region, and the row of each cell."""
    import numpy as np

    assert layer.partition is not None  # that a layer lacks it is an error of the level
    rectangles, cells = layer.partition.rectangles, layer.partition.cell_to_rectangle
    if region is None:
        return Cut(rectangles, cells)
    right, bottom = region.left + region.width, region.top + region.height
    cut = rectangles.copy()
    cut[:, 0] = np.maximum(rectangles[:, 0], region.left)
    cut[:, 1] = np.maximum(rectangles[:, 1], region.top)
    cut[:, 2] = np.minimum(rectangles[:, 0] + rectangles[:, 2], right) - cut[:, 0]
    cut[:, 3] = np.minimum(rectangles[:, 1] + rectangles[:, 3], bottom) - cut[:, 1]
    inside = (cut[:, 2] > 0) & (cut[:, 3] > 0)
    rows = np.where(inside, np.cumsum(inside) - 1, -1)
    return Cut(cut[inside], _renumbered(cells, rows.astype(np.int32), region))


def _renumbered(
    cells: npt.NDArray[np.int32], rows: npt.NDArray[np.int32], region: Region
) -> npt.NDArray[np.int32]:
    """Return cells with new rows, and nothing outside of the region."""
    import numpy as np

    found = np.full(cells.shape, -1, np.int32)
    left, top = max(region.left, 0), max(region.top, 0)
    columns = slice(left, max(region.left + region.width, 0))
    part = cells[top : max(region.top + region.height, 0), columns]
    known = np.append(rows, np.int32(-1))  # -1 leads to the last one: nothing stays so
    found[top : top + part.shape[0], left : left + part.shape[1]] = known[part]
    return found
