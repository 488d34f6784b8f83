"""Labels beside sprites: one for each group of equal sprites, without overlap.

Labels without room are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.description import Entry
from savegen.levels.drawing.ink import TEXT, ink_of, mixed, shortened, width_of, write
from savegen.levels.drawing.map import Marker

_SIZE = 12  # of letters
_HEIGHT = 18
_PADDING = 5
_WIDEST = 160
_PILL = (255, 255, 255, 225)
_DISTANCES = (4, 14, 28, 46)  # pixels between marker and label, in order of preference
_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
_COVERED = 0.12  # the part of the map that labels may cover
_LEAST_COVERED = 60_000  # pixels that labels may cover in any map: about fifty labels

Place = tuple[int, int]
# Left, top, right and bottom in pixels; the last two are outside.
Box = tuple[int, int, int, int]


class Group(NamedTuple):
    """Markers of one entry that stand close together: one label is enough."""

    entry: Entry
    places: tuple[Place, ...]  # where the label can point to, the best first
    size: int


class Label(NamedTuple):
    """A text and its place."""

    entry: Entry
    text: str
    box: Box
    at: Place  # of the marker that it points to


# -- groups


def groups_of(markers: Iterable[Marker], reach: int) -> list[Group]:
    """Return groups of markers that are within `reach` pixels of another one of their entry.

    >>> from savegen.levels.description import Entry
    >>> coin = Entry(0xFFD700FF, "CoinSerializer", None, {}, ())
    >>> markers = [Marker(coin, x, 5) for x in (0, 9, 18, 60)]
    >>> [(group.size, group.places[0]) for group in groups_of(markers, 10)]
    [(3, (9, 5)), (1, (60, 5))]
    """
    by_entry: dict[int, list[Marker]] = defaultdict(list)
    for marker in markers:
        by_entry[marker.entry.colour].append(marker)
    return [
        Group(found[0].entry, tuple(_best(places)), len(places))
        for found in by_entry.values()
        for places in _clusters([(each.x, each.y) for each in found], reach)
    ]


def _clusters(places: list[Place], reach: int) -> Iterator[list[Place]]:
    """Yield places in the same or in neighbouring squares of `reach` pixels together."""
    cells: dict[Place, list[Place]] = defaultdict(list)
    for x, y in places:
        cells[x // reach, y // reach].append((x, y))
    while cells:
        start = next(iter(cells))
        pending, cluster = [start], cells.pop(start)
        while pending:
            for cell in _around(*pending.pop()):
                if cell in cells:
                    pending.append(cell)
                    cluster += cells.pop(cell)
        yield cluster


def _around(column: int, row: int) -> list[Place]:
    return [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]


def _best(places: list[Place]) -> list[Place]:
    """Return a few places of a cluster: the middlemost, and those at its ends."""
    x, y = (sum(axis) / len(places) for axis in zip(*places))
    middle = min(places, key=lambda at: (abs(at[0] - x) + abs(at[1] - y), at))
    return list(dict.fromkeys([middle, max(places), min(places)]))


# -- labels


def prefab_of(entry: Entry) -> str:
    """Return the name of an entry's prefab in the game.

    >>> prefab_of(Entry(255, "GoblinGuardSerializer", None, {}, ()))
    'GoblinGuard'
    """
    return entry.tag.removesuffix("Serializer")


def labels_of(
    groups: Sequence[Group], markers: Iterable[Marker], radius: int, size: Place
) -> list[Label]:
    """Return the labels for which a map of `size` pixels has room, beside all markers.

    Groups whose entry has an `$id` come first. Then entries take turns, each with its largest
    groups first.
    """
    room = _Room(size)
    for x, y in (marker[1:] for marker in markers):
        room.take((x - radius, y - radius, x + radius, y + radius))
    found: list[Label] = []
    for group in _in_turn(groups):
        if room.for_labels <= 0:
            break
        if label := _placed(group, radius, room):
            left, top, right, bottom = label.box
            room.take(label.box)
            room.for_labels -= (right - left) * (bottom - top)
            found.append(label)
    return found


def _in_turn(groups: Iterable[Group]) -> list[Group]:
    turns: Counter[int] = Counter()
    ranked = []
    for group in sorted(groups, key=lambda g: (-g.size, _scattered(*g.places[0]))):
        turns[group.entry.colour] += 1
        ranked.append((not group.entry.id, turns[group.entry.colour], group))
    return [group for _, _, group in sorted(ranked, key=lambda each: each[:2])]


def _scattered(x: int, y: int) -> int:
    """Return a hash of a place, so that missing labels are spread over the map."""
    return (x * 0x9E3779B1 + y * 0x85EBCA77) * 0x27D4EB2F >> 7 & 0xFFFFFF


def _placed(group: Group, radius: int, room: _Room) -> Label | None:
    count = f" x{group.size}" if group.size > 1 else ""
    name = group.entry.id or prefab_of(group.entry)
    text = shortened(name, _SIZE, _WIDEST) + count
    width = width_of(text, _SIZE) + 2 * _PADDING
    for distance in _DISTANCES:
        for at in group.places:
            for box in _beside(at, width, radius + distance):
                if room.is_free(box):
                    return Label(group.entry, text, box, at)
    return None


def _beside(at: Place, width: int, distance: int) -> Iterator[Box]:
    """Yield boxes around a place, in the most readable directions first."""
    for right, down in _DIRECTIONS:
        # Diagonally, the nearest corner is as far away as a side would be.
        gap = distance if 0 in (right, down) else round(distance * 0.75)
        x = at[0] + right * gap + (right - 1) * width // 2
        y = at[1] + down * gap + (down - 1) * _HEIGHT // 2
        yield x, y, x + width, y + _HEIGHT


class _Room:
    """The free pixels of a map."""

    def __init__(self, size: Place) -> None:
        self._width, self._height = size
        self._taken: Any = np.zeros((self._height, self._width), bool)
        self.for_labels = max(size[0] * size[1] * _COVERED, _LEAST_COVERED)  # in pixels

    def is_free(self, box: Box) -> bool:
        """Return whether a box is in the map and touches nothing."""
        left, top, right, bottom = box
        if left < 2 or top < 2 or right > self._width - 2 or bottom > self._height - 2:
            return False
        return not self._taken[top - 2 : bottom + 2, left - 2 : right + 2].any()

    def take(self, box: Box) -> None:
        """Mark a box as not free."""
        left, top, right, bottom = (max(side, 0) for side in box)
        self._taken[top:bottom, left:right] = True


def draw_labels(canvas: Image.Image, labels: Sequence[Label], radius: int) -> None:
    """Draw labels, with lines to markers that are not near."""
    sheet = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    inks = [mixed(ink_of(label.entry.colour)) for label in labels]
    for label, ink in zip(labels, inks):
        (x, y), (to_x, to_y) = label.at, _nearest(label.box, label.at)
        if max(abs(to_x - x), abs(to_y - y)) > radius + 6:
            draw.line((x, y, to_x, to_y), ink, 1)
    for label, ink in zip(labels, inks):
        left, top, right, bottom = label.box
        draw.rounded_rectangle((left, top, right - 1, bottom - 1), 4, _PILL, ink)
        write(draw, (left + _PADDING, top + _HEIGHT // 2), label.text, _SIZE, TEXT)
    canvas.alpha_composite(sheet)


def _nearest(box: Box, at: Place) -> Place:
    """Return the point of a box that is nearest to a place."""
    left, top, right, bottom = box
    return min(max(at[0], left), right - 1), min(max(at[1], top), bottom - 1)
