"""`Placement`: which prefab and which place in a level an object comes from."""

from __future__ import annotations

import msgspec

Tile = tuple[float, float, float, float]
"""The x, y, width and height of a rectangle in a level."""


class Placement(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """The prefab, placement id, level and tile of an object that a prefab or a level created."""

    prefab: int | None = None
    placement: str | None = None  # the placement id
    level: str | None = None
    tile: Tile | None = None  # the rectangle in the level that it was placed for


NO_PLACEMENT = Placement()
