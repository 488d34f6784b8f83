"""Missiles, and the weapons that fire them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated
from weakref import ref

from pygame.sprite import Sprite

from savegen import Save, Saved, SaveOverride, saveable
from savegen.runtime import NO_REFERENCES, References, Row

from sample_game._savegen.components.weapons import (
    MissileSaveLoad,
    MissileTurretSaveLoad,
    PlayerGunFields,
    PlayerGunSaveLoad,
    SentrySaveLoad,
)
from sample_game.hud import HUD
from sample_game.shapes import Vec2

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player


class MissileType(Enum):
    """The types of missiles, with their speed."""

    PEBBLE = 4.0
    ROCKET = 9.0
    SEEKER = 6.0
    BOUNCER = 5.0


@saveable
@dataclass(eq=False, slots=True)
class Missile(MissileSaveLoad, Sprite):
    """A missile in flight. There are many, so a slotted dataclass keeps them small."""

    kind: Saved[MissileType]
    position: Saved[Vec2]
    heading: Saved[Vec2] = Vec2(1, 0)
    prey: Saved[Player | Enemy | None] = None
    smoke: Annotated[deque[Vec2], Save(editor=False)] = field(
        default_factory=lambda: deque(maxlen=8)
    )

    def __post_init__(self) -> None:
        Sprite.__init__(self)

    def update(self, seconds: float) -> None:
        """Move; a seeker turns towards its target."""
        self.smoke.append(self.position)
        if self.kind is MissileType.SEEKER and self.prey is not None:
            self.heading = Vec2().towards(self.prey.position - self.position, 1)
        self.position += self.heading * (self.kind.value * seconds)


@saveable(override=True)
class PlayerGun(PlayerGunSaveLoad):
    """The player's gun. The HUD shows its ammunition, so a load must update the HUD.

    An override class has its own `save_data` and `load_data`. They call the generated `save_data_`
    and `load_data_`, which handle the fields that are not marked `SaveOverride`.
    """

    ammo: Annotated[list[MissileType], SaveOverride()]
    ready: Saved[bool] = True
    owner: Annotated[ref[Player] | None, Save(editor=False)] = None

    def __init__(self, *ammo: MissileType) -> None:
        self.ammo = [*ammo]
        self._show()

    def fire(self, position: Vec2, heading: Vec2) -> Missile | None:
        """Fire the next missile, if there is one and the gun has cooled down."""
        if not (self.ready and self.ammo):
            return None
        self.ready = False
        missile = Missile(self.ammo.pop(0), position, heading)
        self._show()
        return missile

    def cool_down(self) -> None:
        self.ready = True

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        data = self.save_data_(references)
        data[PlayerGunFields.AMMO] = [*self.ammo]
        return data

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        self.load_data_(data, references)
        if PlayerGunFields.AMMO in data:
            self.ammo = [*data[PlayerGunFields.AMMO]]
        self._show()

    def _show(self) -> None:
        HUD.clear_ammo()
        for missile in reversed(self.ammo):
            HUD.add_ammo(missile)


@saveable
class MissileTurret(MissileTurretSaveLoad):
    """A turret that fires one type of missile on command."""

    missile_to_launch: Saved[MissileType] = MissileType.PEBBLE
    position: Saved[Vec2] = Vec2()
    capacity: Annotated[int, Save(ge=1, le=64)] = 4
    flying: Annotated[list[Missile], Save(editor=False)]

    def __init__(self, position: Vec2, missile_to_launch: MissileType) -> None:
        self.position = position
        self.missile_to_launch = missile_to_launch
        self.flying = []

    def launch(self, prey: Player | Enemy | Missile) -> Missile | None:
        """Fire at a target, unless too many missiles are in the air."""
        if len(self.flying) >= self.capacity:
            return None
        heading = Vec2().towards(prey.position - self.position, 1)
        missile = Missile(self.missile_to_launch, self.position, heading)
        self.flying.append(missile)
        return missile


@saveable(was="ShootOnMissile")
class Sentry(SentrySaveLoad):
    """Answers each missile with a missile from its turret."""

    turret: Saved[MissileTurret]
    sight: Annotated[float, Save(gt=0)] = 12.0
    # Which missile answered which. An object can be a key of a dict.
    answers: Annotated[dict[Missile, Missile | None], Save(editor=False)]

    def __init__(self, turret: MissileTurret) -> None:
        self.turret = turret
        self.answers = {}

    def notice(self, missile: Missile) -> None:
        """Answer a missile that comes into sight, once."""
        near = (missile.position - self.turret.position).length <= self.sight
        if near and missile not in self.answers:
            self.answers[missile] = self.turret.launch(missile)
