"""`Placement`: which prefab and which place in a level an object comes from."""

from __future__ import annotations

import msgspec


class Placement(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """The prefab, placement id and level of an object that a prefab or a level created."""

    prefab: int | None = None
    placement: str | None = None  # the placement id
    level: str | None = None


NO_PLACEMENT = Placement()
