"""What the registry says of older saves: defaults, converters, migrations, and what is gone."""

from __future__ import annotations

import pytest

from tests.cli.games import TABLE

REGISTRY = "game/_savegen/registry.py"
WORDS = ("initial", "converters", "retired", "save_version", "migrations", "imported")
CHANGES = """\
from savegen import migration


@migration(to=1)
def rename_mana(save):
    pass
"""


@pytest.fixture
def versioned(game):
    game.write("pyproject.toml", f"{TABLE}save_version = 1\n")
    game.write("game/changes.py", CHANGES)
    assert game.run("components").code == 0
    return game


def test_a_game_without_older_saves_has_nothing_of_them_in_its_registry(game):
    text = game.read(REGISTRY)
    assert not [word for word in WORDS if word in text]


def test_a_module_that_marks_functions_alone_is_found(versioned):
    text = versioned.read(REGISTRY)
    assert 'migrations=((1, "game.changes:rename_mana"),),' in text
    assert "    save_version=1,\n" in text
    assert not (versioned.folder / "game/_savegen/components/changes.py").exists()


def test_a_change_of_such_a_module_alone_rewrites_the_registry(versioned):
    versioned.replace("game/changes.py", "rename_mana", "rename_magic")
    said = versioned.run("components")
    assert said == (0, f"wrote {REGISTRY}\nwrote 1 file\n", "")
    assert "game.changes:rename_magic" in versioned.read(REGISTRY)
    assert versioned.run("components") == (0, "up to date\n", "")
    assert versioned.run("check").code == 0


def test_the_body_of_a_migration_rewrites_nothing(versioned):
    versioned.replace("game/changes.py", "    pass", "    print(save)")
    assert versioned.run("components") == (0, "up to date\n", "")


def test_a_module_that_is_gone_takes_its_migrations_with_it(versioned):
    versioned.remove("game/changes.py")
    assert versioned.run("components").code == 0
    assert "changes" not in versioned.read(REGISTRY)


def test_a_new_version_in_the_settings_asks_for_its_migration(versioned):
    versioned.write("pyproject.toml", f"{TABLE}save_version = 2\n")
    said = versioned.run("components")
    assert said.code == 1 and "SG323" in said.out


def test_a_converter_follows_its_field_and_not_its_name(versioned):
    text = 'from game.orc import Orc\nfrom savegen import converter\n\n@converter(Orc, "{}")\ndef read(old): ...\n'
    versioned.write("game/reading.py", text.format("hp"))
    assert versioned.run("components").code == 0
    before = versioned.read(REGISTRY)
    assert ': "game.reading:read",' in before
    versioned.replace(
        "game/orc.py", "hp: Saved[int]", 'health: Annotated[int, Save(was="hp")]'
    )
    versioned.replace("game/orc.py", "import Saved", "import Save, Saved")
    versioned.write(
        "game/orc.py", "from typing import Annotated\n" + versioned.read("game/orc.py")
    )
    said = versioned.run("components")
    assert said.code == 1 and "SG325" in said.out
    versioned.write("game/reading.py", text.format("health"))
    assert versioned.run("components").code == 0
    assert by_number(versioned.read(REGISTRY)) == by_number(before)


def by_number(registry: str) -> list[str]:
    """Return the lines that name a function for the number of a field."""
    return [line for line in registry.splitlines() if "game.reading:read" in line]


def test_a_retired_field_is_gone_for_its_class_and_its_heirs(game):
    game.write(
        "game/imp.py",
        "from savegen import Saved, saveable\n"
        "from game.orc import Orc\n"
        "from game._savegen.components.imp import ImpSaveLoad\n\n"
        "@saveable\nclass Imp(ImpSaveLoad, Orc):\n    mp: Saved[int] = 3\n",
    )
    assert game.run("components").code == 0
    assert "retired" not in game.read(REGISTRY)
    game.replace("game/orc.py", "    hp: Saved[int] = 3\n", "    pass\n")
    assert game.run("components").code == 0
    assert "retired" not in game.read(REGISTRY)  # it is only absent
    assert game.run("lock", "retire", "Orc.hp").code == 0
    assert game.run("components").code == 0
    assert game.read(REGISTRY).count("retired=frozenset((") == 2
    ask = (
        "import game.imp; from game._savegen.registry import REGISTRY as r;"
        "print(*(f'{e.mixin.__name__} {len(e.retired)}' for e in r))"
    )
    assert game.python(ask) == "ElfSaveLoad 0 ImpSaveLoad 1 OrcSaveLoad 1\n"
    assert game.run("components") == (0, "up to date\n", "")


def test_a_retired_class_and_a_retired_prefab_are_gone_for_the_game(game):
    game.write(
        "game/camp.py",
        "from savegen import part, prefab\nfrom game.orc import Orc\n\n"
        "@prefab\nclass Camp:\n    orc = part(Orc)\n",
    )
    assert game.run("build").code == 0
    game.remove("game/camp.py")
    game.remove("game/foes/elf.py")
    assert game.run("build").code == 0
    assert "retired" not in game.read(REGISTRY)
    numbers = []
    for name, birth in (("Camp", "game.camp.Camp"), ("Elf", "game.foes.elf.Elf")):
        assert game.run("lock", "retire", name).code == 0
        lines = game.read("savegen.lock").splitlines()
        found = [each.split() for each in lines if f" {birth} " in each]
        numbers += [int(w) for words in found for w in words if w.isdecimal()]
    assert game.run("build").code == 0
    first, second = sorted(numbers)
    assert f"    retired=({first}, {second}),\n" in game.read(REGISTRY)
    assert game.run("build") == (0, "up to date\n", "")


DEFAULTS = """\
from __future__ import annotations
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, NamedTuple
from savegen import Save, Saved, saveable
from game._savegen.components.hero import DataSaveLoad, HeirSaveLoad, HeroSaveLoad
import game.words as words
if TYPE_CHECKING:
    from game.words import Mood

class Place(NamedTuple):
    x: float
    y: float

@saveable
class Hero(HeroSaveLoad):
    BASE = 4
    plain: Saved[int] = 7
    named: Annotated[str, Save(default=words.NAME)]
    mood: Annotated[Mood, Save(default=Mood.CALM)]
    base: Annotated[int, Save(default=BASE)]
    made: Annotated[list[int], Save(default_factory=words.new)]
    none: Annotated[int | None, Save(default=None)]
    text: Annotated[str, Save(default="\\u00fc'\\"\\n")]
    places: Annotated[tuple[Place, ...], Save(default=(Place(1, y=-2),))]
    over: Annotated[int, Save(default=1)] = 2
    __secret: Saved[int]
    never: Saved[int]

    def __init__(self, never):
        self.__secret = 5
        self.never = never
        self.groups: Annotated[defaultdict[str, list[int]], Save()] = defaultdict(list)
        self.price: Annotated[Decimal, Save()] = Decimal("0.10")

@saveable
class Heir(HeirSaveLoad, Hero):
    def __init__(self):
        super().__init__(3)
        self.price = Decimal("9")

@saveable
@dataclass(slots=True)
class Data(DataSaveLoad):
    needed: Saved[int]
    given: Saved[int] = 3
    names: Saved[list[str]] = field(default_factory=list)
"""
ASK = """
import sys
from game._savegen.registry import REGISTRY
assert not [name for name in sys.modules if name.startswith("game.hero")]
import game.hero
for entry in REGISTRY:
    cls, names = entry.load_class(), entry.attributes
    for number, default in sorted(entry.defaults.items(), key=lambda each: names[each[0]]):
        print(cls.__name__, names[number], ascii(default(cls)))
        assert default(cls) == default(cls)
    made = {names[n]: (d(cls), d(cls)) for n, d in entry.defaults.items()}
    assert all(a is not b for n, (a, b) in made.items() if n in ("made", "groups", "names"))
"""
MADE = {
    "base": "4",
    "groups": "defaultdict(<class 'list'>, {})",
    "made": "[1, 2]",
    "mood": "<Mood.CALM: 1>",
    "named": "'Pip'",
    "none": "None",
    "over": "1",
    "places": "(Place(x=1, y=-2),)",
    "plain": "7",
    "price": "Decimal('0.10')",
    "text": "'\\xfc\\'\"\\n'",
    "_Hero__secret": "5",
}


def test_each_default_is_made_anew_as_the_class_declares_it(game):
    game.write(
        "game/words.py",
        "from enum import Enum\nNAME = 'Pip'\ndef new(): return [1, 2]\n"
        "class Mood(Enum):\n    CALM = 1\n",
    )
    game.write("game/hero.py", DEFAULTS)
    said = game.run("components")
    assert said.code == 0, said.out
    heir = MADE | {"price": "Decimal('9')"}
    data = {"given": "3", "names": "[]"}
    wanted = [
        f"{cls} {name} {made[name]}"
        for cls, made in (("Hero", MADE), ("Heir", heir), ("Data", data))
        for name in sorted(made)
    ]
    found = game.python(
        ASK.replace("import game.hero\n", "import game.hero, game.orc, game.foes.elf\n")
    ).splitlines()
    assert sorted(line for line in found if line[:3] not in ("Orc", "Elf")) == sorted(
        wanted
    )
