"""Draw the preview of a level: its map with labels, on a page with title, numbers and legend.

layout ─map→ tiles and markers ─labels→ map with labels ─legend→ page
"""

from __future__ import annotations

from dataclasses import replace

from PIL import Image, ImageDraw

from savegen.levels.drawing.style import FRAME, PAPER, TEXT, shortened, write
from savegen.levels.drawing.labels import draw_labels, groups_of, labels_of
from savegen.levels.drawing.legend import (
    Columns,
    contents,
    counted,
    draw_legend,
    fitting,
    in_columns,
    items_of,
    size_of,
)
from savegen.levels.drawing.map import (
    Scale,
    draw_map,
    draw_markers,
    markers_of,
    radius_of,
    scale_of,
    step_of,
)
from savegen.levels.plan import LevelLayout

# All lengths are in pixels.
_SHARED_LABEL_DISTANCE = 24  # between sprites of one entry that can share a label
_MARGIN = 28
_TITLE_HEIGHT = 64
_RULER = 34  # for the numbers above and beside the map
_TITLE, _FACTS, _NUMBERS = 24, 13, 11  # sizes of letters
_MIN_LEGEND_HEIGHT = 420  # beside the map
_WIDE = 1.7  # below maps with a larger ratio of width and height is the legend


def draw(layout: LevelLayout, pixels_per_unit: float | None = None) -> Image.Image:
    """Return a picture of a level: outlined rectangles over the visuals, and labelled sprites.

    By default the scale depends on the size of the level. The same level gives the same picture.
    """
    scale = scale_of(layout.layers)
    if pixels_per_unit is not None:
        scale = replace(scale, pixels_per_unit=pixels_per_unit)
    canvas = draw_map(layout.layers, scale)
    radius = radius_of(scale)
    markers = [*markers_of(layout.layers, scale)]
    draw_markers(canvas, markers, radius)
    distance = max(_SHARED_LABEL_DISTANCE, round(scale.pixels_per_unit * 1.2))
    groups = groups_of(markers, distance)
    labels = labels_of(groups, markers, radius, canvas.size)
    draw_labels(canvas, labels, radius)
    return _page(layout, canvas, scale, len(groups) - len(labels))


def _page(
    layout: LevelLayout, map: Image.Image, scale: Scale, unlabelled: int
) -> Image.Image:
    """Return a map on paper, with title, numbers and legend."""
    columns, is_below = _legend(layout, map)
    width, height = size_of(columns)
    left, top = _MARGIN + _RULER, _MARGIN + _TITLE_HEIGHT + _RULER
    right, bottom = left + map.width + _MARGIN, top + map.height + _MARGIN
    size = (
        max(right, left + width + _MARGIN) if is_below else right + width + _MARGIN,
        bottom + height + _MARGIN if is_below else max(bottom, top + height + _MARGIN),
    )
    page = Image.new("RGBA", size, PAPER)
    page.paste(map, (left, top))
    draw = ImageDraw.Draw(page)
    draw.rectangle((left - 1, top - 1, left + map.width, top + map.height), None, FRAME)
    _draw_numbers(draw, scale, left, top)
    _draw_title(draw, layout, page.width - 2 * _MARGIN - _RULER, unlabelled)
    draw_legend(page, columns, *((left, bottom) if is_below else (right, top)))
    return page.convert("RGB")


def _legend(layout: LevelLayout, map: Image.Image) -> tuple[Columns, bool]:
    """Return the columns of the legend, and whether it belongs below the map."""
    items = items_of(layout)
    if map.width > _WIDE * map.height and map.width > _MIN_LEGEND_HEIGHT:
        return fitting(items, map.width), True
    return in_columns(items, max(map.height, _MIN_LEGEND_HEIGHT)), False


def _draw_title(
    draw: ImageDraw.ImageDraw, layout: LevelLayout, width: int, unlabelled: int
) -> None:
    left = _MARGIN + _RULER
    title = shortened(layout.name, _TITLE, width)
    write(draw, (left, _MARGIN + 14), title, _TITLE, TEXT)
    facts = shortened(_facts(layout, unlabelled), _FACTS, width)
    write(draw, (left, _MARGIN + 42), facts, _FACTS)


def _facts(layout: LevelLayout, unlabelled: int) -> str:
    sizes = dict.fromkeys(layer.size for layer in layout.layers)
    facts = [
        ", ".join(f"{width:,} x {height:,} units" for width, height in sizes),
        *contents(layout),
    ]
    if unlabelled:
        facts.append(f"no room for {counted(unlabelled, 'label')}")
    return "  ·  ".join(filter(None, facts))


def _draw_numbers(draw: ImageDraw.ImageDraw, scale: Scale, left: int, top: int) -> None:
    """Write the numbers of units above the map and left of it."""
    step = step_of(scale.pixels_per_unit, 40)
    for column in scale.columns(step):
        x = left + scale.x(column)
        draw.line((x, top - 6, x, top - 2), FRAME)
        write(draw, (x, top - 9), f"{column}", _NUMBERS, anchor="mb")
    for row in scale.rows(step):
        y = top + scale.y(row)
        draw.line((left - 6, y, left - 2, y), FRAME)
        write(draw, (left - 9, y), f"{row}", _NUMBERS, anchor="rm")
