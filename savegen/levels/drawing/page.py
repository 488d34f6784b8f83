"""The page around a preview: title, coordinates and legend."""

from __future__ import annotations

from PIL import Image, ImageDraw

from savegen.levels.drawing.ink import FAINT, FRAME, PAPER, TEXT, letters, shortened
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
from savegen.levels.drawing.view import View, step_of
from savegen.levels.layout import Layout

_MARGIN = 28
_HEAD = 64  # pixels of the title above the numbers
_RULER = 34  # pixels of the numbers
_TITLE, _FACTS, _NUMBERS = 24, 13, 11  # sizes of letters
_LOW = 420  # pixels that a legend may be high beside the lowest map
_WIDE = 1.7  # a map that is so much wider than high has its legend below


def draw_page(
    layout: Layout, map: Image.Image, view: View, unlabelled: int
) -> Image.Image:
    """Return a map on paper, with all that explains it."""
    columns, is_below = _legend(layout, map)
    width, height = size_of(columns)
    left, top = _MARGIN + _RULER, _MARGIN + _HEAD + _RULER
    right, bottom = left + map.width + _MARGIN, top + map.height + _MARGIN
    size = (
        max(right, left + width + _MARGIN) if is_below else right + width + _MARGIN,
        bottom + height + _MARGIN if is_below else max(bottom, top + height + _MARGIN),
    )
    page = Image.new("RGBA", size, PAPER)
    page.paste(map, (left, top))
    draw = ImageDraw.Draw(page)
    draw.rectangle((left - 1, top - 1, left + map.width, top + map.height), None, FRAME)
    _draw_numbers(draw, view, left, top)
    _draw_title(draw, layout, page.width - 2 * _MARGIN - _RULER, unlabelled)
    draw_legend(page, columns, *((left, bottom) if is_below else (right, top)))
    return page.convert("RGB")


def _legend(layout: Layout, map: Image.Image) -> tuple[Columns, bool]:
    """Return the legend in its shape, and whether it belongs below the map."""
    items = items_of(layout)
    if map.width > _WIDE * map.height and map.width > _LOW:
        return fitting(items, map.width), True
    return in_columns(items, max(map.height, _LOW)), False


def _draw_title(
    draw: ImageDraw.ImageDraw, layout: Layout, width: int, unlabelled: int
) -> None:
    left = _MARGIN + _RULER
    title = shortened(layout.name, _TITLE, width)
    draw.text((left, _MARGIN + 14), title, TEXT, letters(_TITLE), "lm")
    facts = shortened(_facts(layout, unlabelled), _FACTS, width)
    draw.text((left, _MARGIN + 42), facts, FAINT, letters(_FACTS), "lm")


def _facts(layout: Layout, unlabelled: int) -> str:
    sizes = dict.fromkeys(layer.size for layer in layout.layers)
    facts = [
        ", ".join(f"{width:,} x {height:,} units" for width, height in sizes),
        *contents(layout),
    ]
    if unlabelled:
        facts.append(f"no room for {counted(unlabelled, 'label')}")
    return "  ·  ".join(filter(None, facts))


def _draw_numbers(draw: ImageDraw.ImageDraw, view: View, left: int, top: int) -> None:
    """Write the units beside their lines, above the map and left of it."""
    step, font = step_of(view.scale, 40), letters(_NUMBERS)
    for at in range(-(-view.left // step) * step, view.left + view.width + 1, step):
        x = left + view.x(at)
        draw.line((x, top - 6, x, top - 2), FRAME)
        draw.text((x, top - 9), f"{at}", FAINT, font, "mb")
    for at in range(-(-view.top // step) * step, view.top + view.height + 1, step):
        y = top + view.y(at)
        draw.line((left - 6, y, left - 2, y), FRAME)
        draw.text((left - 9, y), f"{at}", FAINT, font, "rm")
