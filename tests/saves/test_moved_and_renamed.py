"""Old saves of games whose fields and classes were moved and renamed: no value is lost."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.project import Project
from tests.cli.games import Game

SETTINGS = '[tool.savegen]\nsource = "game"\n'
SAVE = """
    from game._savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    from savegen.saves import SaveSlots
    {imports}
    manager = SaveLoadManager(REGISTRY)
    {made}
    SaveSlots("saves").save("{slot}", manager)
"""
LOAD = """
    from game._savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    from savegen.saves import SaveSlots
    manager = SaveLoadManager(REGISTRY)
    report = SaveSlots("saves").load("{slot}", manager)
    for thing in manager.find(object):
        print(type(thing).__name__, {shown})
    print(report.preserved)
"""
HEAD = """\
from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict
from savegen import Save, Saved, saveable
"""


class Versions:
    """One game in one folder, in one version after the other."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder, {"pyproject.toml": SETTINGS})
        (folder / "game").mkdir()
        (folder / "game" / "__init__.py").touch()

    def version(self, **modules: str) -> None:
        for name, text in modules.items():
            path = self.project.folder / "game" / f"{name}.py"
            path.write_text(HEAD + dedent(text))
        self.savegen("wire")
        self.savegen("build")

    def savegen(self, *words: str, code: int = 0) -> str:
        said = Game(self.project.folder).run(*words)
        assert said.code == code, said.out + said.err
        return said.out

    def save(self, slot: str, *made: str, imports: str) -> None:
        lines = "\n    ".join(f"manager.add({each})" for each in made)
        text = SAVE.format(imports=imports, made=lines, slot=slot)
        self.project.script(text)

    def load(self, slot: str, shown: str) -> list[str]:
        """Return what is there after a load, and what was kept aside."""
        told = self.project.script(LOAD.format(slot=slot, shown=shown)).splitlines()
        return [*sorted(told[:-1]), told[-1]]


@pytest.fixture
def game(tmp_path: Path) -> Versions:
    return Versions(tmp_path)


def foes(base: str = "", orc: str = "", elf: str = "") -> str:
    return "".join(
        f"@saveable\nclass {name}{bases}:\n    {body or 'pass'}\n"
        for name, bases, body in (
            ("Foe", "", base),
            ("Orc", "(Foe)", orc),
            ("Elf", "(Foe)", elf),
        )
    )


MADE = "new(Orc, {0}=3)", "new(Elf, {0}=4)"
NEW = """
def new(cls, **values):
    made = cls()
    for name, value in values.items():
        setattr(made, name, value)
    return made
"""


def test_a_field_that_moves_to_a_base_and_back_keeps_its_values(game: Versions) -> None:
    hp = "hp: Saved[int] = 0"
    game.version(foes=foes(orc=hp, elf=hp) + NEW)
    made = [each.format("hp") for each in MADE]
    game.save("below", *made, imports="from game.foes import Orc, Elf, new")
    game.version(foes=foes(base=hp) + NEW)
    game.save("above", *made, imports="from game.foes import Orc, Elf, new")
    assert game.load("below", "thing.hp") == ["Elf 4", "Orc 3", "{}"]
    game.version(foes=foes(orc=hp, elf=hp) + NEW)
    assert game.load("above", "thing.hp") == ["Elf 4", "Orc 3", "{}"]


def test_a_field_that_was_renamed_and_pulled_up_is_found_under_both_numbers(
    game: Versions,
) -> None:
    game.version(foes=foes(orc="hp: Saved[int] = 0") + NEW)
    game.save("first", "new(Orc, hp=3)", imports="from game.foes import Orc, new")
    life = 'life: Annotated[int, Save(was="hp")] = 0'
    game.version(foes=foes(orc=life, elf="life: Saved[int] = 0") + NEW)
    made = [each.format("life") for each in MADE]
    game.save("second", *made, imports="from game.foes import Orc, Elf, new")
    game.version(foes=foes(base="life: Saved[int] = 0") + NEW)
    assert game.load("first", "thing.life") == ["Orc 3", "{}"]
    assert game.load("second", "thing.life") == ["Elf 4", "Orc 3", "{}"]
    game.save("third", *made, imports="from game.foes import Orc, Elf, new")
    assert game.load("third", "thing.life") == ["Elf 4", "Orc 3", "{}"]
    vigor = 'vigor: Annotated[int, Save(was="life")] = 0'
    game.version(foes=foes(base=vigor) + NEW)
    for slot in ("second", "third"):
        assert game.load(slot, "thing.vigor") == ["Elf 4", "Orc 3", "{}"]


def test_a_former_name_that_is_written_late_brings_old_values_back(
    game: Versions,
) -> None:
    game.version(foes=foes(orc="hp: Saved[int] = 0") + NEW)
    game.save("first", "new(Orc, hp=3)", imports="from game.foes import Orc, new")
    game.version(foes=foes(orc="pass") + NEW)
    game.version(foes=foes(orc="life: Saved[float] = 0.0") + NEW)
    game.save("second", "new(Orc, life=4.0)", imports="from game.foes import Orc, new")
    late = 'life: Annotated[float, Save(was="hp")] = 0.0'
    game.version(foes=foes(orc=late) + NEW)
    assert game.load("first", "float(thing.life)") == ["Orc 3.0", "{}"]
    assert game.load("second", "thing.life") == ["Orc 4.0", "{}"]


def test_objects_of_a_class_that_became_abstract_are_preserved(game: Versions) -> None:
    base = "@saveable\nclass Foe{}:\n    hp: Saved[int] = 0\n    {}\n"
    orc = "\n@saveable\nclass Orc(Foe):\n    def act(self): ...\n"
    game.version(foes=base.format("", "def act(self): ...") + orc + NEW)
    game.save("first", "new(Foe, hp=3)", imports="from game.foes import Foe, new")
    abstract = base.format("(ABC)", "@abstractmethod\n    def act(self): ...")
    game.version(foes=f"from abc import ABC, abstractmethod\n{abstract}{orc}{NEW}")
    assert game.load("first", "thing.hp") == ["{'Foe': 1}"]


def test_a_private_field_survives_that_its_class_is_renamed(game: Versions) -> None:
    game.version(foes="@saveable\nclass Orc:\n    __luck: Saved[int] = 0\n" + NEW)
    game.save(
        "first", "new(Orc, _Orc__luck=3)", imports="from game.foes import Orc, new"
    )
    renamed = "@saveable(was='Orc')\nclass Uruk:\n    __luck: Saved[int] = 0\n"
    game.version(foes=renamed + NEW)
    assert game.load("first", "thing._Uruk__luck") == ["Uruk 3", "{}"]


PLAIN = """
@dataclass
class Loot:
    {gold}: {loot} = 0
    note: str = ""

class Place(NamedTuple):
    {x}: {place}
    y: float

class Label(TypedDict):
    {text}: {label}

@saveable
class Chest:
    loot: Saved[Loot]
    places: Saved[list[Place]]
    label: Saved[Label]
"""


def test_a_renamed_field_of_a_plain_class_keeps_its_values(game: Versions) -> None:
    old = dict(gold="gold", x="x", text="text", loot="int", place="float", label="str")
    game.version(items=PLAIN.format(**old) + NEW)
    made = 'loot=Loot(7, "mine"), places=[Place(1.0, 2.0)], label={"text": "old"}'
    names = "from game.items import Chest, Label, Loot, Place, new"
    game.save("first", f"new(Chest, {made})", imports=names)
    new = dict(
        gold="coins",
        x="left",
        text="words",
        loot='Annotated[int, Save(was="gold")]',
        place='Annotated[float, Save(was="x")]',
        label='Annotated[str, Save(was="text")]',
    )
    game.version(items=PLAIN.format(**new) + NEW)
    shown = "thing.loot.coins, thing.loot.note, *thing.places[0], thing.label"
    found = "Chest 7 mine 1.0 2.0 {'words': 'old'}"
    assert game.load("first", shown) == [found, "{}"]
    unmarked = new | dict(loot="int", place="float", label="str")
    game.version(items=PLAIN.format(**unmarked) + NEW)  # the lock remembers
    assert game.load("first", shown) == [found, "{}"]


def test_a_renamed_field_of_a_plain_class_is_asked_about(game: Versions) -> None:
    old = dict(gold="gold", x="x", text="text", loot="int", place="float", label="str")
    game.version(items=PLAIN.format(**old) + NEW)
    path = game.project.folder / "game" / "items.py"
    path.write_text(path.read_text().replace("gold: int", "coins: int"))
    said = game.savegen("build", code=1)
    assert "error[SG301]: field `gold` was removed and `coins`, also `int`" in said
    game.savegen("lock", "retire", "Loot.gold")
    game.savegen("build")


CAMP = "@saveable\nclass Orc:\n    hp: Saved[int] = 0\n" + NEW
MIGRATION = """
from savegen import migration
from savegen.saves import RawSave

@migration(to=1)
def heal(save: RawSave) -> None:
    assert sorted(save) == ["game.cave.Orc", "game.hill.Orc"]
    for row in save["game.hill.Orc"]:
        row["hp"] += 10
"""


def test_two_classes_of_one_name_are_told_apart_by_their_modules(
    game: Versions,
) -> None:
    game.version(hill=CAMP, cave=CAMP)
    made = "hill.new(hill.Orc, hp=1)", "cave.new(cave.Orc, hp=2)"
    game.save(
        "first", *made, imports="import game.hill as hill; import game.cave as cave"
    )
    settings = game.project.folder / "pyproject.toml"
    settings.write_text(f"{SETTINGS}save_version = 1\n")
    game.version(changes=MIGRATION)
    shown = "type(thing).__module__, thing.hp"
    assert game.load("first", shown) == [
        "Orc game.cave 2",
        "Orc game.hill 11",
        "{}",
    ]
    (game.project.folder / "game" / "hill.py").unlink()
    settings.write_text(SETTINGS)
    (game.project.folder / "game" / "changes.py").unlink()
    game.savegen("build")
    assert game.load("first", shown) == ["Orc game.cave 2", "{'game.hill.Orc': 1}"]


def test_a_former_name_in_a_plain_class_that_is_written_late_is_told(
    game: Versions,
) -> None:
    text = """
    @dataclass
    class Stats:
        {}

    @saveable
    class Orc:
        stats: Saved[Stats]
    """
    game.version(orc=text.format("hp: int = 1"))
    game.version(orc=text.format("pass"))
    game.version(orc=text.format("health: float = 1.0"))
    late = text.format('health: Annotated[int, Save(was="hp")] = 1')
    path = game.project.folder / "game" / "orc.py"
    path.write_text(HEAD + dedent(late))
    assert "SG312" in game.savegen("components", code=1)
