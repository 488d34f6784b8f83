"""Compute the positions of a level's objects in the world, and cut a level to a region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from operator import index
from typing import Any, NamedTuple

from savegen.levels.description import MAX_COORDINATE, LayerInfo
from savegen.levels.plan import LayerLayout, LevelLayout, PlacedObject
from savegen.runtime.errors import SaveError, nearest, with_article

Vector = tuple[float, float, float]

# For each anchor, its place in an object as fractions of the width and height.
ANCHORS = {
    "topleft": (0.0, 0.0),
    "midtop": (0.5, 0.0),
    "topright": (1.0, 0.0),
    "midleft": (0.0, 0.5),
    "center": (0.5, 0.5),
    "midright": (1.0, 0.5),
    "bottomleft": (0.0, 1.0),
    "midbottom": (0.5, 1.0),
    "bottomright": (1.0, 1.0),
}


class Region(NamedTuple):
    """A rectangular part of a level, in units. Only objects inside are loaded.

    >>> region = Region.checked((4, 0, 10, 8))
    >>> region.overlap(0, 2, 6, 1)
    Region(left=4, top=2, width=2, height=1)
    """

    left: int
    top: int
    width: int
    height: int

    @classmethod
    def checked(cls, region: tuple[int, int, int, int]) -> Region:
        """Return four numbers as a region. Raises `SaveError` if they are not a valid region."""
        try:
            # `index` also accepts the numpy integers in `Level.rectangles`.
            left, top, width, height = map(index, region)
        except (TypeError, ValueError):
            raise SaveError(
                "`region` must be (left, top, width, height), four whole numbers"
            ) from None
        checked = cls(left, top, width, height)
        if any(abs(number) > MAX_COORDINATE for number in checked):
            raise SaveError(
                f"the numbers of a region must be from {-MAX_COORDINATE:,} to {MAX_COORDINATE:,}"
            )
        if width <= 0 or height <= 0:
            raise SaveError(f"a region of {width} × {height} units is empty")
        return checked

    def overlap(self, left: int, top: int, width: int, height: int) -> Region | None:
        """Return the part of a rectangle inside the region; `None` if it is all outside."""
        x, y = max(left, self.left), max(top, self.top)
        right = min(left + width, self.left + self.width)
        bottom = min(top + height, self.top + self.height)
        return Region(x, y, right - x, bottom - y) if x < right and y < bottom else None

    def has_pixel(self, x: int, y: int, pixels_per_unit: int) -> bool:
        """Return whether a pixel of an image is inside the region."""
        column, row = x // pixels_per_unit - self.left, y // pixels_per_unit - self.top
        return 0 <= column < self.width and 0 <= row < self.height


class ObjectPosition(NamedTuple):
    """One object of a level, with its position and scale in the world."""

    placed: PlacedObject
    position: Vector
    scale: Vector | None  # `None` for the scale of its prefab


class StaticTile(NamedTuple):
    """One rectangle of a static prefab in a level, such as ground; `Level.static` has them.

    Its edges are in the world, as positions are: the position of the layer is added, and with
    `y_up`, `top` is negative below the top of the image. `position` is that of the anchor, as an object
    would have it. A pixel of a sprites image is a rectangle of its size.
    """

    prefab: Any  # the member of `PrefabType`
    parameters: Mapping[
        str, Any
    ]  # by their names in levels; tiles of one colour share them
    layer: LayerInfo
    left: float
    top: float
    width: float
    height: float
    position: Vector
    id: str  # its placement id

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height."""
        return self.width, self.height


class CoordinateSystem(NamedTuple):
    """The coordinates of the game: the direction of the y axis, the anchor of objects, the unit.

    `unit` is the size of a unit of the level, such as 32 for a game that counts in pixels.
    """

    y_up: bool
    anchor: tuple[float, float]
    unit: float = 1.0

    @classmethod
    def checked(cls, y_up: bool, anchor: str, unit: float = 1.0) -> CoordinateSystem:
        """Return a coordinate system. Raises `SaveError` if an argument is not valid."""
        if not isinstance(y_up, bool):
            raise SaveError(
                f"`y_up` must be True or False, not {with_article(type(y_up).__name__)}"
            )
        if not isinstance(anchor, str):
            names = ", ".join(map(repr, ANCHORS))
            raise SaveError(f"`anchor` must be one of {names}")
        if anchor not in ANCHORS:
            raise SaveError(f"there is no anchor {nearest(anchor, ANCHORS)}")
        if type(unit) not in (int, float) or not 0 < unit < MAX_COORDINATE:
            raise SaveError(
                f"`unit` must be a number from 0 to {MAX_COORDINATE:,}, such as 32 pixels"
            )
        return cls(y_up, ANCHORS[anchor], unit)

    def position(
        self, layer: LayerLayout, placed: PlacedObject, pixels_per_unit: int
    ) -> Vector:
        """Return the position of an object. Its z is 0: layers have z only for drawing."""
        right, down = self.anchor
        x = (placed.x + right * placed.width) / pixels_per_unit + layer.position[0]
        y = (placed.y + down * placed.height) / pixels_per_unit + layer.position[1]
        return (x * self.unit, 0.0 - y * self.unit if self.y_up else y * self.unit, 0.0)


MIDDLE = CoordinateSystem(y_up=False, anchor=ANCHORS["center"])  # as in the images


def object_positions(
    layout: LevelLayout,
    region: Region | None,
    coordinates: CoordinateSystem,
    without: Set[str] = frozenset(),
) -> Iterator[ObjectPosition]:
    """Yield the objects in a region, layer by layer: tiles, then sprites.

    Those of the `$type`s in `without` are left out.
    """
    unit = coordinates.unit
    for layer in layout.layers:
        for tile in tiles_of(layer, region, layout.name):
            if tile.entry.type_name in without:
                continue
            scale = (float(tile.width * unit), float(tile.height * unit), 1.0)
            yield ObjectPosition(tile, coordinates.position(layer, tile, 1), scale)
        size = layer.pixels_per_unit
        for sprite in _sprites_of(layer, region):
            if sprite.entry.type_name in without:
                continue
            yield ObjectPosition(
                sprite, coordinates.position(layer, sprite, size), None
            )


def static_tiles(
    layout: LevelLayout,
    region: Region | None,
    coordinates: CoordinateSystem,
    prefabs: Mapping[int, tuple[Any, Mapping[str, Any]]],
) -> Iterator[StaticTile]:
    """Yield the static tiles in a region, layer by layer: rectangles, then sprites.

    `prefabs` has the prefab and the parameters of each entry, by `id(entry)`.
    """
    unit = coordinates.unit
    for layer in layout.layers if prefabs else ():
        info, (x, y, _) = LayerInfo(layer.name, layer.position), layer.position
        tiles = tiles_of(layer, region, layout.name)
        sprites = _sprites_of(layer, region)
        for placed, pixels in (tiles, 1), (sprites, layer.pixels_per_unit):
            for tile in placed:
                if (key := id(tile.entry)) in prefabs:
                    top = (tile.y / pixels + y) * unit
                    yield StaticTile(
                        *prefabs[key],
                        info,
                        (tile.x / pixels + x) * unit,
                        0.0 - top if coordinates.y_up else top,
                        tile.width / pixels * unit,
                        tile.height / pixels * unit,
                        coordinates.position(layer, tile, pixels),
                        tile.id,
                    )


def _sprites_of(layer: LayerLayout, region: Region | None) -> Iterator[PlacedObject]:
    """Yield the sprites of a layer whose pixels are in a region."""
    for sprite in layer.sprites:
        if region is None or region.has_pixel(
            sprite.x, sprite.y, layer.pixels_per_unit
        ):
            yield sprite


def tiles_of(
    layer: LayerLayout, region: Region | None, level: str
) -> Iterator[PlacedObject]:
    """Yield the tiles of a layer that are in a region, cut to it."""
    for tile in layer.tiles:
        if part := _cut(tile, region, f"{level}/{layer.name}/tile"):
            yield part


def _cut(tile: PlacedObject, region: Region | None, prefix: str) -> PlacedObject | None:
    """Return the part of a tile inside a region; `None` if it is all outside.

    A part that contains the tile's first cell keeps the tile's id. The id of any other part
    names its first cell, where no tile begins. So different objects never get the same id.
    """
    if region is None:
        return tile
    part = region.overlap(tile.x, tile.y, tile.width, tile.height)
    if part is None:
        return None
    is_first = (part.left, part.top) == (tile.x, tile.y)
    id = tile.id if is_first else f"{prefix}/{part.left},{part.top}"
    return PlacedObject(id, tile.entry, *part)
