"""The legend of a preview: the meaning and count of each colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from PIL import Image, ImageDraw

from savegen.levels.colours import text_of
from savegen.levels.description import Entry
from savegen.levels.drawing.ink import TEXT, ink_of, mixed, shortened, width_of, write
from savegen.levels.drawing.labels import prefab_of
from savegen.levels.drawing.map import draw_disc
from savegen.levels.layout import Layout

_NAME, _DETAIL = 14, 12  # sizes of letters
_ROW, _HEAD_ROW = 38, 30  # heights in pixels
_TEXT_LEFT = 28  # behind the swatch
_WIDEST = 260
_GAP = 28  # between columns


class Item(NamedTuple):
    """One line of the legend: a heading if it has no entry."""

    title: str
    detail: str = ""
    entry: Entry | None = None
    is_tile: bool = False

    @property
    def height(self) -> int:
        return _ROW if self.entry else _HEAD_ROW

    @property
    def width(self) -> int:
        texts = width_of(self.title, _NAME), width_of(self.detail, _DETAIL)
        return _TEXT_LEFT + min(max(texts), _WIDEST)


Columns = list[list[Item]]


# -- content


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "layer"), counted(1200, "sprite")
    ('1 layer', '1,200 sprites')
    """
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def contents(layout: Layout) -> list[str]:
    """Return how many layers, rectangles and sprites a level has."""
    layers = layout.layers
    return [
        counted(len(layers), "layer"),
        counted(sum(len(layer.tiles) for layer in layers), "rectangle"),
        counted(sum(len(layer.sprites) for layer in layers), "sprite"),
    ]


def items_of(layout: Layout) -> list[Item]:
    """Return the lines of the legend: tiles, then sprites, in the order of `level.lvl`."""
    tiles = [tile for layer in layout.layers for tile in layer.tiles]
    units: Counter[int] = Counter()
    for tile in tiles:
        units[tile.entry.colour] += tile.width * tile.height
    areas = {
        colour: f"{units[colour]:,} units in {counted(count, 'rectangle')}"
        for colour, count in Counter(tile.entry.colour for tile in tiles).items()
    }
    drawn = Counter(each.entry.colour for la in layout.layers for each in la.sprites)
    sprites = {colour: counted(count, "sprite") for colour, count in drawn.items()}
    description = layout.description
    return [
        *_section("TILES", [*description.tiles.values()], areas, True),
        *_section("SPRITES", [*description.sprites.values()], sprites, False),
    ]


def _section(
    title: str, entries: list[Entry], counts: Mapping[int, str], is_tile: bool
) -> Iterator[Item]:
    used = [entry for entry in entries if entry.colour in counts]
    if entries:
        yield Item(title)
    for entry in used:
        detail = f"{text_of(entry.colour)}  {counts[entry.colour]}"
        yield Item(_title(entry, used), detail, entry, is_tile)
    if left := len(entries) - len(used):
        yield Item(f"{left:,} not in use")


def _title(entry: Entry, entries: list[Entry]) -> str:
    name = prefab_of(entry)
    if entry.id:
        return f"{name} “{entry.id}”"
    apart = _differences(entry, entries)
    return f"{name}: {apart}" if apart else name


def _differences(entry: Entry, entries: list[Entry]) -> str:
    """Return the parameters that differ from those of other entries of the same prefab."""
    likes = [each for each in entries if each.tag == entry.tag and each is not entry]
    return ", ".join(
        f"{name} {_plain(value)}"
        for name, value in entry.data.items()
        if not name.startswith("$")
        and any(each.data.get(name) != value for each in likes)
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


def in_columns(items: list[Item], height: int) -> Columns:
    """Return the items in columns of at most `height` pixels; no heading is parted from its items.

    >>> shapes = in_columns([Item("TILES"), Item("SPRITES")], 200)
    >>> [[item.title for item in column] for column in shapes]
    [['TILES', 'SPRITES']]
    """
    columns: Columns = [[]]
    for item, following in zip(items, [*items[1:], None]):
        needed = item.height
        if item.entry is None and following:
            needed += following.height
        if columns[-1] and _height(columns[-1]) + needed > height:
            columns.append([Item("")] if item.entry else [])  # the height of a heading
        columns[-1].append(item)
    return columns


def _height(column: list[Item]) -> int:
    return sum(item.height for item in column)


def _width(column: list[Item]) -> int:
    return max((item.width for item in column), default=0)


def fitting(items: list[Item], width: int) -> Columns:
    """Return the items in the lowest columns that fit into `width` pixels."""
    height = _HEAD_ROW + _ROW
    while size_of(columns := in_columns(items, height))[0] > width and len(columns) > 1:
        height += _HEAD_ROW // 2
    return columns


def size_of(columns: Columns) -> tuple[int, int]:
    """Return width and height of columns in pixels."""
    width = sum(map(_width, columns)) + _GAP * (len(columns) - 1)
    return width, max(map(_height, columns))


def draw_legend(canvas: Image.Image, columns: Columns, left: int, top: int) -> None:
    """Draw columns with their top left corner at a place."""
    for column in columns:
        y = top
        for item in column:
            _draw_item(canvas, item, left, y)
            y += item.height
        left += _width(column) + _GAP


def _draw_item(canvas: Image.Image, item: Item, left: int, top: int) -> None:
    draw = ImageDraw.Draw(canvas)
    if item.entry is None:
        write(draw, (left, top + 12), item.title, _DETAIL)
        return
    ink = ink_of(item.entry.colour, 255)
    if item.is_tile:
        box = (left + 1, top + 4, left + 17, top + 20)
        draw.rectangle(box, ink, mixed(ink))
    else:
        draw_disc(canvas, ink, 7, left + 9, top + 12)
    x = left + _TEXT_LEFT
    write(draw, (x, top + 9), shortened(item.title, _NAME, _WIDEST), _NAME, TEXT)
    write(draw, (x, top + 25), shortened(item.detail, _DETAIL, _WIDEST), _DETAIL)
