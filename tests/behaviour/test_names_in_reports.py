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


PARTS = """
    from __future__ import annotations
    from dataclasses import dataclass, field
    from fractions import Fraction
    from typing import Literal
    from savegen import Saved, saveable

    @dataclass
    class Effect:
        turns: int

    @dataclass
    class Poison(Effect):
        damage: int = 1

    @dataclass
    class Bag:
        best: Effect | None = None

    class Deck(list[int]): ...
    class Words(tuple[int, str]): ...

    @saveable
    class Foe:
        hp: Saved[int] = 1

    @saveable
    class Ally:
        hp: Saved[int] = 1

    @saveable
    class Hero:
        deck: Saved[Deck]
        words: Saved[Words]
        effects: Saved[list[Effect]]
        by_name: Saved[dict[str, list[Effect]]]
        bag: Saved[Bag]
        foes: Saved[list[Foe]]
        kind: Saved[type[Foe] | None] = None
        scores: Saved[dict[str, int]]
        numbers: Saved[tuple[int, ...]] = ()
        share: Saved[Fraction] = Fraction(1)
        __secret: Saved[int] = 1

        def __init__(self) -> None:
            self.deck, self.words, self.effects = Deck(), Words((1, "a")), []
            self.by_name, self.bag, self.foes, self.scores = {}, Bag(), [], {}
"""
EXPECTED = """
from _savegen.registry import REGISTRY
from game import *
from savegen.runtime import SaveError, SaveLoadManager
from savegen.saves import MemoryStore, SaveSlots, encode

for name, value, where, is_, declared in [
    ("deck", Deck([1, 2.5]), "deck[1]", "2.5", "int"),
    ("deck", [1], "deck", "[1]", "Deck"),
    ("words", Words((1, 2)), "words[1]", "2", "str"),
    ("effects", [Effect(1), Poison(1, 2.5)], "effects[1].damage", "2.5", "int"),
    ("effects", [Effect(1), None], "effects[1]", "None", "Effect"),
    ("effects", (Effect(1),), "effects", "(Effect(turns=1),)", "list[Effect]"),
    ("by_name", {"a": (1,)}, "by_name['a']", "(1,)", "list[Effect]"),
    ("bag", Bag(Poison(1, "x")), "bag.best.damage", "'x'", "int"),
    ("bag", Bag(3), "bag.best", "3", "Effect | None"),
    ("foes", [Foe(), Ally()], "foes[1]", "<Ally, reached object #2>", "Foe"),
    ("kind", Ally, "kind", "<class Ally>", "type[Foe] | None"),
    ("scores", {"a": 1, "b": 0.5}, "scores['b']", "0.5", "int"),
    ("numbers", [1], "numbers", "[1]", "tuple[int, ...]"),
    ("share", 0.5, "share", "0.5", "Fraction"),
]:
    hero, manager, slots = Hero(), SaveLoadManager(REGISTRY), SaveSlots(MemoryStore())
    manager.add(hero)
    setattr(hero, name, value)
    what = "the field" if where == name else "this part"
    text = f"`Hero.{where}` of object #1 is {is_}; {what} is declared `{declared}`"
    snapshot = manager.create_snapshot()
    told = [*map(str, slots.save("a", manager).mismatches)]
    told += [*map(str, slots.load("a", SaveLoadManager(REGISTRY)).mismatches)]
    told += [*map(str, manager.apply_snapshot(snapshot).mismatches)]
    try:
        encode(snapshot, strict=True)
    except SaveError as error:
        told.append(str(error))
    assert told == [text] * 4, (text, told)
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert f"`Hero.{where}` holds a" in str(error), (where, error)

hero, manager = Hero(), SaveLoadManager(REGISTRY)
hero._Hero__secret = print
manager.add(hero)
try:
    manager.create_snapshot(strict=True)
except SaveError as error:
    assert str(error).startswith("`Hero.__secret` cannot be saved: a builtin"), error
"""


def test_reports_name_the_part_that_does_not_fit_and_what_is_declared_for_it(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, {"game.py": PARTS})
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    project.script(EXPECTED)
