"""Draw what is below the sprites: visuals, tile rectangles and the grid."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.drawing.ink import (
    GROUND,
    LINE,
    STRONG,
    Ink,
    ink_of,
    shade,
    tint,
)
from savegen.levels.drawing.view import View, step_of
from savegen.levels.images import channels_of
from savegen.levels.layout import LayerLayout

_VEIL = 112  # alpha of tiles that have a visual below
# Pixels of a side; outlines of smaller rectangles would be all there is to see.
_LEAST = 4
_THICK = 24  # pixels of a unit from which on outlines have two pixels


def draw_terrain(layers: tuple[LayerLayout, ...], view: View) -> Image.Image:
    """Return the map of a level with everything but its sprites."""
    canvas = Image.new("RGBA", view.size, GROUND)
    for layer in layers:
        _add_visual(canvas, layer, view)
        if layer.tiles:
            _add_tiles(canvas, layer, view)
    _add_grid(canvas, view)
    for layer in layers:
        _add_outlines(canvas, layer, view)
    return canvas


def _box(layer: LayerLayout, view: View) -> tuple[int, int, int, int]:
    """Return where a layer is in the map: left, top, width, height in pixels."""
    x, y, _ = layer.position
    left, top = view.x(x), view.y(y)
    right, bottom = view.x(x + layer.size[0]), view.y(y + layer.size[1])
    return left, top, max(right - left, 1), max(bottom - top, 1)


def _add_visual(canvas: Image.Image, layer: LayerLayout, view: View) -> None:
    if layer.visual is None:
        return
    left, top, width, height = _box(layer, view)
    image = Image.fromarray(channels_of(layer.visual.colours))
    shrinks = width < image.width
    how = Image.Resampling.BOX if shrinks else Image.Resampling.NEAREST
    canvas.alpha_composite(image.resize((width, height), how), (left, top))


def _add_tiles(canvas: Image.Image, layer: LayerLayout, view: View) -> None:
    assert layer.partition is not None
    fills = [_fill(tile.entry.colour, layer) for tile in layer.tiles]
    colours = np.array([*fills, 0], np.uint32)  # the last is that of -1: empty
    left, top, width, height = _box(layer, view)
    cells = colours[layer.partition.cell_to_rectangle]
    image = Image.fromarray(channels_of(cells))
    canvas.alpha_composite(
        image.resize((width, height), Image.Resampling.NEAREST), (left, top)
    )


def _fill(colour: int, layer: LayerLayout) -> int:
    return colour if layer.visual is None else colour & 0xFFFFFF00 | _VEIL


def _add_outlines(canvas: Image.Image, layer: LayerLayout, view: View) -> None:
    draw = ImageDraw.Draw(canvas)
    x, y, _ = layer.position
    for tile in layer.tiles:
        left, top = view.x(x + tile.x), view.y(y + tile.y)
        right = view.x(x + tile.x + tile.width) - 1
        bottom = view.y(y + tile.y + tile.height) - 1
        if min(right - left, bottom - top) >= _LEAST:
            for inset, ink in _edges(tile.entry.colour, layer, view):
                box = left + inset, top + inset, right - inset, bottom - inset
                draw.rectangle(box, None, ink)


def _edges(colour: int, layer: LayerLayout, view: View) -> list[tuple[int, Ink]]:
    """Return the lines around a rectangle of a colour, the outermost first.

    Over a visual, which may be of any colour, the second one is bright.
    """
    ink = ink_of(colour, 255)
    dark = shade(ink, 0.65)
    if layer.visual is not None:
        return [(0, dark), (1, tint(ink))]
    return [(0, dark), (1, dark)] if view.scale >= _THICK else [(0, dark)]


def _add_grid(canvas: Image.Image, view: View) -> None:
    """Draw a line a unit, or a line every few; each that has a number is a stronger one."""
    grid = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(grid)
    strong = step_of(view.scale, 40)
    for at, is_strong in _marks(view.left, view.width, step_of(view.scale, 8), strong):
        place, ink = view.x(at), STRONG if is_strong else LINE
        draw.line((place, 0, place, canvas.height), ink)
    for at, is_strong in _marks(view.top, view.height, step_of(view.scale, 8), strong):
        place, ink = view.y(at), STRONG if is_strong else LINE
        draw.line((0, place, canvas.width, place), ink)
    canvas.alpha_composite(grid)


def _marks(
    start: int, length: int, step: int, strong: int
) -> Iterator[tuple[int, bool]]:
    for at in range(-(-start // step) * step, start + length + 1, step):
        yield at, at % strong == 0
