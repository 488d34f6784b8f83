"""What a level can be furnished with: components put together, each with its arguments.

A part is a component that is built for each object. What its class shows to level authors can
be set for each object that a level places: `{"$type": "RocketTurretSerializer", "capacity": 8}`.
"""

from __future__ import annotations

from collections import deque
from decimal import Decimal

from savegen import part, prefab

from sample_game.camera import CameraArea
from sample_game.doors import Colour, Door, Switch
from sample_game.enemies import Bat, Goblin, GoblinChief
from sample_game.items import Chest, Coin, Item
from sample_game.platforms import CrumblingPlatform, MovingPlatform
from sample_game.player import Player
from sample_game.shapes import Vec2
from sample_game.spawners import Spawner
from sample_game.weapons import MissileTurret, MissileType, PlayerGun, Sentry


@prefab
class Stone:
    """Solid ground: nothing but a place and a size."""


@prefab(max_count=1)
class Hero:
    """The player, with a loaded gun."""

    gun = part(PlayerGun, MissileType.PEBBLE, MissileType.PEBBLE)
    player = part(Player, "Pip", gun.component)


@prefab
class CaveBat:
    """Flies its rounds in its cave."""

    bat = part(Bat, Vec2(), rounds=deque([Vec2(0, 1), Vec2(6, 1)]))


@prefab
class GoblinGuard:
    """Guards a post."""

    goblin = part(Goblin, Vec2(), name="Grub")


@prefab(max_count=1)
class GoblinKing(GoblinGuard):
    """Commands whatever goblins it meets."""

    goblin = part(GoblinChief, Vec2()).set(name="Gorkh", bounty=Decimal(250))


@prefab
class RocketTurret:
    """Fires rockets when it is told to."""

    turret = part(MissileTurret, Vec2(), MissileType.ROCKET)


@prefab(was="RocketSentry")
class WatchfulTurret(RocketTurret):
    """Answers each missile that comes into sight with seekers."""

    turret = part(MissileTurret, Vec2(), MissileType.SEEKER).set(capacity=2)
    sentry = part(Sentry, RocketTurret.turret.component).show(turret=None)


@prefab
class Gate:
    """Opens when its switches are on."""

    door = part(Door, Vec2(), Colour.GREEN)


@prefab
class Lever:
    """Opens gates."""

    switch = part(Switch, Vec2())


@prefab
class Ferry:
    """Goes to and fro."""

    platform = part(MovingPlatform, Vec2(), Vec2(8, 0), speed=2.0)


@prefab
class Bridge(Ferry):
    """Stays where it is, until it breaks."""

    platform = part(CrumblingPlatform, Vec2(), speed=0.5)


@prefab
class GoldCoin:
    """Worth taking."""

    coin = part(Coin, Vec2(), worth=5)


@prefab
class TreasureChest:
    """Holds things until somebody pays."""

    chest = part(
        Chest, Vec2(), Item("rope", 1.5), Item("lamp", fragile=True), price="2.50"
    )


@prefab(was="Lookout")
class View:
    """A part of the level that the camera does not leave."""

    camera = part(CameraArea).set(bounds=Vec2(30, 20))


@prefab
class BatCave:
    """Where the bats come from, and what it is lit by."""

    spawner = part(Spawner, Vec2(1, 0), Vec2(-1, 0)).show(most="bats")
    glow = part(CameraArea).show(
        centre=None, bounds="lit", zoom=None, target=None, trail=None
    )
