"""What a game is told when something cannot be saved or loaded, and what is left untouched."""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.project import Project

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
from savegen.runtime import NO_REFERENCES, References, SaveLoadKey, SlotKey
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


def play(folder: Path, script: str) -> None:
    project = Project(folder, {"game.py": GAME})
    project.components("--quiet", "game.py")
    project.script(HEAD + script)


def test_a_reference_needs_something_that_knows_its_key(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
words = "a reference to a Foe needs something that knows its key; pass it as `references`"
assert hero.save_data()[Hero.SaveLoadFields.FOE_REF] is None
for name, value in (
    ("foe", foe), ("foes", [foe]), ("shadow", weakref.ref(foe)), ("target", foe)
):
    hero = Hero()
    setattr(hero, name, value)
    assert told(hero.save_data) == words
    assert told(hero.save_data, NO_REFERENCES) == words
""",
    )


def test_a_key_needs_something_that_knows_its_component(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
hero.foe = foe
data = hero.save_data(World(foe))
words = told(Hero().load_data, data)
assert words.startswith("SaveLoadKey(object=SlotKey(index=0, generation=1), component=0)")
assert words.endswith("needs something that knows its component; pass it as `references`")
""",
    )


def test_what_the_references_refuse_is_told_as_they_say_it(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
class Picky(World):
    def key_of(self, component):
        raise SaveError("not of this world")

    def get_component(self, key):
        raise SaveError("nobody has this key")

hero.foe = foe
assert told(hero.save_data, Picky(foe)) == "not of this world"
assert told(hero.load_data, hero.save_data(World(foe)), Picky(foe)) == "nobody has this key"
""",
    )


def test_data_of_another_class_is_refused_and_nothing_is_touched(
    tmp_path: Path,
) -> None:
    play(
        tmp_path,
        """
data = foe.save_data()
before = dict(vars(hero))
assert told(hero.load_data, data) == "data of a FOE cannot be loaded into a Hero"
data[0] = 12  # as a file may have it
assert told(hero.load_data, data) == "data of a 12 cannot be loaded into a Hero"
assert vars(hero) == before
del data[0]  # what does not say what it is of, is taken as it is
foe.load_data(data)
""",
    )


def test_plain_numbers_do_for_fields(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
hero.load_data({int(Hero.save_load_field_names["hp"]): 8, 99: "unknown"})
assert hero.hp == 8
assert Hero.save_load_field_names["hp"] is Hero.SaveLoadFields.HP
assert {type(number) for number in hero.save_data()} == {
    Hero.SaveLoadFields, type(next(iter(hero.save_data())))
}
""",
    )


def test_a_wrong_value_of_a_private_field_is_told_under_its_full_name(
    tmp_path: Path,
) -> None:
    play(
        tmp_path,
        """
hero._Hero__secret = "x"
assert told(hero.save_data) == "`Hero._Hero__secret` holds a str, not int"
""",
    )


def test_the_object_is_named_by_its_own_class(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
class Champion(Hero):
    class Inner(Hero):
        pass

inner = Champion.Inner()
inner.foes = [foe, 3]
assert told(inner.save_data) == "`Champion.Inner.foes[1]` holds an int, not saveable object"
""",
    )


def test_subclasses_of_plain_types_would_not_come_back_and_are_refused(
    tmp_path: Path,
) -> None:
    play(
        tmp_path,
        """
class Coins(int):
    pass

class Party(list):
    pass

hero.hp = Coins(3)
assert told(hero.save_data) == "`Hero.hp` holds a Coins, not int"
hero = Hero()
hero.foes = Party([foe])
assert told(hero.save_data) == "`Hero.foes` holds a Party, not list[saveable object]"
""",
    )


def test_a_value_is_looked_at_before_anything_is_saved(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
class Counting(World):
    asked = 0

    def key_of(self, component):
        self.asked += 1
        return super().key_of(component)

world = Counting(foe)
hero.foe, hero.target = foe, "nobody"
assert told(hero.save_data, world) == "`Hero.target` holds a str, not saveable object | int"
assert world.asked == 0
""",
    )


def test_a_record_that_holds_itself_is_told(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
hero.node = Node(None, [])
hero.node.next = Node(hero.node, [])
assert told(hero.save_data) == "`Hero.node` holds itself, or is nested too deep"
""",
    )


def test_records_may_be_nested_deep(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
for number in range(300):
    hero.node = Node(hero.node, [number])
new = Hero()
new.load_data(hero.save_data())
assert difference(new.node, hero.node) is None
""",
    )


def test_numbers_of_thousands_of_digits_are_no_burden(tmp_path: Path) -> None:
    play(
        tmp_path,
        """
hero.table = {10**5000: [10**6000]}
new = Hero()
new.load_data(hero.save_data())
assert new.table == hero.table
hero.table[10**5000] = ["x"]
assert told(hero.save_data) == "`Hero.table[int][0]` holds a str, not int"
""",
    )
