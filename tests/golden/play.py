"""`python -m tests.golden.play FOLDER NAME`: a while of the sample game, and saves of it.

It is run with the game of any version in front of `sys.path`, so it asks little of it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from savegen.runtime import GameObject, SaveLoadable, SaveLoadManager
from savegen.saves import Autosave, SaveSlots
from savegen.saves.slots.info import SaveOptions

from tests.golden import AFTER, GONE, JOURNAL, SAVE, WORLD
from tests.golden.spelling import spelled

TITLE = "The cellar"
LEVEL = "hall"
PICTURE = b"\x89PNG\r\n\x1a\n, or so"
PLACED = ("north", "south")  # the gates of the hall
SOUND = "drip"
BORN = 44  # bats so far: belongs to no object


def hall(manager: SaveLoadManager) -> None:
    """Place what a level of the game has placed in all its versions: two gates."""
    from sample_game.doors import Door
    from sample_game.shapes import Vec2

    for x, side in enumerate(PLACED):
        manager.add(Door(Vec2(x, 0)), placement=f"{side} gate", level=LEVEL)


class Counted:
    """State of the game that belongs to no object."""

    def __init__(self, manager: SaveLoadManager) -> None:
        self.born = 0
        manager.add_state("born", lambda: self.born, self._set)

    def _set(self, born: int) -> None:
        self.born = born


def manager_of() -> SaveLoadManager:
    """Return a manager of the game in front of `sys.path`; the first one had no prefabs."""
    registry = import_module("sample_game._savegen.registry").REGISTRY
    manager = SaveLoadManager(registry, *prefabs())
    if prefabs():
        manager.assets[SOUND] = sound()
    return manager


def prefabs() -> list[Any]:
    """Return the table of prefabs, or nothing in the game that had none."""
    try:
        return [import_module("sample_game._savegen.prefab_info").PREFAB_INFO]
    except ModuleNotFoundError:
        return []


def sound() -> Any:
    return import_module("sample_game.spawners").Sound(PurePath(f"{SOUND}.ogg"))


def cast() -> Any:
    """Return a room full of things: the game of then brought one, today the tests have it."""
    try:
        return import_module("sample_game.scene").Scene()
    except ModuleNotFoundError:
        return import_module("tests.room").Room()


def played() -> tuple[SaveLoadManager, Counted]:
    """Return a world in which much has happened; the same each time."""
    manager, scene = manager_of(), cast()
    counted = Counted(manager)
    hall(manager)
    for thing in [v for v in vars(scene).values() if isinstance(v, SaveLoadable)]:
        manager.add(thing)
    spawned = [
        manager.spawn(info.type) for table in prefabs() for info in table if info.parts
    ]
    scene.spoil()
    _tick(scene)
    if spawned:
        scene.cave.sound = manager.assets[SOUND]
        manager.destroy(spawned[0])  # others keep their places
    _furnish(manager, scene.chest)
    counted.born = BORN
    return manager, counted


def _tick(scene: Any) -> None:
    for moving in (scene.player, scene.grub, scene.bat, scene.ferry, scene.shot):
        moving.position *= 1.25
    scene.camera.follow()


def _furnish(manager: SaveLoadManager, chest: Any) -> None:
    """Hang one thing on another, and destroy what the level had placed."""
    from sample_game.items import Coin

    heap = manager.add(GameObject(position=(31.0, 4.0, 0.0)))
    coins = Coin(chest.position, worth=2), Coin(chest.position, worth=3)
    manager.add(GameObject(*coins, position=(0.0, 1.0, 0.0), parent=heap))
    _, south = (thing for thing in manager.objects if manager.record_of(thing).level)
    manager.destroy(south)


def go_on(manager: SaveLoadManager) -> None:
    """Let something change, come and go: for the journal of an autosave."""
    from sample_game.items import Coin
    from sample_game.player import Player
    from sample_game.weapons import Missile

    player, coin = next(manager.find(Player)), next(manager.find(Coin))
    missile = next(manager.find(Missile))
    player.position *= 0.5
    player.stats.deaths.append(player.position)
    coin.worth = 7
    manager.destroy(missile)
    manager.add(Missile(missile.kind, player.position, prey=player))


def main(target: str, name: str) -> None:
    """Save what was played, and what was played after that; say what it is."""
    folder = Path(target)
    folder.mkdir()
    manager, _ = played()
    slots = SaveSlots(folder, game_version=name)
    about: SaveOptions = {"title": TITLE, "playtime": 61.5, "level": LEVEL}
    with_picture: SaveOptions = {**about, "thumbnail": PICTURE}
    autosave = Autosave(slots, manager)
    autosave.record(**with_picture)
    before = spelled(manager)
    (folder / WORLD).write_text(told(before), encoding="utf-8")
    go_on(manager)
    autosave.record(**about)
    after = spelled(manager)
    new = {what: how for what, how in after.items() if before.get(what) != how}
    gone = dict.fromkeys(before.keys() - after.keys(), GONE)
    (folder / AFTER).write_text(told(new | gone), encoding="utf-8")
    (folder / "auto" / "1.sav").rename(folder / SAVE)
    (folder / "auto" / "1.journal").rename(folder / JOURNAL)


def told(words: dict[str, str]) -> str:
    return "".join(f"{what} = {how}\n" for what, how in words.items())


if __name__ == "__main__":
    main(*sys.argv[1:])
