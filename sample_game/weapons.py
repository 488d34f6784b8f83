"""Missiles, and the weapons that fire them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from pygame.sprite import Sprite

from savegen import Activation, Save, Saved, SaveOverride, on_activate, saveable
from savegen.runtime import NO_REFERENCES, References, Row

from sample_game._savegen.components.weapons import (
    MissileSaveLoad,
    MissileTurretSaveLoad,
    PlayerGunFields,
    PlayerGunSaveLoad,
    SentrySaveLoad,
)
from sample_game.hud import HUD
from sample_game.physics import SECONDS, Area
from sample_game.shapes import Vec2
from sample_game.things import standing

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player
    from sample_game.world import World


class MissileType(Enum):
    """The types of missiles, with their speed."""

    PEBBLE = 14.0
    ROCKET = 9.0
    SEEKER = 6.0
    BOUNCER = 10.0

    @property
    def damage(self) -> int:
        return 2 if self is MissileType.ROCKET else 1


@saveable
@dataclass(eq=False, slots=True)
class Missile(MissileSaveLoad, Sprite):
    """A missile in flight. There are many, so a slotted dataclass keeps them small."""

    SIZE = Vec2(0.375, 0.25)
    LIFE = 150  # frames

    kind: Saved[MissileType]
    position: Saved[Vec2]
    heading: Saved[Vec2] = Vec2(1, 0)
    prey: Saved[Player | Enemy | None] = None
    hostile: Saved[bool] = False
    age: Annotated[int, Save(editor=False)] = 0
    smoke: Annotated[deque[Vec2], Save(editor=False)] = field(
        default_factory=lambda: deque(maxlen=8)
    )

    def __post_init__(self) -> None:
        Sprite.__init__(self)

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    def update(self, world: World) -> None:
        """Move, until something is in the way; a seeker turns towards its target."""
        self.age += 1
        self.smoke.append(self.position)
        if self.prey is not None and self.prey.hp <= 0:
            self.prey = None
        if self.kind is MissileType.SEEKER and self.prey is not None:
            self.heading = Vec2().towards(self.prey.position - self.position, 1)
        contact = world.move(self, self.heading * (self.kind.value * SECONDS))
        struck = contact.wall or contact.floor or contact.ceiling
        if struck and self.kind is MissileType.BOUNCER:
            across, along = -1 if contact.wall else 1, 1 if contact.wall else -1
            self.heading = Vec2(self.heading.x * across, self.heading.y * along)
            struck = False
        struck = struck or world.is_blocked(self.area)  # fired at a wall right here
        if struck or self.age > self.LIFE or self._hits(world):
            world.tell("hit", self.position)
            self.kill()

    def _hits(self, world: World) -> bool:
        """Hurt who is in the way, and return whether somebody was."""
        area, player = self.area, world.player
        if self.hostile:
            if area.meets(player.area):
                world.hurt(player, self.kind.damage / 2)
                return True
            return False
        for enemy in world.enemies:
            if enemy.hp > 0 and area.meets(enemy.area):
                enemy.hit(player, self.kind.damage)
                return True
        for answer in world.missiles:
            if answer.hostile and area.meets(answer.area):
                answer.age = self.LIFE
                return True
        return world.press_at(area)


@saveable(override=True)
class PlayerGun(PlayerGunSaveLoad):
    """The player's gun. The HUD shows its ammunition, so a load must update the HUD.

    An override class has its own `save_data` and `load_data`. They call the generated `save_data_`
    and `load_data_`, which handle the fields that are not marked `SaveOverride`.
    """

    PAUSE = 16  # frames between two shots

    ammo: Annotated[list[MissileType], SaveOverride()]
    wait: Annotated[int, Save(was="ready", editor=False)] = 0

    def __init__(self, *ammo: MissileType) -> None:
        self.ammo = [*ammo]
        self._show()

    def fire(self, position: Vec2, heading: Vec2) -> Missile | None:
        """Fire the next missile, or a pebble, if the gun has cooled down."""
        if self.wait:
            return None
        self.wait = self.PAUSE
        kind = self.ammo.pop(0) if self.ammo else MissileType.PEBBLE
        self._show()
        return Missile(kind, position, heading)

    def load(self, ammo: Iterable[MissileType]) -> None:
        self.ammo = [*ammo, *self.ammo]
        self._show()

    def cool_down(self) -> None:
        self.wait = max(0, self.wait - 1)

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
    """A turret that aims at the player, and fires one type of missile."""

    SIZE = Vec2(1, 1)
    PAUSE = 100  # frames between two shots

    missile_to_launch: Saved[MissileType] = MissileType.PEBBLE
    position: Saved[Vec2] = Vec2()
    capacity: Annotated[int, Save(ge=1, le=64)] = 4
    reach: Annotated[float, Save(ge=0)] = 0.0
    """How far it sees the player; a turret that sees nobody only obeys."""
    aim: Annotated[Vec2, Save(editor=False)] = Vec2(-1, 0)
    wait: Annotated[int, Save(editor=False)] = 0
    flying: Annotated[list[Missile], Save(editor=False)]

    def __init__(self, position: Vec2, missile_to_launch: MissileType) -> None:
        self.position = position
        self.missile_to_launch = missile_to_launch
        self.flying = []

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    def update(self, world: World) -> None:
        """Aim at the player who is in sight, and fire now and then."""
        self.wait = max(0, self.wait - 1)
        self.flying = [missile for missile in self.flying if missile.alive()]
        player = world.player
        way = player.position - self.position
        if way.length > self.reach or not world.ground.sees(
            self.position, player.position
        ):
            return
        self.aim = Vec2().towards(way, 1)
        if not self.wait:
            self.launch(player, world)

    def launch(
        self, prey: Player | Enemy | Missile, world: World | None = None
    ) -> Missile | None:
        """Fire at a target, unless too many missiles are in the air."""
        if len(self.flying) >= self.capacity:
            return None
        self.wait = self.PAUSE
        self.aim = Vec2().towards(prey.position - self.position, 1)
        missile = Missile(
            self.missile_to_launch, self.position + self.aim, self.aim, hostile=True
        )
        if not isinstance(prey, Missile):
            missile.prey = prey
        self.flying.append(missile)
        if world is not None:
            world.launch(missile)
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

    def update(self, world: World) -> None:
        """Answer the missiles in sight, and forget those that are gone."""
        self.answers = {
            missile: answer if answer and answer.alive() else None
            for missile, answer in self.answers.items()
            if missile.alive()
        }
        for missile in world.missiles.sprites():
            if not missile.hostile:
                self.notice(missile, world)

    def notice(self, missile: Missile, world: World | None = None) -> None:
        """Answer a missile that comes into sight, once."""
        near = (missile.position - self.turret.position).length <= self.sight
        if near and missile not in self.answers:
            self.answers[missile] = self.turret.launch(missile, world)
