"""A level that is loaded: what it has placed, and what its images say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from savegen.levels.description import LayerInfo
from savegen.levels.layout import LayerLayout, Layout
from savegen.levels.places import Region
from savegen.levels.visuals import Visual
from savegen.runtime.manager import SaveLoadManager

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Level:
    """What `load_level` returns. Lists have a place for each layer, in their order.

    Rectangles and cells are those of the images: in units, y pointing down, not shifted.
    """

    def __init__(
        self,
        layout: Layout,
        region: Region | None,
        manager: SaveLoadManager,
        placements: tuple[str, ...],
    ) -> None:
        """`placements` are the very ids that the manager has returned."""
        self.name = layout.name
        self.layers = tuple(
            LayerInfo(layer.name, layer.position) for layer in layout.layers
        )
        self.visuals = tuple(_visual(layer, region) for layer in layout.layers)
        self._layers = layout.layers
        self._region = region
        self._manager = manager
        self._placements = placements
        self._cut: list[tuple[Any, Any]] | None = None

    def __repr__(self) -> str:
        return f"<Level {self.name!r} of {len(self._placements)} objects>"

    @property
    def objects(self) -> Iterator[Any]:
        """What the level has placed and is still in the world, layer by layer.

        Nothing once the world was cleared: load the level again, and ask what that returns.
        """
        for record in self._manager.placed(self._placements):
            if record.level == self.name:
                yield record.object

    def unload(self) -> None:
        """Destroy what the level has placed and is still there; a second time that is nothing.

        Saved then, a world lacks it: load the level again before the save is loaded.
        """
        for thing in list(self.objects):
            if self._manager.world.record_of(thing) is not None:
                self._manager.destroy(thing)

    @property
    def rectangles(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Per layer an array of (left, top, width, height, value), a row for each tile.

        `value` is the colour, 0xRRGGBBAA. With a region only what is inside.
        """
        return tuple(rectangles for rectangles, _ in self._cells())

    @property
    def cell_to_rectangle(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Per layer, for each cell the row of its rectangle; -1 where nothing is.

        The arrays are as large as the whole images, with a region too.
        """
        return tuple(cells for _, cells in self._cells())

    def _cells(self) -> list[tuple[Any, Any]]:
        if self._cut is None:
            self._cut = [_cells(layer, self._region) for layer in self._layers]
        return self._cut


def _visual(layer: LayerLayout, region: Region | None) -> Visual | None:
    if layer.visual is None:
        return None
    return Visual(layer.visual, layer.visual_pixels_per_unit, region)


def _cells(layer: LayerLayout, region: Region | None) -> tuple[Any, Any]:
    """Return the rectangles of a layer inside a region, and the row of each cell."""
    import numpy as np

    if layer.partition is None:
        width, height = layer.size
        return np.zeros((0, 5), np.int64), np.full((height, width), -1)
    rectangles, cells = layer.partition.rectangles, layer.partition.cell_to_rectangle
    if region is None:
        return rectangles, cells
    right, bottom = region.left + region.width, region.top + region.height
    cut = rectangles.copy()
    cut[:, 0], cut[:, 1] = (
        np.maximum(rectangles[:, 0], region.left),
        np.maximum(rectangles[:, 1], region.top),
    )
    cut[:, 2] = np.minimum(rectangles[:, 0] + rectangles[:, 2], right) - cut[:, 0]
    cut[:, 3] = np.minimum(rectangles[:, 1] + rectangles[:, 3], bottom) - cut[:, 1]
    inside = (cut[:, 2] > 0) & (cut[:, 3] > 0)
    rows = np.where(inside, np.cumsum(inside) - 1, -1)
    return cut[inside], _inside(cells, rows, region)


def _inside(cells: Any, rows: Any, region: Region) -> Any:
    """Return cells with new rows, and nothing outside of the region."""
    import numpy as np

    found = np.full(cells.shape, -1)
    left, top = max(region.left, 0), max(region.top, 0)
    columns = slice(left, max(region.left + region.width, 0))
    part = cells[top : max(region.top + region.height, 0), columns]
    known = np.append(rows, -1)  # -1 leads to the last one: nothing stays nothing
    found[top : top + part.shape[0], left : left + part.shape[1]] = known[part]
    return found
