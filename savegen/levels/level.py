"""A loaded level: its objects, rectangles and images."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.levels.description import LayerInfo
from savegen.levels.images import Picture, channels_of
from savegen.levels.layout import LayerLayout, Layout
from savegen.levels.partition import Partition
from savegen.levels.places import Region, tiles_of
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


class UniqueTiles(NamedTuple):
    """A picture as slices of one unit, each kept once.

    `tiles` are (count, pixels_per_unit, pixels_per_unit, 4), in the order of their first
    places; `places`, (height, width) in units, tells which of them is where.
    """

    tiles: npt.NDArray[np.uint8]
    places: npt.NDArray[np.intp]


class Visual:
    """One picture, or what of it is in the region that was loaded.

    `left` and `top` are the cell of the level that its corner is at, `width` and `height` its
    size, all in units; a unit has `pixels_per_unit` pixels on each axis.

    >>> import io
    >>> from PIL import Image
    >>> from savegen.levels.images import decode
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (6, 4), "navy").save(file, "png")
    >>> visual = Visual(decode(file.getvalue(), "visuals/layer1.png"), 2, Region(1, 0, 9, 9))
    >>> visual.left, visual.width, visual.height, visual.image.shape
    (1, 2, 2, (4, 4, 4))
    >>> visual.unique_tiles().places.tolist()
    [[0, 0], [0, 0]]
    """

    def __init__(
        self, picture: Picture, pixels_per_unit: int, region: Region | None
    ) -> None:
        self.pixels_per_unit = pixels_per_unit
        self._picture = picture
        width, height = (side // pixels_per_unit for side in picture.size)
        whole = Region(0, 0, width, height)
        inside = whole if region is None else region.overlap(*whole)
        self.left, self.top, self.width, self.height = inside or Region(0, 0, 0, 0)

    @cached_property
    def image(self) -> npt.NDArray[np.uint8]:
        """The pixels: red, green, blue and alpha from 0 to 255, (height, width, 4).

        Where alpha is 0, so are the others.
        """
        size = self.pixels_per_unit
        rows = slice(self.top * size, (self.top + self.height) * size)
        columns = slice(self.left * size, (self.left + self.width) * size)
        return channels_of(self._picture.colours[rows, columns])

    def unique_tiles(self) -> UniqueTiles:
        """Return slices of one unit without duplicates, and which of them is where.

        A game that draws tile by tile needs no more textures than these. Time and memory are
        those of sorting all slices: pixels × log(units).
        """
        import numpy as np

        size = self.pixels_per_unit
        shape = (self.height, size, self.width, size, 4)
        slices = self.image.reshape(shape).swapaxes(1, 2).reshape(-1, size * size * 4)
        if not len(slices):
            return UniqueTiles(
                np.zeros((0, size, size, 4), np.uint8),
                np.zeros((self.height, self.width), np.intp),
            )
        keys = np.ascontiguousarray(slices).view(f"V{slices.shape[1]}").ravel()
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)  # of the tiles, by where they are first
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        tiles = slices[first[order]].reshape(-1, size, size, 4)
        return UniqueTiles(tiles, place[which].reshape(self.height, self.width))
