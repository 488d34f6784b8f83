"""The prefabs that levels can place: combinations of components, with their arguments.

Each object of a prefab gets one component for each part. For each object that a level places,
level authors can set the parameters of its parts:
`{"$type": "RocketTurretSerializer", "capacity": 8}`.
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
    """Solid ground. It has a place and a size, and no components."""


@prefab(max_count=1)
class Hero:
    """The player, with a loaded gun."""

    gun = part(PlayerGun, MissileType.PEBBLE, MissileType.PEBBLE)
    player = part(Player, "Pip", gun.component)


@prefab
class CaveBat:
    """A bat that flies rounds in its cave."""

    bat = part(Bat, Vec2(), rounds=deque([Vec2(0, 1), Vec2(6, 1)]))


@prefab
class GoblinGuard:
    """A goblin that guards a post."""

    goblin = part(Goblin, Vec2(), name="Grub")


@prefab(max_count=1)
class GoblinKing(GoblinGuard):
    """A chief that commands the goblins it meets."""

    goblin = part(GoblinChief, Vec2()).set(name="Gorkh", bounty=Decimal(250))


@prefab
class RocketTurret:
    """A turret that fires rockets on command."""

    turret = part(MissileTurret, Vec2(), MissileType.ROCKET)


@prefab(was="RocketSentry")
class WatchfulTurret(RocketTurret):
    """A turret that answers each missile in sight with seekers."""

    turret = part(MissileTurret, Vec2(), MissileType.SEEKER).set(capacity=2)
    sentry = part(Sentry, RocketTurret.turret.component).show(turret=None)


@prefab
class Gate:
    """A door that opens when its switches are on."""

    door = part(Door, Vec2(), Colour.GREEN)


@prefab
class Lever:
    """A switch that opens gates."""

    switch = part(Switch, Vec2())


@prefab
class Ferry:
    """A platform that goes to and fro."""

    platform = part(MovingPlatform, Vec2(), Vec2(8, 0), speed=2.0)


@prefab
class Bridge(Ferry):
    """A platform that stays in place until it breaks."""

    platform = part(CrumblingPlatform, Vec2(), speed=0.5)


@prefab
class GoldCoin:
    """A coin to take."""

    coin = part(Coin, Vec2(), worth=5)


@prefab
class TreasureChest:
    """A chest that opens for a price."""

    chest = part(
        Chest, Vec2(), Item("rope", 1.5), Item("lamp", fragile=True), price="2.50"
    )


@prefab(was="Lookout")
class View:
    """An area in which the camera stays."""

    camera = part(CameraArea).set(bounds=Vec2(30, 20))


@prefab
class BatCave:
    """A cave that bats come from, and its light."""

    spawner = part(Spawner, Vec2(1, 0), Vec2(-1, 0)).show(most="bats")
    glow = part(CameraArea).show(
        centre=None, bounds="lit", zoom=None, target=None, trail=None
    )
