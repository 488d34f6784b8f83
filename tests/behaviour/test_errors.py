"""What a game is told when something cannot be saved or loaded, and what is left untouched."""

from __future__ import annotations

import pytest

from tests.project import Project

GAME = """
from __future__ import annotations
import weakref
from dataclasses import dataclass
from typing import Annotated
from savegen import Save, Saved, saveable
from _savegen.components.game import FoeSaveLoad, HeroSaveLoad

@dataclass
class Node:
    next: Node | None
    items: list[int]

@saveable
class Foe(FoeSaveLoad):
    hp: Saved[int] = 3

@saveable
class Hero(HeroSaveLoad):
    hp: Saved[int] = 1
    foe: Saved[Foe | None] = None
    foes: Saved[list[Foe]]
    shadow: Saved[weakref.ref[Foe] | None] = None
    target: Saved[Foe | int] = 0
    node: Saved[Node | None] = None
    table: Saved[dict[int, list[int]]]

    def __init__(self):
        self.foes, self.table = [], {}
        self.__secret: Annotated[int, Save(editor=False)] = 0
"""

HEAD = """
import weakref
from game import Foe, Hero, Node
from savegen import SaveError
from savegen.runtime import NO_REFERENCES, SaveLoadManager
from _savegen.registry import REGISTRY
from tests.behaviour.driver import World
from tests.oracle import difference

def told(doing, *arguments):
    try:
        doing(*arguments)
    except SaveError as error:
        return str(error)
    raise AssertionError("nothing was told")

foe, hero = Foe(), Hero()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("game"), {"game.py": GAME}).generated(
        "game.py"
    )


def play(project: Project, script: str) -> None:
    project.script(HEAD + script)


def test_a_reference_needs_something_that_knows_its_key(project: Project) -> None:
    play(
        project,
        """
words = "a reference to a Foe cannot be saved without a manager; pass one as `references`"
assert hero.save_data()[Hero.SaveLoadFields.FOE_REF] == 0
for name, value in (
    ("foe", foe), ("foes", [foe]), ("shadow", weakref.ref(foe))
):
    hero = Hero()
    setattr(hero, name, value)
    for found in (told(hero.save_data), told(hero.save_data, NO_REFERENCES)):
        assert found.startswith(f"`Hero.{name}") and found.endswith(words), found
""",
    )


def test_a_key_needs_something_that_knows_its_component(project: Project) -> None:
    play(
        project,
        """
hero.foe = foe
data = hero.save_data(World(foe))
words = told(Hero().load_data, data)
assert words == "the component 1 cannot be found without a manager; pass one as `references`"
""",
    )


def test_what_the_references_refuse_is_told_as_they_say_it(project: Project) -> None:
    play(
        project,
        """
class Picky(World):
    def key_of(self, component):
        raise SaveError("not of this world")

    def get_component(self, key):
        raise SaveError("nobody has this key")

hero.foe = foe
assert told(hero.save_data, Picky(foe)) == "`Hero.foe`: not of this world"
assert told(hero.load_data, hero.save_data(World(foe)), Picky(foe)) == "nobody has this key"
""",
    )


def test_data_of_another_class_is_refused_and_nothing_is_touched(
    project: Project,
) -> None:
    play(
        project,
        """
data = foe.save_data()
before = dict(vars(hero))
for wrong in (data, {}, [1, 2], None):
    found = told(hero.load_data, wrong)
    assert found.endswith(f"{type(wrong).__name__} cannot be loaded into a Hero"), found
assert vars(hero) == before
foe.load_data(data)
""",
    )


def test_plain_numbers_do_for_fields(project: Project) -> None:
    play(
        project,
        """
data, number = hero.save_data(), int(Hero.save_load_field_names["hp"])
data[number] = 8
assert data[number] == data[Hero.SaveLoadFields.HP] == data.hp == 8
hero.load_data(data)
assert hero.hp == 8 and number in data and 99 not in data
assert Hero.save_load_field_names["hp"] is Hero.SaveLoadFields.HP
try:
    data[99]
except KeyError as error:
    assert "`HeroData` has no field number 99" in str(error)
else:
    raise AssertionError
""",
    )


def test_a_wrong_value_of_a_private_field_is_told_under_its_full_name(
    project: Project,
) -> None:
    play(
        project,
        """
hero._Hero__secret = "x"
manager = SaveLoadManager(REGISTRY)
manager.add(hero)
found = told(lambda: manager.create_snapshot(strict=True))
assert found.startswith("`Hero.__secret` holds a str"), found
""",
    )


def test_the_object_is_named_by_its_own_class(project: Project) -> None:
    play(
        project,
        """
class Champion(Hero):
    class Inner(Hero):
        pass

inner = Champion.Inner()
inner.foes = [foe, 3]
inner.foes = (foe,)
found = told(inner.save_data)
assert found.startswith("`Champion.Inner.foes` holds a tuple, which its annotation"), found
""",
    )


def test_subclasses_of_plain_types_would_not_come_back_and_are_refused(
    project: Project,
) -> None:
    play(
        project,
        """
class Coins(int):
    pass

class Party(list):
    pass

manager = SaveLoadManager(REGISTRY)
manager.add(hero)
hero.hp = Coins(3)
found = told(lambda: manager.create_snapshot(strict=True))
assert "`Hero.hp`" in found and "a Coins" in found, found
hero = Hero()
hero.foes = Party([foe])
assert told(hero.save_data).startswith("`Hero.foes` holds a Party, which")
""",
    )


def test_a_record_that_holds_itself_is_told(project: Project) -> None:
    play(
        project,
        """
hero.node = Node(None, [])
hero.node.next = Node(hero.node, [])
manager = SaveLoadManager(REGISTRY)
manager.add(hero)
found = told(lambda: manager.create_snapshot(strict=True))
assert "`Hero.node.next.next`" in found and "contains itself" in found, found
""",
    )


def test_records_may_be_nested_deep(project: Project) -> None:
    play(
        project,
        """
for number in range(300):
    hero.node = Node(hero.node, [number])
new = Hero()
new.load_data(hero.save_data())
assert difference(new.node, hero.node) is None
""",
    )


def test_numbers_of_thousands_of_digits_are_no_burden(project: Project) -> None:
    play(
        project,
        """
hero.table = {10**5000: [10**6000]}
new = Hero()
new.load_data(hero.save_data())
assert new.table == hero.table
hero.table[10**5000] = ("x",)
assert told(hero.save_data).startswith("`Hero.table[int]` holds a tuple, which")
""",
    )
