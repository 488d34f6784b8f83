"""A loaded level: its objects, rectangles and images."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from savegen.levels.description import LayerInfo
from savegen.levels.layout import LayerLayout, Layout
from savegen.levels.partition import Partition
from savegen.levels.places import Region, tiles_of
from savegen.levels.visuals import Visual
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.objects import SlotMapReference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Level:
    """What `load_level` returns.

    `name` is that of the folder. All else has a place for each layer, in their order: `layers`
    tells name and position (x, y, z), `visuals` has a `Visual`, or `None` without a picture.
    Rectangles and cells are those of the images: in units, y pointing down, not shifted.

    >>> from savegen.levels.layout import LayerLayout, Layout
    >>> from savegen.levels.partition import partition
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> cells = partition([[0, 7], [7, 7]], empty=0)
    >>> ground = LayerLayout("ground", (0.0, 0.0, 0.0), (2, 2), 1, cells, (), (), None)
    >>> layout = Layout("cavern", (ground,), description=None)
    >>> level = Level(layout, None, SaveLoadManager(Registry(FORMAT, ())), ())
    >>> level.rectangles[0].tolist(), level.cell_to_rectangle[0].tolist()
    ([[1, 0, 1, 1, 7], [0, 1, 2, 1, 7]], [[-1, 0], [1, 1]])
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

    def __repr__(self) -> str:
        return f"<Level {self.name!r} of {len(self._placements)} objects>"

    @property
    def objects(self) -> Iterator[Any]:
        """What the level has placed and is still in the world, layer by layer.

        Nothing once the world was cleared: load the level again, and ask what that returns.
        Raises `SaveError` in another thread than the manager's.
        """
        for record in self._records:
            yield record.object

    def unload(self) -> None:
        """Destroy what the level has placed and is still there; a second time that is nothing.

        Saved then, a world lacks it: load the level again before the save is loaded. Inside a
        hook this waits until the hooks are done. Raises `SaveError` in another thread than the
        manager's.
        """
        for thing in list(self.objects):
            if self._manager.world.object_key(thing) is not None:
                self._manager.destroy(thing)

    @property
    def _records(self) -> Iterator[SlotMapReference]:
        for record in self._manager.placed(self._placements):
            if record.level == self.name:
                yield record

    @property
    def tiles(self) -> tuple[tuple[Any, ...], ...]:
        """Per layer, for each row of `rectangles` the object that stands there; `None` if it is
        not in the world any more.

        So what is at a cell of the first layer is `tiles[0][cell_to_rectangle[0][y, x]]`, if
        anything is drawn there. Raises `SaveError` in another thread than the manager's.
        """
        there = {record.placement: record.object for record in self._records}
        return tuple(
            tuple(there.get(e.id) for e in tiles_of(layer, self._region, self.name))
            for layer in self._layers
        )

    @property
    def rectangles(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Per layer an array (n, 5): left, top, width, height, value; a row for each tile.

        `value` is the colour, 0xRRGGBBAA. With a region only what is inside.
        """
        return tuple(cut.rectangles for cut in self._cuts)

    @property
    def cell_to_rectangle(self) -> tuple[npt.NDArray[np.int32], ...]:
        """Per layer an array (height, width): for each cell the row of its rectangle, or -1.

        It is as large as the whole image, with a region too.
        """
        return tuple(cut.cell_to_rectangle for cut in self._cuts)

    @cached_property
    def _cuts(self) -> list[Partition]:
        return [_inside(layer, self._region) for layer in self._layers]


def _inside(layer: LayerLayout, region: Region | None) -> Partition:
    """Return the rectangles of a layer, or what of them is inside a region."""
    import numpy as np

    whole = layer.partition
    assert whole is not None  # a layer that lacks it is an error of the level
    if region is None:
        return whole
    cut = [
        (*inside, value)
        for *rectangle, value in whole.rectangles.tolist()
        if (inside := region.overlap(*rectangle))
    ]
    return Partition(np.array(cut, np.int64).reshape(-1, 5), 0, whole.shape)


def _visual(layer: LayerLayout, region: Region | None) -> Visual | None:
    if layer.visual is None:
        return None
    return Visual(layer.visual, layer.visual_pixels_per_unit, region)
