"""Place labels beside sprites: one for each group of neighbouring sprites of one entry.

Labels do not overlap each other or sprites. If there is no free space, a label is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from savegen.levels.description import Entry
from savegen.levels.drawing.style import (
    TEXT,
    mixed,
    rgba_of,
    shortened,
    width_of,
    write,
)
from savegen.levels.drawing.map import Marker

# All lengths are in pixels.
_SIZE = 12  # of letters
_HEIGHT = 18
_PADDING = 5
_MAX_TEXT_WIDTH = 160
_FILL = (255, 255, 255, 225)
_DISTANCES = (4, 14, 28, 46)  # between marker and label, in order of preference
_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
_MAX_COVERED = 0.12  # the part of the map that labels may cover
_ALWAYS_COVERED = 60_000  # pixels that labels may cover in any map: about fifty labels

Point = tuple[int, int]
# Left, top, right and bottom; the pixels at right and bottom are outside.
Box = tuple[int, int, int, int]


class Group(NamedTuple):
    """Neighbouring markers of one entry, which share a label."""

    entry: Entry
    points: tuple[Point, ...]  # markers to which the label can point, the best first
    size: int  # the number of markers


class Label(NamedTuple):
    """The text of a group, and its position in the map."""

    entry: Entry
    text: str
    box: Box
    target: Point  # the marker to which it points


# -- groups


def groups_of(markers: Iterable[Marker], distance: int) -> list[Group]:
    """Return groups of markers with the same entry.

    Markers that are at most `distance` pixels apart are in one group; a little farther apart, they
    can be.

    >>> from savegen.levels.description import Entry
    >>> coin = Entry(0xFFD700FF, "CoinSerializer", None, {}, ())
    >>> markers = [Marker(coin, x, 5) for x in (0, 9, 18, 60)]
    >>> [(group.size, group.points[0]) for group in groups_of(markers, 10)]
    [(3, (9, 5)), (1, (60, 5))]
    """
    by_entry: dict[int, list[Marker]] = defaultdict(list)
    for marker in markers:
        by_entry[marker.entry.colour].append(marker)
    return [
        Group(same[0].entry, tuple(_best(points)), len(points))
        for same in by_entry.values()
        for points in _clusters([(marker.x, marker.y) for marker in same], distance)
    ]


def _clusters(points: list[Point], side: int) -> Iterator[list[Point]]:
    """Divide the map into squares; yield the points in each group of neighbouring squares."""
    cells: dict[Point, list[Point]] = defaultdict(list)
    for x, y in points:
        cells[x // side, y // side].append((x, y))
    while cells:
        start = next(iter(cells))
        pending, cluster = [start], cells.pop(start)
        while pending:
            for cell in _around(*pending.pop()):
                if cell in cells:
                    pending.append(cell)
                    cluster += cells.pop(cell)
        yield cluster


def _around(column: int, row: int) -> list[Point]:
    return [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]


def _best(points: list[Point]) -> list[Point]:
    """Return the point of a cluster that is nearest to its centre, and its ends."""
    x, y = (sum(axis) / len(points) for axis in zip(*points))
    middle = min(points, key=lambda it: (abs(it[0] - x) + abs(it[1] - y), it))
    return list(dict.fromkeys([middle, max(points), min(points)]))


# -- labels


def prefab_of(entry: Entry) -> str:
    """Return the name of an entry's prefab in the game.

    >>> prefab_of(Entry(255, "GoblinGuardSerializer", None, {}, ()))
    'GoblinGuard'
    """
    return entry.type_name.removesuffix("Serializer")


def labels_of(
    groups: Sequence[Group], markers: Iterable[Marker], radius: int, size: Point
) -> list[Label]:
    """Return the labels that fit into a map of `size` pixels without covering markers.

    Groups whose entry has an `$id` come first. Then come the largest group of each entry, the
    second largest of each, and so on.
    """
    space = _FreeSpace(size)
    for _, x, y in markers:
        space.take((x - radius, y - radius, x + radius, y + radius))
    labels: list[Label] = []
    for group in _by_priority(groups):
        if space.for_labels <= 0:
            break
        if label := _label_of(group, radius, space):
            left, top, right, bottom = label.box
            space.take(label.box)
            space.for_labels -= (right - left) * (bottom - top)
            labels.append(label)
    return labels


def _by_priority(groups: Iterable[Group]) -> list[Group]:
    turns: Counter[int] = Counter()
    ranked = []
    for group in sorted(groups, key=lambda it: (-it.size, _hash(*it.points[0]))):
        turns[group.entry.colour] += 1
        ranked.append((not group.entry.id, turns[group.entry.colour], group))
    return [group for _, _, group in sorted(ranked, key=lambda rank: rank[:2])]


def _hash(x: int, y: int) -> int:
    """Return a hash of a point, so that missing labels are spread over the map."""
    return (x * 0x9E3779B1 + y * 0x85EBCA77) * 0x27D4EB2F >> 7 & 0xFFFFFF


def _label_of(group: Group, radius: int, space: _FreeSpace) -> Label | None:
    count = f" x{group.size}" if group.size > 1 else ""
    name = group.entry.id or prefab_of(group.entry)
    text = shortened(name, _SIZE, _MAX_TEXT_WIDTH) + count
    width = width_of(text, _SIZE) + 2 * _PADDING
    for distance in _DISTANCES:
        for point in group.points:
            for box in _boxes_beside(point, width, radius + distance):
                if space.is_free(box):
                    return Label(group.entry, text, box, point)
    return None


def _boxes_beside(point: Point, width: int, distance: int) -> Iterator[Box]:
    """Yield boxes around a point, those in the most readable directions first."""
    for right, down in _DIRECTIONS:
        # The corner of a diagonal box has about the same distance as the side of another one.
        gap = distance if 0 in (right, down) else round(distance * 0.75)
        x = point[0] + right * gap + (right - 1) * width // 2
        y = point[1] + down * gap + (down - 1) * _HEIGHT // 2
        yield x, y, x + width, y + _HEIGHT


class _FreeSpace:
    """The pixels of a map that no marker or label covers."""

    def __init__(self, size: Point) -> None:
        self._width, self._height = size
        self._taken: Any = np.zeros((self._height, self._width), bool)
        # The number of pixels that further labels may cover.
        self.for_labels = max(size[0] * size[1] * _MAX_COVERED, _ALWAYS_COVERED)

    def is_free(self, box: Box) -> bool:
        """Return whether a box is inside the map and two pixels around it are free."""
        left, top, right, bottom = box
        if left < 2 or top < 2 or right > self._width - 2 or bottom > self._height - 2:
            return False
        return not self._taken[top - 2 : bottom + 2, left - 2 : right + 2].any()

    def take(self, box: Box) -> None:
        """Mark the pixels of a box as covered."""
        left, top, right, bottom = (max(side, 0) for side in box)
        self._taken[top:bottom, left:right] = True


def draw_labels(canvas: Image.Image, labels: Sequence[Label], radius: int) -> None:
    """Draw labels, with lines to those markers that are not close to their label."""
    sheet = Image.new("RGBA", canvas.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    colours = [mixed(rgba_of(label.entry.colour)) for label in labels]
    for label, rgba in zip(labels, colours):
        start, end = label.target, _nearest(label.box, label.target)
        if max(abs(end[0] - start[0]), abs(end[1] - start[1])) > radius + 6:
            draw.line((start, end), rgba, 1)
    for label, rgba in zip(labels, colours):
        left, top, right, bottom = label.box
        draw.rounded_rectangle((left, top, right - 1, bottom - 1), 4, _FILL, rgba)
        write(draw, (left + _PADDING, top + _HEIGHT // 2), label.text, _SIZE, TEXT)
    canvas.alpha_composite(sheet)


def _nearest(box: Box, point: Point) -> Point:
    """Return the pixel of a box that is nearest to a point."""
    left, top, right, bottom = box
    return min(max(point[0], left), right - 1), min(max(point[1], top), bottom - 1)
