"""Sprites as markers, in groups that share a label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from savegen.levels.drawing.ink import GROUND, Ink, ink_of, shade
from savegen.levels.drawing.view import View
from savegen.levels.places import MIDDLE
from savegen.levels.description import Entry
from savegen.levels.layout import LayerLayout

_FINE = 4  # markers are drawn so much larger first, for round edges


class Marker(NamedTuple):
    """A sprite in the picture."""

    entry: Entry
    x: int  # its middle in the map, in pixels
    y: int


class Group(NamedTuple):
    """Markers of one entry that stand close together: one label is enough."""

    entry: Entry
    places: tuple[tuple[int, int], ...]  # where the label can point to, the best first
    size: int


def markers_of(layers: Iterable[LayerLayout], view: View) -> list[Marker]:
    """Return the sprites of layers, row by row."""
    found = []
    for layer in layers:
        for sprite in layer.sprites:
            x, y, _ = MIDDLE.position(layer, sprite, layer.pixels_per_unit)
            found.append(Marker(sprite.entry, view.x(x), view.y(y)))
    return found


def radius_of(view: View) -> int:
    """Return how large markers are: half of their width in pixels."""
    return min(max(round(view.scale * 0.3), 3), 10)


def draw_markers(canvas: Image.Image, markers: Iterable[Marker], radius: int) -> None:
    """Draw a disc for each sprite in its colour, with a ring that any ground sets off."""
    for marker in markers:
        stamp = disc(ink_of(marker.entry.colour, 255), radius)
        left, top = marker.x - stamp.width // 2, marker.y - stamp.height // 2
        canvas.paste(stamp, (left, top), stamp)  # beyond the edge it is cut


@cache
def disc(ink: Ink, radius: int) -> Image.Image:
    """Return one marker; its middle is that of the image."""
    ring = 2 if radius > 4 else 1
    size = 2 * (radius + ring) + 1
    large = Image.new("RGBA", (size * _FINE, size * _FINE), (*GROUND[:3], 0))
    draw = ImageDraw.Draw(large)
    edges = (0, shade(ink, 0.7)), (_FINE, GROUND), (ring * _FINE, ink)
    for inset, fill in edges:
        draw.ellipse(
            (inset, inset, large.width - 1 - inset, large.height - 1 - inset), fill
        )
    return large.resize((size, size), Image.Resampling.BOX)


def groups_of(markers: Iterable[Marker], reach: int) -> list[Group]:
    """Return markers of one entry that lie, one after the other, within `reach` pixels.

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


_Places = list[tuple[int, int]]


def _clusters(places: _Places, reach: int) -> Iterator[_Places]:
    """Yield places that hang together: those that share a cell of `reach`, or touch one."""
    cells: dict[tuple[int, int], _Places] = defaultdict(list)
    for x, y in places:
        cells[x // reach, y // reach].append((x, y))
    while cells:
        begun = next(iter(cells))
        pending, cluster = [begun], list(cells.pop(begun))
        while pending:
            for cell in _around(*pending.pop()):
                if cell in cells:
                    pending.append(cell)
                    cluster += cells.pop(cell)
        yield cluster


def _around(column: int, row: int) -> list[tuple[int, int]]:
    return [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]


def _best(places: _Places) -> _Places:
    """Return a few places of a cluster: the middlemost, and those at its ends."""
    x, y = (sum(axis) / len(places) for axis in zip(*places))
    middle = min(places, key=lambda at: (abs(at[0] - x) + abs(at[1] - y), at))
    return list(dict.fromkeys([middle, max(places), min(places)]))
