"""Ground is static, and so are its variants, unless they say otherwise."""

from __future__ import annotations

from _savegen.components.game import BodySaveLoad, GroundSaveLoad
from savegen import Saved, part, prefab, saveable


@saveable
class Ground(GroundSaveLoad):
    friction: Saved[float] = 1.0


@saveable
class Body(BodySaveLoad):
    pos: Saved[tuple[float, float]] = (0.0, 0.0)
    below: Saved[Ground | None] = None


@prefab(static=True)
class Stone:
    """Solid."""


@prefab(static=True, max_count=4)
class Floor:
    ground = part(Ground)


@prefab
class Ice(Floor):
    ground = part(Ground).set(friction=0.1)


@prefab(static=False)
class Boulder(Floor):
    """Rolls, so it is an object."""


@prefab(position="body.pos")
class Crate:
    body = part(Body)


@prefab(static=True)
class Painted(Crate):
    """A picture of a crate."""

    body = part(Body).show(below=None)
