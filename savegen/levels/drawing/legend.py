"""The legend of a preview: the meaning and count of each colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image, ImageDraw

from savegen.levels.colours import text_of
from savegen.levels.drawing.ink import (
    FAINT,
    TEXT,
    ink_of,
    letters,
    shade,
    shortened,
    width_of,
)
from savegen.levels.drawing.labels import prefab_of
from savegen.levels.drawing.markers import disc
from savegen.levels.description import Entry
from savegen.levels.layout import Layout

NAME, DETAIL, HEAD = 14, 12, 12  # sizes of letters
ROW = 38
_HEAD_ROW = 30
_TEXT_LEFT = 28  # behind the swatch
_WIDEST = 260
_GAP = 28  # between columns


class Item(NamedTuple):
    """One line of the legend: a head if there is no entry."""

    title: str
    detail: str = ""
    entry: Entry | None = None
    is_tile: bool = False

    @property
    def height(self) -> int:
        return ROW if self.entry else _HEAD_ROW

    @property
    def width(self) -> int:
        texts = width_of(self.title, NAME), width_of(self.detail, DETAIL)
        return _TEXT_LEFT + min(max(texts), _WIDEST)


Columns = list[list[Item]]


def items_of(layout: Layout) -> list[Item]:
    """Return what there is to tell: tiles, then sprites, in the order of `level.lvl`."""
    tiles: Counter[int] = Counter()
    units: Counter[int] = Counter()
    sprites: Counter[int] = Counter()
    for layer in layout.layers:
        sprites.update(sprite.entry.colour for sprite in layer.sprites)
        tiles.update(tile.entry.colour for tile in layer.tiles)
        for tile in layer.tiles:
            units[tile.entry.colour] += tile.width * tile.height
    description = layout.description
    told = {
        colour: f"{units[colour]:,} units in {counted(count, 'rectangle')}"
        for colour, count in tiles.items()
    }
    seen = {colour: counted(count, "sprite") for colour, count in sprites.items()}
    return [
        *_section("TILES", [*description.tiles.values()], told, True),
        *_section("SPRITES", [*description.sprites.values()], seen, False),
    ]


def counted(count: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "layer"), counted(1200, "sprite")
    ('1 layer', '1,200 sprites')
    """
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def contents(layout: Layout) -> list[str]:
    """Return how much there is in a level: layers, rectangles and sprites."""
    layers = layout.layers
    return [
        counted(len(layers), "layer"),
        counted(sum(len(layer.tiles) for layer in layers), "rectangle"),
        counted(sum(len(layer.sprites) for layer in layers), "sprite"),
    ]


def _section(
    title: str, entries: list[Entry], told: dict[int, str], is_tile: bool
) -> Iterator[Item]:
    used = [entry for entry in entries if entry.colour in told]
    if entries:
        yield Item(title)
    for entry in used:
        detail = f"{text_of(entry.colour)}  {told[entry.colour]}"
        yield Item(_title(entry, used), detail, entry, is_tile)
    if left := len(entries) - len(used):
        yield Item(f"{left:,} not in use")


def _title(entry: Entry, entries: list[Entry]) -> str:
    name = prefab_of(entry)
    if entry.id:
        return f"{name} “{entry.id}”"
    apart = _apart(entry, entries)
    return f"{name}: {apart}" if apart else name


def _apart(entry: Entry, entries: list[Entry]) -> str:
    """Return what tells an entry from others of the same prefab."""
    likes = [each for each in entries if each.tag == entry.tag and each is not entry]
    found = [
        f"{name} {_plain(value)}"
        for name, value in entry.data.items()
        if not name.startswith("$")
        and any(each.data.get(name) != value for each in likes)
    ]
    return ", ".join(found)


def _plain(value: object) -> str:
    """Return a value of JSON in few letters.

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


def in_columns(items: list[Item], height: int) -> Columns:
    """Return the items in columns of at most a height; no head stands last in one.

    >>> shapes = in_columns([Item("TILES"), Item("SPRITES")], 200)
    >>> [[item.title for item in column] for column in shapes]
    [['TILES', 'SPRITES']]
    """
    columns: Columns = [[]]
    for at, item in enumerate(items):
        needed = item.height
        if item.entry is None and at + 1 < len(items):
            needed += items[at + 1].height
        if columns[-1] and _height(columns[-1]) + needed > height:
            columns.append([Item("")] if item.entry else [])  # a head's height
        columns[-1].append(item)
    return columns


def _height(column: list[Item]) -> int:
    return sum(item.height for item in column)


def fitting(items: list[Item], width: int) -> Columns:
    """Return the items in columns as low as a width in pixels allows."""
    height = _HEAD_ROW + ROW
    while size_of(columns := in_columns(items, height))[0] > width and len(columns) > 1:
        height += _HEAD_ROW // 2
    return columns


def size_of(columns: Columns) -> tuple[int, int]:
    """Return width and height of columns in pixels."""
    widths = [max((item.width for item in column), default=0) for column in columns]
    return sum(widths) + _GAP * (len(widths) - 1), max(map(_height, columns))


def draw_legend(canvas: Image.Image, columns: Columns, left: int, top: int) -> None:
    """Draw columns with their corner at a place."""
    draw = ImageDraw.Draw(canvas)
    for column in columns:
        y = top
        for item in column:
            _draw_item(canvas, draw, item, left, y)
            y += item.height
        left += max((item.width for item in column), default=0) + _GAP


def _draw_item(
    canvas: Image.Image, draw: ImageDraw.ImageDraw, item: Item, left: int, top: int
) -> None:
    if item.entry is None:
        draw.text((left, top + 12), item.title, FAINT, letters(HEAD), "lm")
        return
    ink = ink_of(item.entry.colour, 255)
    if item.is_tile:
        box = (left + 1, top + 4, left + 17, top + 20)
        draw.rectangle(box, ink, shade(ink))
    else:
        stamp = disc(ink, 7)
        canvas.paste(
            stamp, (left + 9 - stamp.width // 2, top + 12 - stamp.height // 2), stamp
        )
    x = left + _TEXT_LEFT
    draw.text(
        (x, top + 9), shortened(item.title, NAME, _WIDEST), TEXT, letters(NAME), "lm"
    )
    detail = shortened(item.detail, DETAIL, _WIDEST)
    draw.text((x, top + 25), detail, FAINT, letters(DETAIL), "lm")
