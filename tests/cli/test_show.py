"""`savegen show`: what is saved, as tables and as a picture."""

from __future__ import annotations

import sys

import pytest

from tests.cli.games import MARKS, TABLE
from tests.cli.prefabricated import prefabricated

ALL = """\
class      number  fields  in levels  place
Elf    1128152417       1          1  game/foes/elf.py:7
Orc     851791107       1          1  game/orc.py:7
"""
UNITS = """\
from __future__ import annotations

from typing import Annotated

from savegen import Activation, Save, Saved, on_activate, saveable


@saveable(was="Thing")
class Unit:
    hp: Annotated[int, Save("health", ge=1, lt=99, was=("life", "hits"))] = 3
    prey: Annotated[Unit | None, Save(editor=False)] = None


@saveable
class Mage(Unit):
    spells: Saved[dict[str, list[tuple[int, ...]]]]

    @on_activate
    def wake(self, reason: Activation) -> None: ...
"""
MAGE = """\
Mage 889448240  game/units.py:15
inherits from Unit
calls wake (on_activate)

field       number  type                              name in levels  limits     was         from
hp      2019892316  int                               health          ≥ 1, < 99  life, hits  Unit
prey    1407762332  Unit | None                       -                                      Unit
spells   166310041  dict[str, list[tuple[int, ...]]]  spells
"""


@pytest.fixture
def units(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/units.py", UNITS)
    return bare


def test_all_classes_are_listed(game):
    assert game.run("show") == (0, ALL, "")


def test_nothing_has_to_be_generated_and_nothing_is(units):
    before = units.files()
    assert units.run("show").code == 0
    assert units.files() == before


def test_the_fields_of_a_class_are_listed_with_those_it_inherits(units):
    said = units.run("show", "Mage")
    assert said == (0, MAGE, "")


@pytest.mark.parametrize("name", ["Mage", "game.units.Mage"])
def test_a_class_may_be_named_in_full(units, name):
    assert units.run("show", name).out.startswith("Mage ")


def test_former_names_of_a_class_are_told(units):
    assert "\nwas Thing\n" in units.run("show", "Unit").out


def test_classes_of_one_name_are_all_shown(units):
    units.marked("game/hill.py", "Mage")
    said = units.run("show", "Mage").out
    assert "  game/hill.py:5\n" in said and "  game/units.py:15\n" in said


def test_an_unknown_class_is_refused_with_near_ones(units):
    error = "error: there is no saveable class or prefab 'mage'; did you mean 'Mage'?\n"
    assert units.run("show", "mage") == (2, "", error)
    error = "error: there is no saveable class or prefab 'Zzz'\n"
    assert units.run("show", "Zzz") == (2, "", error)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_narrow_terminal_gets_facts_below_each_other(units):
    assert units.terminal("show", "Unit", "--no-color", columns=50, CI="1") == (
        "Unit 1428778337  game/units.py:9\nwas Thing\n\n"
        "hp\n  number          2019892316\n  type            int\n"
        "  name in levels  health\n  limits          ≥ 1, < 99\n"
        "  was             life, hits\n"
        "prey\n  number          1407762332\n  type            Unit | None\n"
        "  name in levels  -\n"
    )
    wide = units.terminal("show", "Mage", "--no-color", columns=100, CI="1")
    assert wide == units.run("show", "Mage").out


def test_paths_are_those_from_the_working_folder(game):
    assert " orc.py:7\n" in game.run("show", cwd="game").out


def test_a_game_without_settings_is_found_by_its_lock(bare):
    bare.marked("orc.py", "Orc")
    assert bare.run("show").code == 2
    bare.run("components", "orc.py")
    assert "Orc    1418862855 " in bare.run("show").out
    bare.remove("orc.py")
    error = (
        "error: none of the source files in savegen.lock exists: restore them, or run"
        " `savegen build` with the files of your game\n"
    )
    assert bare.run("show") == (2, "", error)


def test_errors_are_told_instead_of_numbers_that_may_change(units):
    units.append("game/units.py", "    bag: Saved[list]\n")
    said = units.run("show")
    assert said.code == 1 and "error[SG206]" in said.out and "number" not in said.out


def test_a_game_without_marks_has_nothing_to_show(units):
    units.write("game/units.py", "")
    assert units.run("show") == (0, "", "no class is marked `@saveable`\n")


def test_what_levels_cannot_set_is_no_parameter(bare):
    prefabricated(bare)
    bare.replace(
        "game/orc.py", "hp: Saved[int] = 3", "hp: Saved[int]\n    dice: Saved[Random]"
    )
    bare.replace(
        "game/orc.py", "from savegen", "from random import Random\nfrom savegen"
    )
    assert [
        line.split()[3] for line in bare.run("show").out.splitlines() if "Camp" in line
    ] == ["1"]
    shown = bare.run("show", "Camp").out.partition("name in levels")[2]
    assert "hp" in shown and "dice" not in shown


def test_hostile_names_cannot_steer_a_table(bare):
    bare.write("pyproject.toml", TABLE)
    kind = "Saved[__import__('typing').Literal['\\x1b[31m']]"
    bare.write("game/a.py", f"{MARKS}@saveable\nclass A:\n    𝐡𝐩: Saved[int]\n")
    bare.append("game/a.py", f"    mood: {kind}\n")
    assert "\x1b" not in bare.run("show", "A").out


# The diagram


def test_a_diagram_has_a_box_a_class_and_a_line_a_relation(units):
    assert units.run("show", "--graph", "units.mmd") == (0, "wrote units.mmd\n", "")
    lines = units.read("units.mmd").splitlines()
    assert lines[1] == "classDiagram"
    assert lines[2] == '    class c1["Unit"] {'
    assert "        hp int" in lines
    assert {*lines[-2:]} == {"    c1 ..> c1 : prey", "    c2 --|> c1"}


def test_the_same_game_gives_the_same_diagram(units):
    units.run("show", "--graph", "units.mmd")
    again = units.run("show", "--graph", "units.mmd")
    assert again == (0, "up to date\n", "")


def test_a_diagram_of_a_class_has_what_is_next_to_it(units):
    units.marked("game/orc.py", "Orc")
    units.run("show", "Mage", "--graph", "mage.mmd")
    assert "Orc" not in units.read("mage.mmd") and "Unit" in units.read("mage.mmd")
    units.run("show", "Orc", "--graph", "orc.mmd")
    assert units.read("orc.mmd").count("class c") == 1


def test_text_cannot_steer_a_diagram(bare):
    bare.write("pyproject.toml", TABLE)
    kind = "Literal['<b>}\\x1b\"']"
    head = f"from typing import Literal\n{MARKS}"
    bare.write("game/a.py", f"{head}@saveable\nclass A:\n    b: Saved[{kind}]\n")
    assert bare.run("show", "--graph", "a.mmd").code == 0
    (field,) = (
        line for line in bare.read("a.mmd").splitlines() if "        b " in line
    )
    assert "#60;b#62;#125;" in field and "\x1b" not in field


def test_a_diagram_for_a_folder_that_is_not_there_is_refused(units):
    error = "error: nodir/a.mmd: No such file or directory\n"
    assert units.run("show", "--graph", "nodir/a.mmd") == (2, "", error)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("game/units.py", "--graph needs a file name that ends in .mmd, not"),
        (
            "mine.mmd",
            "mine.mmd was not written by savegen; move it, or choose another file",
        ),
    ],
)
def test_no_other_file_is_overwritten(units, path, error):
    units.write("mine.mmd", "classDiagram")
    before = units.files()
    said = units.run("show", "--graph", path)
    assert said.code == 2 and error in said.err and units.files() == before
