"""`Level`, the result of `load_level`: the objects, rectangles and images of a level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.levels.description import LayerInfo
from savegen.levels.images import Picture, channels_of
from savegen.levels.plan import LayerLayout, LevelLayout, PlacedObject
from savegen.levels.places import Region, StaticTile, tiles_of
from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.world.objects import SlotMapReference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Level:
    """A loaded level, as `load_level` returns it.

    `name` is the name of the folder. `layers`, `visuals`, `tiles`, `rectangles` and
    `cell_to_rectangle` have one item per layer. `layers` has the names and positions (x, y, z),
    and `visuals` the pictures: a `Visual`, or `None` if the layer has none. Rectangles and cells
    are in units, as in the image of their layer: y points down, and the position of the layer is
    not added. `objects` are the placed objects, and `static` the rectangles of static prefabs, at
    their places in the world.

    >>> from savegen.levels.description import Entry
    >>> from savegen.levels.plan import LayerLayout, LevelLayout, PlacedObject
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> stone = Entry(7, "StoneSerializer", None, {}, ())
    >>> tiles = PlacedObject("a", stone, 1, 0), PlacedObject("b", stone, 0, 1, width=2)
    >>> ground = LayerLayout("ground", (0.0, 0.0, 0.0), (2, 2), 1, tiles, (), None, None)
    >>> layout = LevelLayout("cavern", (ground,), description=None)
    >>> level = Level(layout, None, SaveLoadManager(Registry(FORMAT, ())), ())
    >>> level.rectangles[0].tolist(), level.cell_to_rectangle[0].tolist()
    ([[1, 0, 1, 1, 7], [0, 1, 2, 1, 7]], [[-1, 0], [1, 1]])
    """

    def __init__(
        self,
        layout: LevelLayout,
        region: Region | None,
        manager: SaveLoadManager,
        placements: tuple[str, ...],
        static: Callable[[], Iterable[StaticTile]] = tuple,
    ) -> None:
        """`placements` are the placement ids of all objects of the level.

        `static` returns its static tiles.
        """
        self.name = layout.name
        self.layers = tuple(LayerInfo(it.name, it.position) for it in layout.layers)
        self.visuals = tuple(_visual(layer, region) for layer in layout.layers)
        self._layers = layout.layers
        self._region = region
        self._manager = manager
        self._placements = placements
        self._static = static

    def __repr__(self) -> str:
        return f"<Level {self.name!r} of {len(self._placements)} objects>"

    @property
    def objects(self) -> Iterator[Any]:
        """The objects of the level that are still in the world, layer by layer.

        After `manager.clear`, load the level again and use the new `Level`. Raises `SaveError`
        in a thread other than the manager's.
        """
        for record in self._records:
            yield record.object

    @cached_property
    def static(self) -> tuple[StaticTile, ...]:
        """The rectangles of prefabs marked `static=True`: layer by layer, in their order.

        They are not objects. They do not change, and saves do not contain them.
        """
        with PausedCollector():
            return (*self._static(),)

    def unload(self) -> None:
        """Destroy the objects of the level that are still in the world.

        Before you load a save made after `unload`, load the level again. In a hook, objects are
        destroyed after all hooks. Raises `SaveError` in a thread other than the manager's.
        """
        instances, world = [*self.objects], self._manager._world
        world.restarts += 1
        world.levels -= {self.name}
        for instance in instances:
            if world.object_key(instance) is not None:
                self._manager.destroy(instance)

    @property
    def _records(self) -> Iterator[SlotMapReference]:
        for record in self._manager._placed(self._placements):
            if record.level == self.name:
                yield record

    @property
    def tiles(self) -> tuple[tuple[Any, ...], ...]:
        """For each layer the objects of its `rectangles`; `None` for destroyed objects.

        A rectangle of a static prefab has its `StaticTile` here.

        The object at a cell of the first layer is `tiles[0][cell_to_rectangle[0][y, x]]`, unless
        the cell is empty. Raises `SaveError` in a thread other than the manager's.
        """
        objects: dict[str | None, Any] = {tile.id: tile for tile in self.static}
        objects |= {record.placement: record.object for record in self._records}
        return tuple(
            tuple(objects.get(tile.id) for tile in tiles) for tiles in self._tiles
        )

    @cached_property
    def _tiles(self) -> list[list[PlacedObject]]:
        return [[*tiles_of(it, self._region, self.name)] for it in self._layers]

    @cached_property
    def rectangles(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each layer an array (n, 5) of left, top, width, height, value: one row per tile.

        `value` is the colour, 0xRRGGBBAA. Rectangles are cut to the loaded region.
        """
        import numpy as np

        rows = (
            [(it.x, it.y, it.width, it.height, it.entry.colour) for it in tiles]
            for tiles in self._tiles
        )
        return tuple(np.array([*it], np.int64).reshape(-1, 5) for it in rows)

    @cached_property
    def cell_to_rectangle(self) -> tuple[npt.NDArray[np.int32], ...]:
        """For each layer an array (height, width): the row of each cell's rectangle, or -1.

        The array has the size of the whole image, even if only a region is loaded.
        """
        from savegen.levels.partition.arrays import cell_to_rectangle

        return tuple(
            cell_to_rectangle(rectangles, layer.size[::-1])
            for rectangles, layer in zip(self.rectangles, self._layers)
        )


def _visual(layer: LayerLayout, region: Region | None) -> Visual | None:
    if layer.visual is None:
        return None
    return Visual(layer.visual, layer.visual_pixels_per_unit, region)


class UniqueTiles(NamedTuple):
    """The different squares of one unit in a picture, called tiles.

    `tiles` is an array (count, pixels_per_unit, pixels_per_unit, 4), in the order in which the
    tiles first occur. `places` is an array (height, width): for each unit the index of its tile.
    """

    tiles: npt.NDArray[np.uint8]
    places: npt.NDArray[np.intp]


class Visual:
    """The picture of a layer, cut to the loaded region.

    `left`, `top`, `width` and `height` are its position in the layer and its size, in units. Each
    unit is `pixels_per_unit` pixels wide and high.

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
        visible: Region | None = Region(0, 0, width, height)
        if region is not None:
            visible = region.overlap(0, 0, width, height)
        self.left, self.top, self.width, self.height = visible or Region(0, 0, 0, 0)

    @cached_property
    def image(self) -> npt.NDArray[np.uint8]:
        """The pixels as an array (height, width, 4) of red, green, blue and alpha, from 0 to 255.

        Fully transparent pixels are 0 in all four.
        """
        size = self.pixels_per_unit
        rows = slice(self.top * size, (self.top + self.height) * size)
        columns = slice(self.left * size, (self.left + self.width) * size)
        return channels_of(self._picture.colours[rows, columns])

    def unique_tiles(self) -> UniqueTiles:
        """Return the different squares of one unit, and which square is at which unit.

        If your game draws tile by tile, it needs only these textures. The time grows with
        pixels × log(units), because all squares are sorted.
        """
        import numpy as np

        size = self.pixels_per_unit
        shape = (self.height, size, self.width, size, 4)
        squares = self.image.reshape(shape).swapaxes(1, 2).reshape(-1, size * size * 4)
        if not len(squares):
            return UniqueTiles(
                np.zeros((0, size, size, 4), np.uint8),
                np.zeros((self.height, self.width), np.intp),
            )
        keys = np.ascontiguousarray(squares).view(f"V{squares.shape[1]}").ravel()
        _, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(firsts)  # of the tiles, by first occurrence
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        tiles = squares[firsts[order]].reshape(-1, size, size, 4)
        return UniqueTiles(tiles, ranks[numbers].reshape(self.height, self.width))
