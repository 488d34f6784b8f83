"""Draw the map of a preview: visuals, tiles, the grid, and a disc for each sprite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.description import Entry
from savegen.levels.drawing.style import BACKGROUND, LINE, STRONG, Rgba, mixed, rgba_of
from savegen.levels.images import channels_of
from savegen.levels.plan import LayerLayout
from savegen.levels.places import MIDDLE

_LONG_SIDE = 1920  # of the map: about the pixels of its longer side
_MAX_UNIT = 56  # pixels per unit
_MAX_SIDE = 4000  # pixels; larger levels have less than one pixel per unit
_TILE_ALPHA = 112  # of tiles over a visual
_MIN_OUTLINED = 4  # pixels; in a smaller rectangle, outlines would hide its colour
_MIN_UNIT_FOR_THICK = 24  # pixels per unit from which outlines are two pixels wide
_OVERSAMPLING = 4  # discs are drawn larger by this factor first, for smooth edges


@dataclass(frozen=True)
class Scale:
    """The part of the level that is drawn, in units, and the pixels per unit."""

    left: int
    top: int
    width: int
    height: int
    pixels_per_unit: float

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the map in pixels."""
        return self.x(self.left + self.width), self.y(self.top + self.height)

    def x(self, units: float) -> int:
        """Return a distance from the left of the level, in units, as pixels in the map.

        >>> Scale(-2, 0, 10, 10, 8.0).x(1.5)
        28
        """
        return round((units - self.left) * self.pixels_per_unit)

    def y(self, units: float) -> int:
        """Return a distance from the top of the level, in units, as pixels in the map."""
        return round((units - self.top) * self.pixels_per_unit)

    def columns(self, step: int) -> range:
        """Return the multiples of `step` from the left to the right of the map, in units."""
        return range(-(-self.left // step) * step, self.left + self.width + 1, step)

    def rows(self, step: int) -> range:
        """Return the multiples of `step` from the top to the bottom of the map, in units."""
        return range(-(-self.top // step) * step, self.top + self.height + 1, step)


def scale_of(layers: Iterable[LayerLayout]) -> Scale:
    """Return the scale for a map of all layers."""
    boxes = [
        (x, y, x + layer.size[0], y + layer.size[1])
        for layer in layers
        for x, y, _ in [layer.position]
    ]
    if not boxes:
        return Scale(0, 0, 1, 1, _MAX_UNIT)
    left, top = (floor(min(box[axis] for box in boxes)) for axis in (0, 1))
    right, bottom = (ceil(max(box[axis] for box in boxes)) for axis in (2, 3))
    width, height = max(right - left, 1), max(bottom - top, 1)
    return Scale(left, top, width, height, pixels_per_unit_for(max(width, height)))


def pixels_per_unit_for(units: int) -> float:
    """Return the pixels per unit for a map whose longer side has that number of units.

    >>> [pixels_per_unit_for(units) for units in (10, 100, 1000, 8000)]
    [56, 19, 2, 0.5]
    """
    if units > _MAX_SIDE:
        return _MAX_SIDE / units
    return min(max(round(_LONG_SIDE / units), 1), _MAX_UNIT)


def step_of(pixels_per_unit: float, pixels: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20… units that are at least `pixels` long.

    >>> step_of(56, 40), step_of(19, 40), step_of(2, 40), step_of(0.5, 40)
    (1, 5, 20, 100)
    """
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power * pixels_per_unit >= pixels:
                return digit * power
        power *= 10


# -- everything below the sprites


def draw_map(layers: tuple[LayerLayout, ...], scale: Scale) -> Image.Image:
    """Return the map of a level, without its sprites."""
    canvas = Image.new("RGBA", scale.size, BACKGROUND)
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
    if layer.geometry is not None:
        colours = layer.geometry.colours
        if layer.visual is not None:
            paler = colours & 0xFFFFFF00 | _TILE_ALPHA
            colours = np.where(colours == 0, colours, paler)
        _add(canvas, Image.fromarray(channels_of(colours)), layer, scale)


def _add(
    canvas: Image.Image,
    image: Image.Image,
    layer: LayerLayout,
    scale: Scale,
    shrink: Image.Resampling = Image.Resampling.NEAREST,
) -> None:
    """Draw an image over the area of its layer. `shrink` is used if it must get smaller."""
    x, y, _ = layer.position
    left, top = scale.x(x), scale.y(y)
    width = max(scale.x(x + layer.size[0]) - left, 1)
    height = max(scale.y(y + layer.size[1]) - top, 1)
    resampling = shrink if width < image.width else Image.Resampling.NEAREST
    canvas.alpha_composite(image.resize((width, height), resampling), (left, top))


def _add_outlines(canvas: Image.Image, layer: LayerLayout, scale: Scale) -> None:
    draw = ImageDraw.Draw(canvas)
    x, y, _ = layer.position
    for tile in layer.tiles:
        left, top = scale.x(x + tile.x), scale.y(y + tile.y)
        right = scale.x(x + tile.x + tile.width) - 1
        bottom = scale.y(y + tile.y + tile.height) - 1
        if min(right - left, bottom - top) >= _MIN_OUTLINED:
            for inset, rgba in _edges(tile.entry.colour, layer, scale):
                box = left + inset, top + inset, right - inset, bottom - inset
                draw.rectangle(box, None, rgba)


def _edges(colour: int, layer: LayerLayout, scale: Scale) -> list[tuple[int, Rgba]]:
    """Return the inset and colour of each line of a rectangle's outline, the outermost first.

    Over a visual, a bright line is added, which is visible on a dark background.
    """
    rgba = rgba_of(colour, 255)
    dark = mixed(rgba, part=0.65)
    if layer.visual is not None:
        return [(0, dark), (1, mixed(rgba, BACKGROUND))]
    is_thick = scale.pixels_per_unit >= _MIN_UNIT_FOR_THICK
    return [(0, dark), (1, dark)] if is_thick else [(0, dark)]


def _add_grid(canvas: Image.Image, scale: Scale) -> None:
    """Draw a line for each unit, or every few units. Lines beside a number are stronger."""
    grid = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(grid)
    step, strong = step_of(scale.pixels_per_unit, 8), step_of(scale.pixels_per_unit, 40)
    for column in scale.columns(step):
        x, rgba = scale.x(column), LINE if column % strong else STRONG
        draw.line((x, 0, x, canvas.height), rgba)
    for row in scale.rows(step):
        y, rgba = scale.y(row), LINE if row % strong else STRONG
        draw.line((0, y, canvas.width, y), rgba)
    canvas.alpha_composite(grid)


# -- sprites


class Marker(NamedTuple):
    """The disc of a sprite in the map."""

    entry: Entry
    x: int  # of its centre, in pixels
    y: int


def markers_of(layers: Iterable[LayerLayout], scale: Scale) -> Iterator[Marker]:
    """Yield a marker for each sprite, layer by layer and row by row."""
    for layer in layers:
        for sprite in layer.sprites:
            x, y, _ = MIDDLE.position(layer, sprite, layer.pixels_per_unit)
            yield Marker(sprite.entry, scale.x(x), scale.y(y))


def radius_of(scale: Scale) -> int:
    """Return the radius of markers in pixels."""
    return min(max(round(scale.pixels_per_unit * 0.3), 3), 10)


def draw_markers(canvas: Image.Image, markers: Iterable[Marker], radius: int) -> None:
    """Draw a disc for each marker in the colour of its sprite."""
    for marker in markers:
        draw_disc(canvas, rgba_of(marker.entry.colour, 255), radius, marker.x, marker.y)


def draw_disc(canvas: Image.Image, rgba: Rgba, radius: int, x: int, y: int) -> None:
    """Draw a disc with its centre at (`x`, `y`), and a ring that is visible on any background."""
    disc = _disc(rgba, radius)
    canvas.paste(disc, (x - disc.width // 2, y - disc.height // 2), disc)


@cache
def _disc(rgba: Rgba, radius: int) -> Image.Image:
    ring = 2 if radius > 4 else 1
    size = 2 * (radius + ring) + 1
    side = size * _OVERSAMPLING
    large = Image.new("RGBA", (side, side), (*BACKGROUND[:3], 0))
    draw = ImageDraw.Draw(large)
    discs = (0, mixed(rgba, part=0.7)), (1, BACKGROUND), (ring, rgba)
    for inset, fill in discs:
        start = inset * _OVERSAMPLING
        end = side - 1 - start
        draw.ellipse((start, start, end, end), fill)
    return large.resize((size, size), Image.Resampling.BOX)
