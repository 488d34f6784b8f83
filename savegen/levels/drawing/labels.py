"""Place labels beside markers without overlap; labels without room are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.drawing.ink import TEXT, ink_of, letters, shade, shortened, width_of
from savegen.levels.drawing.markers import Group, Marker
from savegen.levels.description import Entry

_SIZE = 12  # of letters
_HEIGHT = 18
_PADDING = 5
_WIDEST = 160
_PILL = (255, 255, 255, 225)
_DISTANCES = (4, 14, 28, 46)  # pixels between marker and label, as far as need be
_WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
_FULL = 0.12  # of the map may be labels: more would be all that is seen
_ALWAYS = 60_000  # pixels of labels that any map may have: some fifty

# Left, top, right and bottom in pixels; the last two are outside.
Box = tuple[int, int, int, int]


class Label(NamedTuple):
    """A text and its place."""

    entry: Entry
    text: str
    box: Box
    at: tuple[int, int]  # of the marker that it points to


def name_of(entry: Entry) -> str:
    """Return what an entry is called in pictures: by its `$id`, or as its prefab.

    >>> from savegen.levels.description import Entry
    >>> name_of(Entry(255, "GoblinGuardSerializer", None, {}, ()))
    'GoblinGuard'
    >>> name_of(Entry(255, "GateSerializer", "north gate", {}, ()))
    'north gate'
    """
    return entry.id or prefab_of(entry)


def prefab_of(entry: Entry) -> str:
    """Return the name of an entry's prefab, as games have it."""
    return entry.tag.removesuffix("Serializer")


def labels_of(
    groups: Sequence[Group],
    markers: Iterable[Marker],
    radius: int,
    size: tuple[int, int],
) -> list[Label]:
    """Return the labels that find room in a map of a size in pixels, beside all markers.

    What has a name of its own comes first; then every entry has its turn, its largest group
    first.
    """
    room = _Room(size)
    for marker in markers:
        room.take(_square(marker, radius))
    found = []
    for group in _in_turn(groups):
        if room.is_full:
            break
        if label := _placed(group, radius, room):
            room.take(label.box, counts=True)
            found.append(label)
    return found


def _in_turn(groups: Iterable[Group]) -> list[Group]:
    turns: Counter[int] = Counter()
    ranked = []
    for group in sorted(
        groups, key=lambda group: (-group.size, _scattered(*group.places[0]))
    ):
        turns[group.entry.colour] += 1
        ranked.append((not group.entry.id, turns[group.entry.colour], group))
    return [group for _, _, group in sorted(ranked, key=lambda each: each[:2])]


def _scattered(x: int, y: int) -> int:
    """Return a number that says nothing of a place: labels that end run out everywhere."""
    return (x * 0x9E3779B1 + y * 0x85EBCA77) * 0x27D4EB2F >> 7 & 0xFFFFFF


def _square(marker: Marker, radius: int) -> Box:
    return marker.x - radius, marker.y - radius, marker.x + radius, marker.y + radius


def _placed(group: Group, radius: int, room: _Room) -> Label | None:
    text = _text(group)
    width = width_of(text, _SIZE) + 2 * _PADDING
    for distance in _DISTANCES:
        for at in group.places:
            for box in _beside(at, width, radius + distance):
                if room.is_free(box):
                    return Label(group.entry, text, box, at)
    return None


def _text(group: Group) -> str:
    count = f" x{group.size}" if group.size > 1 else ""
    return shortened(name_of(group.entry), _SIZE, _WIDEST) + count


def _beside(at: tuple[int, int], width: int, distance: int) -> Iterator[Box]:
    """Yield boxes around a place, the ways that are read best first."""
    for right, down in _WAYS:
        # Askew, the nearest corner is as far away as a side would be.
        gap = distance if 0 in (right, down) else round(distance * 0.75)
        x = at[0] + right * gap + (right - 1) * width // 2
        y = at[1] + down * gap + (down - 1) * _HEIGHT // 2
        yield x, y, x + width, y + _HEIGHT


class _Room:
    """Which pixels of a map are taken."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._width, self._height = size
        self._taken: Any = np.zeros((self._height, self._width), bool)
        # Pixels that labels may still take.
        self._left = max(size[0] * size[1] * _FULL, _ALWAYS)

    @property
    def is_full(self) -> bool:
        return self._left <= 0

    def is_free(self, box: Box) -> bool:
        """Tell whether a box lies in the map, and nothing is in it or touches it."""
        left, top, right, bottom = box
        if left < 2 or top < 2 or right > self._width - 2 or bottom > self._height - 2:
            return False
        return not self._taken[top - 2 : bottom + 2, left - 2 : right + 2].any()

    def take(self, box: Box, counts: bool = False) -> None:
        left, top, right, bottom = box
        self._taken[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = True
        if counts:
            self._left -= (right - left) * (bottom - top)


def draw_labels(canvas: Image.Image, labels: Sequence[Label], radius: int) -> None:
    """Draw labels, those apart from their markers with a line to them."""
    sheet = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    for label in labels:
        ink = shade(ink_of(label.entry.colour))
        nearest = _nearest(label.box, label.at)
        if (
            max(abs(nearest[0] - label.at[0]), abs(nearest[1] - label.at[1]))
            > radius + 6
        ):
            draw.line((label.at, nearest), ink, 1)
    for label in labels:
        ink = shade(ink_of(label.entry.colour))
        left, top, right, bottom = label.box
        draw.rounded_rectangle((left, top, right - 1, bottom - 1), 4, _PILL, ink)
        middle = left + _PADDING, top + _HEIGHT // 2
        draw.text(middle, label.text, TEXT, letters(_SIZE), "lm")
    canvas.alpha_composite(sheet)


def _nearest(box: Box, at: tuple[int, int]) -> tuple[int, int]:
    """Return the point of a box that is nearest to a place."""
    left, top, right, bottom = box
    return min(max(at[0], left), right - 1), min(max(at[1], top), bottom - 1)
