"""The prefabs that levels can place: combinations of components, with their arguments.

Each object of a prefab gets one component for each part. For each object that a level places,
level authors can set the parameters of its parts:
`{"$type": "RocketTurretSerializer", "capacity": 8}`.
"""

from __future__ import annotations

from collections import deque
from decimal import Decimal

from savegen import part, prefab

from sample_game import items, landmarks
from sample_game.boss import GoblinChief
from sample_game.camera import CameraArea
from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.items import Chest, Coin, Colour, Item
from sample_game.platforms import CrumblingPlatform, MovingPlatform
from sample_game.player import Player
from sample_game.shapes import Vec2
from sample_game.spawners import Spawner
from sample_game.weapons import MissileTurret, MissileType, PlayerGun, Sentry


@prefab(static=True)
class Stone:
    """Solid ground. It has a place and a size, and no components."""


@prefab(static=True)
class Ledge:
    """Ground that stops only what falls on it; DOWN goes through."""


@prefab(static=True)
class Ladder:
    """A ladder. Its top is a ledge."""


@prefab(static=True)
class Spikes:
    """Spikes hurt at a touch. They cover the lower half of their cells."""


@prefab(max_count=1, position="player.position")
class Hero:
    """The player, with a loaded gun."""

    gun = part(PlayerGun, MissileType.ROCKET, MissileType.BOUNCER)
    player = part(Player, "Pip", gun.component)


@prefab(position="position")
class CaveBat:
    """A bat that flies rounds in its cave."""

    bat = part(Bat, Vec2(), rounds=deque([Vec2(0, 1), Vec2(6, 1)])).set(hp=1)


@prefab(position="position")
class GoblinGuard:
    """A goblin that guards a post."""

    goblin = part(Goblin, Vec2(), name="Grub")


@prefab(max_count=1)
class GoblinKing(GoblinGuard):
    """A chief that commands the goblins it meets."""

    goblin = part(GoblinChief, Vec2()).set(name="Gorkh", bounty=Decimal(50))


@prefab(position="turret.position")
class RocketTurret:
    """A turret that fires rockets at who is in reach."""

    turret = part(MissileTurret, Vec2(), MissileType.ROCKET).set(reach=11.0)


@prefab(was="RocketSentry")
class WatchfulTurret(RocketTurret):
    """A turret that answers each missile in sight with seekers."""

    turret = part(MissileTurret, Vec2(), MissileType.SEEKER).set(capacity=2)
    sentry = part(Sentry, RocketTurret.turret.component).show(turret=None)


@prefab(position="position")
class Gate:
    """A door that opens when its switches are on, or with the key of its colour."""

    door = part(Door, Vec2(), Colour.GREEN)


@prefab(position="position")
class Lever:
    """A switch that opens gates."""

    switch = part(Switch, Vec2())


@prefab(position="position")
class Ferry:
    """A platform that goes to and fro."""

    platform = part(MovingPlatform, Vec2(), Vec2(8, 0), speed=2.0)


@prefab
class Bridge(Ferry):
    """A platform that stays in place until it breaks."""

    platform = part(CrumblingPlatform, Vec2(), speed=0.5)


@prefab(position="position")
class GoldCoin:
    """A coin to take."""

    coin = part(Coin, Vec2(), worth=5)


@prefab(position="position")
class Heart:
    """A heart, which heals."""

    heart = part(items.Heart)


@prefab(position="position")
class Key:
    """A key that opens a gate of its colour."""

    key = part(items.Key)


@prefab(position="position")
class TreasureChest:
    """A chest that opens for a price."""

    chest = part(
        Chest, Vec2(), Item("rocket", 1.5), Item("lamp", fragile=True), price="2.50"
    )


@prefab(position="position")
class Flag:
    """A flag where the player comes back."""

    flag = part(landmarks.Flag)


@prefab(position="position")
class Spring:
    """A spring that throws up who falls on it."""

    spring = part(landmarks.Spring)


@prefab(position="position")
class Sign:
    """A sign with a hint."""

    sign = part(landmarks.Sign)


@prefab(position="position")
class Exit:
    """The way to the next level."""

    exit = part(landmarks.Exit)


@prefab(was="Lookout", position="centre")
class View:
    """An area in which the camera stays."""

    camera = part(CameraArea).set(bounds=Vec2(30, 20))


@prefab(position="spawner.home")
class BatCave:
    """A cave that bats come from, and its light."""

    spawner = part(Spawner, Vec2(1, 0), Vec2(-1, 0)).show(most="bats")
    glow = part(CameraArea).show(
        centre=None, bounds="lit", zoom=None, target=None, trail=None
    )
