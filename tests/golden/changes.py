"""What each version of the sample game has changed, as it shows in the words for an older world.

Nothing here is read from a load: it says again, by hand, what `sample_game/old_saves.py`, `was=` and
defaults are there for.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.golden import version

World = dict[str, str]


def in_0_2(world: World) -> None:
    """There were no prefabs, and no spawners, so older saves have none."""


def in_0_3(world: World) -> None:
    for spawner in _of_class(world, "Spawner"):
        world[f"{spawner}.mark"] = "''"
        world[f"{spawner}.light"] = "Tint #283cc8"


def in_0_4(world: World) -> None:
    """Coins are counted, health goes by halves, volume by the hundred."""
    _replace(world, r"\bShootOnMissile (\d+)", r"Sentry \1")
    for player in _of_class(world, "Player"):
        world[f"{player}.coins"] = "0"
        world[f"{player}.hp"] = repr(float(world[f"{player}.hp"]))
    for progress in _of_class(world, "Progress"):
        world[f"{progress}.explored"] = world.pop(f"{progress}.fog")
    for settings in _of_class(world, "Settings"):
        world[f"{settings}.volume"] = {"0.8": "80"}[world[f"{settings}.volume"]]
        world[f"{settings}.subtitles"] = "True"
        button = world.pop(f"{settings}.gamepad")
        world[f"{settings}.buttons"] = f"{{Action.JUMP: {button}}}"


def in_0_5(world: World) -> None:
    _replace(world, r"\bMood\.PATROL\b", "Mood.GUARD")
    _replace(world, r"(Item\([^()]*)\)", r"\1, fragile=False)")


def in_0_6(world: World) -> None:
    """The world is solid, things have new fields, and boards of switches are gone."""
    for thing in _of_class(world, "GameObject"):
        origin = world[f"{thing}.position"] == "tuple[0.0, 0.0, 0.0]"
        if origin and world[f"{thing}.parent"] == "None":
            _remove(world, thing, *world[f"{thing}.parts"].strip("[]").split(", "))
    _remove(world, *_of_class(world, "SwitchBoard"))
    for gun in _of_class(world, "PlayerGun"):
        del world[f"{gun}.owner"]
        world[f"{gun}.wait"] = {"True": "0", "False": "16"}[world.pop(f"{gun}.ready")]
    for settings in _of_class(world, "Settings"):
        del world[f"{settings}.language"], world[f"{settings}.screenshots"]
        window = world.pop(f"{settings}.window")
        world[f"{settings}.scale"] = {"tuple[1280, 720]": "2"}[window]
    for player in _of_class(world, "Player"):
        world[f"{player}.velocity"] = "Vec2(x=0.0, y=0.0)"
    for name, fields in NEW_IN_0_6.items():
        for thing in _of_class(world, name):
            world |= {f"{thing}.{field}": words for field, words in fields.items()}


ORIGIN = "Vec2(x=0.0, y=0.0)"
MOVES = {"velocity": ORIGIN, "dazed": "0"}
NEW_IN_0_6 = {
    "Player": {
        "flag": "None",
        "home": ORIGIN,
        "held": "Keys.None",
        "grace": "0",
        "early": "0",
        "safe": "0",
        "is_jumping": "False",
        "is_climbing": "False",
    },
    "Missile": {"hostile": "False", "age": "0"},
    "MissileTurret": {"reach": "0.0", "aim": "Vec2(x=-1, y=0)", "wait": "0"},
    "Bat": {**MOVES, "home": ORIGIN, "rest": "0"},
    "Goblin": MOVES,
    "GoblinChief": {**MOVES, "phase": "Phase.WAITS", "pause": "0"},
    "MovingPlatform": {"home": ORIGIN},
    "CrumblingPlatform": {"home": ORIGIN, "wait": "0"},
    "Spawner": {"home": ORIGIN},
    "Progress": {"found": "set[]"},
    "Settings": {"sounds": "True"},
}


CHANGES: dict[str, Callable[[World], None]] = {
    "0.2": in_0_2,
    "0.3": in_0_3,
    "0.4": in_0_4,
    "0.5": in_0_5,
    "0.6": in_0_6,
}


def as_of_today(world: World, release: str) -> World:
    """Return the world of a release as today's game is to have it."""
    today = {**world}
    for later, change in CHANGES.items():
        if version(later) > version(release):
            change(today)
    return today


def _of_class(world: World, name: str) -> list[str]:
    """Return the objects of a class: `["Goblin 1", "Goblin 2"]`."""
    things = dict.fromkeys(line.partition(".")[0] for line in world)
    return [thing for thing in things if thing.rpartition(" ")[0] == name]


def _remove(world: World, *things: str) -> None:
    for line in [*world]:
        if line.partition(".")[0] in things:
            del world[line]


def _replace(world: World, pattern: str, by: str) -> None:
    changed = {re.sub(pattern, by, k): re.sub(pattern, by, v) for k, v in world.items()}
    world.clear()
    world.update(changed)
