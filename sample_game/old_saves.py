"""Converters and migrations for saves of older versions. Loads find and call them.

Renamed classes and fields carry `was=` where they are declared; new fields have defaults.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from savegen import converter, migration
from savegen.runtime import LoadReport
from savegen.saves import RawSave

from sample_game.camera import CameraArea
from sample_game.doors import Switch
from sample_game.items import Chest
from sample_game.physics import Matter
from sample_game.settings import Settings
from sample_game.shapes import Vec2
from sample_game.things import standing
from sample_game.weapons import MissileTurret, PlayerGun

if TYPE_CHECKING:
    from sample_game.world import World


@migration(to=1)
def gamepads_have_buttons(save: RawSave) -> None:
    """The button of a gamepad, which could only jump, is one of several."""
    for settings in save["Settings"]:
        button = settings.pop("gamepad")
        settings["buttons"] = {} if button is None else {"JUMP": button}


@migration(to=2, handles=["Enemy.Mood.PATROL"])
def enemies_on_patrol_are_on_guard(save: RawSave) -> None:
    """Enemies on patrol are on guard."""
    for name in "Bat", "Goblin", "GoblinChief":
        for enemy in save[name]:
            if enemy["mood"] == "PATROL":
                enemy["mood"] = "GUARD"


@migration(to=3)
def the_world_is_solid(save: RawSave) -> None:
    """A second Pip and all else that lay at the origin are gone; the first one is at rest."""
    for thing in [*save["GameObject"]]:
        if not any(thing["position"]) and not thing["parent"]:
            save.remove(thing["$id"])
    for player in save["Player"]:
        player["velocity"] = {"x": 0.0, "y": 0.0}


@converter(Settings, "volume")
def in_percent(volume: float) -> int:
    """The volume, which was a fraction from 0 to 1, is in percent."""
    return round(volume * 100)


@converter(Settings, "scale")
def to_scale(window: tuple[int, int]) -> int:
    """The size of the window, which could be any, is a scale."""
    width, _ = window
    return min(max(1, round(width / 640)), 3)


@converter(PlayerGun, "wait")
def until_ready(ready: bool) -> int:
    """A gun that was not ready waits for some frames."""
    return 0 if ready else PlayerGun.PAUSE


def make_room(world: World) -> None:
    """Bring what an old save had in the air, in rock, or twice to where it can be today."""
    manager = world.manager
    for settings in [*manager.find(Settings)]:  # each slot had its own
        manager.destroy(settings)
    placed = {
        p: manager.record_of(manager.object_of(p)).placement for p in world.players
    }
    heroes, saved = ([p for p in placed if bool(placed[p]) is x] for x in (True, False))
    for hero in heroes if saved else ():
        (pip,) = saved
        pip.position = pip.home = hero.position
        for area in manager.find(CameraArea):
            area.target = pip
        manager.destroy(manager.object_of(hero))
    hovering: list[Chest | MissileTurret | Switch] = [
        *manager.find(Chest),
        *manager.find(MissileTurret),
        *manager.find(Switch),
    ]
    for thing in hovering:
        thing.position = standing(thing.position, thing.SIZE)
    for enemy in world.enemies:
        while rock := world.ground.touched(enemy.area, Matter.ROCK):
            top = rock.area.top - enemy.SIZE.y / 2
            enemy.position = Vec2(enemy.position.x, top)


RENAMED = (
    "Renamed: the fog of Progress is called explored",
    "Renamed: ShootOnMissile is called Sentry",
    "Renamed: the window of Settings is called scale",
    "Renamed: whether the gun was ready is called its wait",
)


def report_lines(report: LoadReport) -> list[str]:
    """Return what became of an old save, one line each, for the player to read."""
    migrations = {
        1: gamepads_have_buttons,
        2: enemies_on_patrol_are_on_guard,
        3: the_world_is_solid,
    }
    steps = [migrations[version] for version in report.migrations]
    changes = [*steps, in_percent, to_scale, until_ready] if steps else []
    news: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(report.defaulted):
        owner, _, field = name.partition(".")
        news[owner].append(field)
    return [
        *(RENAMED if 1 in report.migrations else ()),
        *(f"Converted: {change.__doc__}" for change in changes),
        *(f"New in {owner}: {', '.join(fields)}" for owner, fields in news.items()),
        *(f"Lost: {lost}" for lost in report.lost),
    ]
