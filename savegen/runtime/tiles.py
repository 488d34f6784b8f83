"""Tiles of a level that was redrawn between a save and its load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.runtime.objects import Transform
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Placement, Tile


class Redrawn(NamedTuple):
    """A tile whose rectangle in the level has changed since the save."""

    key: Key  # its key in the snapshot
    then: Tile
    now: Tile

    def fit(self, place: Transform) -> None:
        """Move and scale a tile as the level was changed, and keep the game's own changes.

        >>> place = Transform((3.0, 1.0, 0.0), (5.0, 2.0, 1.0))  # it was moved by 0.5
        >>> Redrawn(1, (2.5, 1.0, 5.0, 2.0), (1.5, 1.0, 3.0, 2.0)).fit(place)
        >>> place.position, place.scale
        ((2.0, 1.0, 0.0), (3.0, 2.0, 1.0))
        """
        (x, y, z), (width, height, depth) = place.position, place.scale
        left, top, wide, high = self.then
        new_left, new_top, new_wide, new_high = self.now
        place.position = _moved(x, left, new_left), _moved(y, top, new_top), z
        place.scale = (
            new_wide if width == wide else width,
            new_high if height == high else height,
            depth,
        )


def _moved(place: float, then: float, now: float) -> float:
    return now if place == then else place - then + now


def redrawn(
    kept: Mapping[Key, Key],
    before: Mapping[Key, Placement],
    today: Mapping[Key, Placement],
) -> Iterator[Redrawn]:
    """Yield the tiles whose rectangles differ; `kept` maps keys in the save to keys today."""
    for key, found in kept.items():
        if key in before and found in today:
            then, now = before[key].tile, today[found].tile
            if then is not None and now is not None and then != now:
                yield Redrawn(key, then, now)
