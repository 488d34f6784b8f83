"""The map of a preview: visuals, tiles and the grid, with sprites as discs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.description import Entry
from savegen.levels.drawing.ink import GROUND, LINE, STRONG, Ink, ink_of, mixed
from savegen.levels.images import channels_of
from savegen.levels.layout import LayerLayout
from savegen.levels.places import MIDDLE

_LONGEST = 1920  # pixels of the map's longer side, if whole pixels per unit allow
_FINEST = 56  # pixels of a unit at most
_MOST = 4000  # pixels of the longer side, where a unit is less than one
_TILE_ALPHA = 112  # alpha of tiles that have a visual below
_LEAST_OUTLINED = 4  # pixels of a side: outlines would hide smaller rectangles
_LEAST_FOR_THICK = 24  # pixels of a unit; then outlines have two pixels
_FINE = 4  # discs are drawn larger by this factor first, for round edges


@dataclass(frozen=True)
class Scale:
    """The part of the level that is drawn, in units, and the size of a unit."""

    left: int
    top: int
    width: int
    height: int
    pixels: float  # of a unit

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map in pixels."""
        return self.x(self.left + self.width), self.y(self.top + self.height)

    def x(self, units: float) -> int:
        """Return a place as pixels from the left of the map.

        >>> Scale(-2, 0, 10, 10, 8.0).x(1.5)
        28
        """
        return round((units - self.left) * self.pixels)

    def y(self, units: float) -> int:
        """Return a place as pixels from the top of the map."""
        return round((units - self.top) * self.pixels)

    def columns(self, step: int) -> range:
        """Return the multiples of `step` from the left to the right of the map, in units."""
        return range(-(-self.left // step) * step, self.left + self.width + 1, step)

    def rows(self, step: int) -> range:
        """Return the multiples of `step` from the top to the bottom of the map, in units."""
        return range(-(-self.top // step) * step, self.top + self.height + 1, step)


def scale_of(layers: Iterable[LayerLayout]) -> Scale:
    """Return the scale at which all layers make a picture of a good size."""
    boxes = [
        (x, y, x + layer.size[0], y + layer.size[1])
        for layer in layers
        for x, y, _ in [layer.position]
    ]
    if not boxes:
        return Scale(0, 0, 1, 1, _FINEST)
    left, top = (floor(min(box[axis] for box in boxes)) for axis in (0, 1))
    right, bottom = (ceil(max(box[axis] for box in boxes)) for axis in (2, 3))
    width, height = max(right - left, 1), max(bottom - top, 1)
    return Scale(left, top, width, height, pixels_of(max(width, height)))


def pixels_of(units: int) -> float:
    """Return the pixels of a unit if the longer side has that number of units.

    >>> pixels_of(10), pixels_of(100), pixels_of(1000), pixels_of(8000)
    (56, 19, 2, 0.5)
    """
    if units > _MOST:
        return _MOST / units
    return min(max(round(_LONGEST / units), 1), _FINEST)


def step_of(scale: float, pixels: int) -> int:
    """Return the least round number of units (1, 2, 5, 10…) with at least that many pixels.

    >>> step_of(56, 40), step_of(19, 40), step_of(2, 40), step_of(0.5, 40)
    (1, 5, 20, 100)
    """
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power * scale >= pixels:
                return digit * power
        power *= 10


# -- below the sprites


def draw_map(layers: tuple[LayerLayout, ...], scale: Scale) -> Image.Image:
    """Return the map of a level, without its sprites."""
    canvas = Image.new("RGBA", scale.size, GROUND)
    for layer in layers:
        _add_visual(canvas, layer, scale)
        _add_tiles(canvas, layer, scale)
    _add_grid(canvas, scale)
    for layer in layers:
        _add_outlines(canvas, layer, scale)
    return canvas


def _add_visual(canvas: Image.Image, layer: LayerLayout, scale: Scale) -> None:
    if layer.visual is not None:
        image = Image.fromarray(channels_of(layer.visual.colours))
        _add(canvas, image, layer, scale, Image.Resampling.BOX)


def _add_tiles(canvas: Image.Image, layer: LayerLayout, scale: Scale) -> None:
    if layer.tiles and layer.partition is not None:
        fills = [_fill(tile.entry.colour, layer) for tile in layer.tiles]
        colours = np.array([*fills, 0], np.uint32)  # the last is that of -1: empty
        cells = colours[layer.partition.cell_to_rectangle]
        _add(canvas, Image.fromarray(channels_of(cells)), layer, scale)


def _fill(colour: int, layer: LayerLayout) -> int:
    return colour if layer.visual is None else colour & 0xFFFFFF00 | _TILE_ALPHA


def _add(
    canvas: Image.Image,
    image: Image.Image,
    layer: LayerLayout,
    scale: Scale,
    shrink: Image.Resampling = Image.Resampling.NEAREST,
) -> None:
    """Draw an image in the place of its layer."""
    x, y, _ = layer.position
    left, top = scale.x(x), scale.y(y)
    width = max(scale.x(x + layer.size[0]) - left, 1)
    height = max(scale.y(y + layer.size[1]) - top, 1)
    how = shrink if width < image.width else Image.Resampling.NEAREST
    canvas.alpha_composite(image.resize((width, height), how), (left, top))


def _add_outlines(canvas: Image.Image, layer: LayerLayout, scale: Scale) -> None:
    draw = ImageDraw.Draw(canvas)
    x, y, _ = layer.position
    for tile in layer.tiles:
        left, top = scale.x(x + tile.x), scale.y(y + tile.y)
        right = scale.x(x + tile.x + tile.width) - 1
        bottom = scale.y(y + tile.y + tile.height) - 1
        if min(right - left, bottom - top) >= _LEAST_OUTLINED:
            for inset, ink in _edges(tile.entry.colour, layer, scale):
                box = left + inset, top + inset, right - inset, bottom - inset
                draw.rectangle(box, None, ink)


def _edges(colour: int, layer: LayerLayout, scale: Scale) -> list[tuple[int, Ink]]:
    """Return inset and colour of the lines around a rectangle, the outermost first.

    Over a visual, which may have any colour, the second line is bright.
    """
    ink = ink_of(colour, 255)
    dark = mixed(ink, part=0.65)
    if layer.visual is not None:
        return [(0, dark), (1, mixed(ink, GROUND))]
    return [(0, dark), (1, dark)] if scale.pixels >= _LEAST_FOR_THICK else [(0, dark)]


def _add_grid(canvas: Image.Image, scale: Scale) -> None:
    """Draw a line for each unit, or every few units; lines with a number are stronger."""
    grid = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(grid)
    step, strong = step_of(scale.pixels, 8), step_of(scale.pixels, 40)
    for at in scale.columns(step):
        x, ink = scale.x(at), LINE if at % strong else STRONG
        draw.line((x, 0, x, canvas.height), ink)
    for at in scale.rows(step):
        y, ink = scale.y(at), LINE if at % strong else STRONG
        draw.line((0, y, canvas.width, y), ink)
    canvas.alpha_composite(grid)


# -- sprites


class Marker(NamedTuple):
    """A sprite in the map."""

    entry: Entry
    x: int  # of its centre, in pixels
    y: int


def markers_of(layers: Iterable[LayerLayout], scale: Scale) -> Iterator[Marker]:
    """Yield the sprites of layers, row by row."""
    for layer in layers:
        for sprite in layer.sprites:
            x, y, _ = MIDDLE.position(layer, sprite, layer.pixels_per_unit)
            yield Marker(sprite.entry, scale.x(x), scale.y(y))


def radius_of(scale: Scale) -> int:
    """Return the radius of markers in pixels."""
    return min(max(round(scale.pixels * 0.3), 3), 10)


def draw_markers(canvas: Image.Image, markers: Iterable[Marker], radius: int) -> None:
    """Draw a disc for each sprite in its colour, with a ring that shows on any ground."""
    for marker in markers:
        draw_disc(canvas, ink_of(marker.entry.colour, 255), radius, marker.x, marker.y)


def draw_disc(canvas: Image.Image, ink: Ink, radius: int, x: int, y: int) -> None:
    """Draw a disc around a place, cut at the edge of the canvas."""
    stamp = _disc(ink, radius)
    canvas.paste(stamp, (x - stamp.width // 2, y - stamp.height // 2), stamp)


@cache
def _disc(ink: Ink, radius: int) -> Image.Image:
    ring = 2 if radius > 4 else 1
    size = 2 * (radius + ring) + 1
    large = Image.new("RGBA", (size * _FINE, size * _FINE), (*GROUND[:3], 0))
    draw = ImageDraw.Draw(large)
    edges = (0, mixed(ink, part=0.7)), (_FINE, GROUND), (ring * _FINE, ink)
    for inset, fill in edges:
        end = large.width - 1 - inset
        draw.ellipse((inset, inset, end, end), fill)
    return large.resize((size, size), Image.Resampling.BOX)
