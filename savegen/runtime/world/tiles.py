"""Fits saved tiles to a level whose rectangles were redrawn since the save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.runtime.world.objects import Transform
from savegen.runtime.values.rows import Key
from savegen.runtime.world.placements import Placement, Tile


class ChangedTile(NamedTuple):
    """A tile whose rectangle in the level has changed since the save."""

    key: Key  # its key in the snapshot
    tile_in_save: Tile
    tile_in_level: Tile

    def update(self, transform: Transform) -> None:
        """Move and scale a tile as the level was changed, and keep the game's own changes.

        >>> transform = Transform((3.0, 1.0, 0.0), (5.0, 2.0, 1.0))  # the game moved it by 0.5
        >>> ChangedTile(1, (2.5, 1.0, 5.0, 2.0), (1.5, 1.0, 3.0, 2.0)).update(transform)
        >>> transform.position, transform.scale
        ((2.0, 1.0, 0.0), (3.0, 2.0, 1.0))
        """
        (x, y, z), (x_scale, y_scale, z_scale) = transform.position, transform.scale
        old_x, old_y, old_width, old_height = self.tile_in_save
        new_x, new_y, new_width, new_height = self.tile_in_level
        transform.position = _moved(x, old_x, new_x), _moved(y, old_y, new_y), z
        transform.scale = (
            new_width if x_scale == old_width else x_scale,
            new_height if y_scale == old_height else y_scale,
            z_scale,
        )


def _moved(current: float, old: float, new: float) -> float:
    # The difference of floats is not exact, so a tile that the game did not move is set.
    return new if current == old else current - old + new


def changed_tiles(
    keys: Mapping[Key, Key],
    saved: Mapping[Key, Placement],
    current: Mapping[Key, Placement],
) -> Iterator[ChangedTile]:
    """Yield the tiles whose rectangles differ; `keys` maps keys in the save to current keys."""
    for key, current_key in keys.items():
        if key in saved and current_key in current:
            old, new = saved[key].tile, current[current_key].tile
            if old is not None and new is not None and old != new:
                yield ChangedTile(key, old, new)
