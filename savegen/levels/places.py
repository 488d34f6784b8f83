"""Compute where the objects of a level are in the world, and which are in a region."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import NamedTuple

from savegen.levels.description import FARTHEST
from savegen.levels.layout import LayerLayout, Layout, Placed
from savegen.runtime.errors import SaveError, a, nearest

Vector = tuple[float, float, float]

# Which point of a thing its position is: parts of its width and of its height.
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
    """Some cells of a level's images: nothing outside is loaded.

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
        """Raises `SaveError` for what is no region."""
        try:
            # Those of numpy, too: rows of `Level.rectangles` have them.
            left, top, width, height = map(index, region)
        except (TypeError, ValueError):
            raise SaveError(
                "a region is (left, top, width, height), four whole numbers of units"
            ) from None
        made = cls(left, top, width, height)
        if any(abs(number) > FARTHEST for number in made):
            raise SaveError(f"a region has no number beyond {FARTHEST:,}")
        if made.width <= 0 or made.height <= 0:
            raise SaveError(f"a region of {made.width} × {made.height} units is empty")
        return made

    def overlap(self, left: int, top: int, width: int, height: int) -> Region | None:
        """Return what a rectangle has in common with the region; `None` for nothing."""
        x, y = max(left, self.left), max(top, self.top)
        right = min(left + width, self.left + self.width)
        bottom = min(top + height, self.top + self.height)
        return Region(x, y, right - x, bottom - y) if x < right and y < bottom else None

    def has_pixel(self, x: int, y: int, pixels_per_unit: int) -> bool:
        column, row = x // pixels_per_unit - self.left, y // pixels_per_unit - self.top
        return 0 <= column < self.width and 0 <= row < self.height


class Standing(NamedTuple):
    """One object that is to be: what it is made of, and where."""

    placed: Placed
    position: Vector
    scale: Vector | None  # None: as its prefab has it


class View(NamedTuple):
    """How the game looks at levels: which way y grows, and what a position is the place of."""

    y_up: bool
    anchor: tuple[float, float]

    @classmethod
    def checked(cls, y_up: bool, anchor: str) -> View:
        """Raises `SaveError` if there is no such anchor, or no such direction."""
        if not isinstance(y_up, bool):
            raise SaveError(f"`y_up` is True or False, not {a(type(y_up).__name__)}")
        if not isinstance(anchor, str):
            names = ", ".join(map(repr, ANCHORS))
            raise SaveError(f"an anchor is one of {names}")
        if anchor not in ANCHORS:
            raise SaveError(f"there is no anchor {nearest(anchor, ANCHORS)}")
        return cls(y_up, ANCHORS[anchor])

    def position(
        self, layer: LayerLayout, placed: Placed, pixels_per_unit: int
    ) -> Vector:
        """Return where something stands, in units; the layer's z only orders drawing."""
        along, down = self.anchor
        x = (placed.x + along * placed.width) / pixels_per_unit + layer.position[0]
        y = (placed.y + down * placed.height) / pixels_per_unit + layer.position[1]
        return (x, 0.0 - y if self.y_up else y, 0.0)


MIDDLE = View(y_up=False, anchor=ANCHORS["center"])  # as levels are drawn


def standings(layout: Layout, region: Region | None, view: View) -> Iterator[Standing]:
    """Yield all that a level places, layer by layer: tiles, then sprites."""
    for layer in layout.layers:
        for tile in tiles_of(layer, region, layout.name):
            scale = (float(tile.width), float(tile.height), 1.0)
            yield Standing(tile, view.position(layer, tile, 1), scale)
        size = layer.pixels_per_unit
        for sprite in layer.sprites:
            if region is None or region.has_pixel(sprite.x, sprite.y, size):
                yield Standing(sprite, view.position(layer, sprite, size), None)


def tiles_of(layer: LayerLayout, region: Region | None, level: str) -> Iterator[Placed]:
    """Yield the tiles of a layer, cut to a region: one for each rectangle inside of it."""
    for tile in layer.tiles:
        if cut := _cut(tile, region, f"{level}/{layer.name}/tile"):
            yield cut


def _cut(tile: Placed, region: Region | None, home: str) -> Placed | None:
    """Return what of a tile is inside the region.

    The piece with the tile's first cell has the tile's id; another has that of its own first
    cell, which no other tile begins with. So the pieces of two regions never have one id.
    """
    if region is None:
        return tile
    inside = region.overlap(tile.x, tile.y, tile.width, tile.height)
    if inside is None:
        return None
    is_first = (inside.left, inside.top) == (tile.x, tile.y)
    id = tile.id if is_first else f"{home}/{inside.left},{inside.top}"
    return Placed(id, tile.entry, *inside)
