"""A slotted dataclass has no values on the class: what is not set is left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from savegen import Saved, saveable

from _savegen.components.game import BulletSaveLoad, RocketSaveLoad


@saveable
@dataclass(slots=True)
class Bullet(BulletSaveLoad):
    x: Saved[float]
    y: Saved[float] = 0.0
    trail: Saved[list[float]] = field(default_factory=list)
    drawn: bool = False


@saveable
@dataclass(slots=True)
class Rocket(RocketSaveLoad, Bullet):
    target: Saved[Bullet | None] = None
