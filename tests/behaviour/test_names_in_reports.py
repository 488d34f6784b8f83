"""Reports, errors and changes name a field as the source does, not as its cell in a row is called."""

from __future__ import annotations

from pathlib import Path

from tests.project import Project

GAME = """
    from typing import Any
    from savegen import Saved, saveable

    @saveable
    class Hero:
        _tags: Saved[list[str]]
        __secret: Saved[int] = 3
        class_: Saved[int] = 1
        _friend: Saved["Hero | None"] = None

        def __init__(self, tags: Any = ()) -> None:
            self._tags = [*tags]

        def keep(self, secret: Any) -> None:
            self.__secret = secret
"""

SCRIPT = """
import re
from _savegen.registry import REGISTRY
from game import Hero
from savegen.runtime import SaveError, SaveLoadManager
from savegen.saves import MemoryStore, SaveSlots

NAMES = {"_tags", "__secret", "class_", "_friend", "load_data"}
texts = []

def manager_with(*heroes):
    manager = SaveLoadManager(REGISTRY)
    for hero in heroes:
        manager.add(hero)
    return manager

def spoilt(*values):
    heroes = []
    for value in values:
        heroes += [Hero(), Hero(), Hero()]
        heroes[-3]._tags, heroes[-1].class_ = value, value
        heroes[-2].keep(value)
    return heroes

def tried(step):
    try:
        texts.append(str(step()))
    except SaveError as error:
        texts.append(str(error))

for value in ("x", 2.5, [1], object(), print):
    for hero in spoilt(value):
        manager, slots = manager_with(hero), SaveSlots(MemoryStore())
        tried(lambda: manager.create_snapshot(strict=True))
        tried(lambda: slots.save("slot-1", manager))
        tried(lambda: slots.load("slot-1", manager))
        texts.extend(str(lost) for lost in manager.create_snapshot().lost)
one = Hero()
two = Hero()
two._tags = one._tags
tried(lambda: manager_with(one, two).create_snapshot(strict=True))
unset = Hero()
del unset._tags
tried(lambda: manager_with(unset).create_snapshot(strict=True))
manager = manager_with(Hero())
before = manager.create_snapshot()
hero, = manager.objects
hero._tags, hero.class_ = ["a"], 4
hero.keep(7)
change, = manager.create_snapshot().changes(since=before)
assert change.fields == ("_tags", "__secret", "class_"), change.fields
found = {name for text in texts for name in re.findall(r"Hero\\.(\\w+)", text)}
assert found <= NAMES and found >= {"_tags", "__secret", "class_"}, (found, texts)
"""


def test_reports_name_fields_as_the_source_does(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": GAME})
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    project.script(SCRIPT)
