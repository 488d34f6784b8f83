"""The legend of a preview: for each colour its prefab, and how often it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from PIL import Image, ImageDraw

from savegen.levels.colours import text_of
from savegen.levels.description import Entry
from savegen.levels.drawing.style import (
    TEXT,
    mixed,
    rgba_of,
    shortened,
    width_of,
    write,
)
from savegen.levels.drawing.labels import prefab_of
from savegen.levels.drawing.map import draw_disc
from savegen.levels.plan import LevelLayout

# All lengths are in pixels.
_NAME, _DETAIL = 14, 12  # sizes of letters
_ITEM_HEIGHT, _HEADING_HEIGHT = 38, 30
_TEXT_LEFT = 28  # right of the coloured square or disc
_MAX_TEXT_WIDTH = 260
_GAP = 28  # between columns


class LegendItem(NamedTuple):
    """One item of the legend, which is a heading if it has no entry."""

    title: str
    detail: str = ""
    entry: Entry | None = None
    is_tile: bool = False

    @property
    def height(self) -> int:
        return _ITEM_HEIGHT if self.entry else _HEADING_HEIGHT

    @property
    def width(self) -> int:
        widths = width_of(self.title, _NAME), width_of(self.detail, _DETAIL)
        return _TEXT_LEFT + min(max(widths), _MAX_TEXT_WIDTH)


Columns = list[list[LegendItem]]


# -- content


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "layer"), counted(1200, "sprite")
    ('1 layer', '1,200 sprites')
    """
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def contents(layout: LevelLayout) -> list[str]:
    """Return the numbers of layers, rectangles and sprites of a level, as texts."""
    layers = layout.layers
    return [
        counted(len(layers), "layer"),
        counted(sum(len(layer.tiles) for layer in layers), "rectangle"),
        counted(sum(len(layer.sprites) for layer in layers), "sprite"),
    ]


def items_of(layout: LevelLayout) -> list[LegendItem]:
    """Return the items of the legend: tiles, then sprites, in the order of `level.lvl`."""
    tiles = [tile for layer in layout.layers for tile in layer.tiles]
    units: Counter[int] = Counter()
    for tile in tiles:
        units[tile.entry.colour] += tile.width * tile.height
    areas = {
        colour: f"{units[colour]:,} units in {counted(count, 'rectangle')}"
        for colour, count in Counter(tile.entry.colour for tile in tiles).items()
    }
    drawn = [sprite for layer in layout.layers for sprite in layer.sprites]
    sprites = {
        colour: counted(count, "sprite")
        for colour, count in Counter(sprite.entry.colour for sprite in drawn).items()
    }
    description = layout.description
    return [
        *_section("TILES", [*description.tiles.values()], areas, True),
        *_section("SPRITES", [*description.sprites.values()], sprites, False),
    ]


def _section(
    title: str, entries: list[Entry], counts: Mapping[int, str], is_tile: bool
) -> Iterator[LegendItem]:
    used = [entry for entry in entries if entry.colour in counts]
    if entries:
        yield LegendItem(title)
    for entry in used:
        detail = f"{text_of(entry.colour)}  {counts[entry.colour]}"
        yield LegendItem(_title(entry, used), detail, entry, is_tile)
    if unused := len(entries) - len(used):
        yield LegendItem(f"{unused:,} not in use")


def _title(entry: Entry, entries: list[Entry]) -> str:
    name = prefab_of(entry)
    if entry.id:
        return f"{name} “{entry.id}”"
    differences = _differences(entry, entries)
    return f"{name}: {differences}" if differences else name


def _differences(entry: Entry, entries: list[Entry]) -> str:
    """Return the parameters that differ from those of another entry of the same prefab."""
    others = [other for other in entries if other.type_name == entry.type_name]
    return ", ".join(
        f"{name} {_plain(value)}"
        for name, value in entry.data.items()
        if not name.startswith("$")
        and any(other.data.get(name) != value for other in others)
    )


def _plain(value: object) -> str:
    """Return a short text for a JSON value.

    >>> _plain({"at": [0.0, 1], "open": False})
    '0.0 1 no'
    """
    if isinstance(value, dict):
        return " ".join(map(_plain, value.values()))
    if isinstance(value, list):
        return " ".join(map(_plain, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


# -- columns


def in_columns(items: list[LegendItem], height: int) -> Columns:
    """Return the items in columns of at most `height` pixels. No heading ends a column.

    >>> columns = in_columns([LegendItem("TILES"), LegendItem("SPRITES")], 200)
    >>> [[item.title for item in column] for column in columns]
    [['TILES', 'SPRITES']]
    """
    columns: Columns = [[]]
    for item, following in zip(items, [*items[1:], None]):
        needed = item.height
        if item.entry is None and following:
            needed += following.height
        if columns[-1] and _height(columns[-1]) + needed > height:
            # An empty heading aligns the items with those of the first column.
            columns.append([LegendItem("")] if item.entry else [])
        columns[-1].append(item)
    return columns


def _height(column: list[LegendItem]) -> int:
    return sum(item.height for item in column)


def _width(column: list[LegendItem]) -> int:
    return max((item.width for item in column), default=0)


def fitting(items: list[LegendItem], width: int) -> Columns:
    """Return the items in as many columns as fit into `width` pixels."""
    height = _HEADING_HEIGHT + _ITEM_HEIGHT
    while size_of(columns := in_columns(items, height))[0] > width and len(columns) > 1:
        height += _HEADING_HEIGHT // 2
    return columns


def size_of(columns: Columns) -> tuple[int, int]:
    """Return the width and height of all columns together in pixels."""
    width = sum(map(_width, columns)) + _GAP * (len(columns) - 1)
    return width, max(map(_height, columns))


def draw_legend(canvas: Image.Image, columns: Columns, left: int, top: int) -> None:
    """Draw columns with their top left corner at (`left`, `top`)."""
    for column in columns:
        y = top
        for item in column:
            _draw_item(canvas, item, left, y)
            y += item.height
        left += _width(column) + _GAP


def _draw_item(canvas: Image.Image, item: LegendItem, left: int, top: int) -> None:
    draw = ImageDraw.Draw(canvas)
    if item.entry is None:
        write(draw, (left, top + 12), item.title, _DETAIL)
        return
    rgba = rgba_of(item.entry.colour, 255)
    if item.is_tile:
        box = (left + 1, top + 4, left + 17, top + 20)
        draw.rectangle(box, rgba, mixed(rgba))
    else:
        draw_disc(canvas, rgba, 7, left + 9, top + 12)
    x = left + _TEXT_LEFT
    write(
        draw, (x, top + 9), shortened(item.title, _NAME, _MAX_TEXT_WIDTH), _NAME, TEXT
    )
    write(
        draw, (x, top + 25), shortened(item.detail, _DETAIL, _MAX_TEXT_WIDTH), _DETAIL
    )
