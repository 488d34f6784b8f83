"""A sample game without a window: it saves and loads a world, and prints what comes back.

Without a level, it takes a quicksave of a room, changes everything in it, and restores it. The
world also has one object of each prefab; some of them are destroyed, and the load builds them
again. With the name of a level, such as `cavern`, it does the same with that level.
"""

from __future__ import annotations

import sys

from savegen.runtime import LevelError, SaveLoadManager

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.arguments import LEVELS, parser
from sample_game.level import enter, furniture
from sample_game.scene import Scene
from sample_game.words import Words

SHOWN = {
    "player": "position hp coins abilities ground inventory stats",
    "gun": "ammo ready owner",
    "hud": "ammo",
    "shot": "position smoke",
    "sentry": "answers",
    "turret": "flying",
    "grub": "hp mood prey grudges",
    "chief": "bounty orders loot",
    "bat": "cave rounds echo",
    "gate": "is_open switches",
    "lever": "is_on history",
    "board": "labels wires last_cut",
    "ferry": "position riders",
    "bridge": "state cracks",
    "camera": "target shaken trail",
    "coin": "taken",
    "cave": "waited made light",
    "chest": "opened contents",
    "progress": "played explored secrets endings hints quests",
    "settings": "keys frame_limit subtitles buttons",
}


def main() -> int:
    """Print what the load restored; return 1 if anything is missing."""
    scene = Scene()
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO, check=True)
    for thing in scene.cast:
        manager.add(thing)
    spawned = [manager.spawn(prefab.type) for prefab in PREFAB_INFO]

    before, quicksave = look(scene), manager.create_snapshot()
    scene.spoil()
    for thing in spawned[::2]:
        manager.destroy(thing)
    changed = look(scene)
    manager.apply_snapshot(quicksave)
    loaded = look(scene)

    print_row("", "before", "changed", "loaded")
    for what in before:
        print_row(what, before[what], changed[what], loaded[what])
    lost = [what for what in before if loaded[what] != before[what]]
    if lost or manager.create_snapshot().digest() != quicksave.digest():
        print(f"\nnot as it was: {', '.join(lost) or 'something that is not shown'}")
        return 1
    print(f"\nall {len(quicksave)} objects are as they were")
    return 0


def visit(name: str) -> int:
    """Destroy every third object of a level, save, start the level again, and load the save."""
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    level = enter(manager, name)
    full = furniture(manager)
    for thing in [*level.objects][::3]:
        manager.destroy(thing)
    left, save = furniture(manager), manager.create_snapshot()
    level.unload()
    enter(manager, name)
    manager.apply_snapshot(save)
    loaded = furniture(manager)

    print_row("", "level", "left", "loaded")
    for what in sorted(full):
        print_row(what, str(full[what]), str(left[what]), str(loaded[what]))
    return 0 if loaded == left else 1


def look(scene: Scene) -> dict[str, str]:
    """Return a description of the world in words."""
    words = Words(vars(scene))
    return {
        f"{who}.{what}": words.of(getattr(getattr(scene, who), what))
        for who, whats in SHOWN.items()
        for what in whats.split()
    }


def print_row(what: str, *cells: str) -> None:
    cut = (cell if len(cell) <= 20 else f"{cell[:18]}.." for cell in cells)
    print(f"{what:21} {'  '.join(f'{cell:20}' for cell in cut)}".rstrip())


if __name__ == "__main__":
    level = parser("python -m sample_game", __doc__, LEVELS).parse_args().level
    try:
        sys.exit(visit(level) if level else main())
    except LevelError as error:
        sys.exit(str(error))
