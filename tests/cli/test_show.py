"""`savegen show`: what is saved, as tables and as a picture."""

from __future__ import annotations

import itertools
import math
import random
import re
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterator

import pytest

from tests.cli.games import MARKS, TABLE
from tests.cli.prefabricated import prefabricated

ALL = """\
class      number  fields  shown  place
Elf    1128152417       1      1  game/foes/elf.py:7
Orc     851791107       1      1  game/orc.py:7
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

field       number  type                              shown as  limits     was         from
hp      2019892316  int                               health    ≥ 1, < 99  life, hits  Unit
prey    1407762332  Unit | None                       -                                Unit
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
        "hp\n  number    2019892316\n  type      int\n  shown as  health\n"
        "  limits    ≥ 1, < 99\n  was       life, hits\n"
        "prey\n  number    1407762332\n  type      Unit | None\n  shown as  -\n"
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
    error = "error: no source file that savegen.lock names exists\n"
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
    shown = bare.run("show", "Camp").out.partition("shown as")[2]
    assert "hp" in shown and "dice" not in shown


def test_hostile_names_cannot_steer_a_table(bare):
    bare.write("pyproject.toml", TABLE)
    kind = "Saved[__import__('typing').Literal['\\x1b[31m']]"
    bare.write("game/a.py", f"{MARKS}@saveable\nclass A:\n    𝐡𝐩: Saved[int]\n")
    bare.append("game/a.py", f"    mood: {kind}\n")
    assert "\x1b" not in bare.run("show", "A").out


# The picture


def boxes(svg: str) -> dict[str, tuple[float, float, float, float]]:
    """Return the rectangles of the classes: left, top, right, bottom."""
    found = {}
    for group in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        name, box = str(group[0].text), group[1].attrib
        x, y = float(box["x"]), float(box["y"])
        width, height = float(box["width"]), float(box["height"])
        found[name] = (x, y, x + width, y + height)
    return found


def test_a_picture_has_a_box_a_class_and_a_line_a_relation(units):
    assert units.run("show", "--graph", "units.svg") == (0, "wrote units.svg\n", "")
    svg = units.read("units.svg")
    assert boxes(svg).keys() == {"game.units.Unit", "game.units.Mage"}
    assert svg.count('class="base"') == 1  # Mage to Unit
    assert svg.count('class="refers"') == 1  # Unit to itself
    assert 'hp<tspan class="kind">: int</tspan>' in svg


def test_the_same_game_gives_the_same_picture(units):
    units.run("show", "--graph", "units.svg")
    again = units.run("show", "--graph", "units.svg")
    assert again == (0, "up to date\n", "")


def test_a_picture_of_a_class_has_what_is_next_to_it(units):
    units.marked("game/orc.py", "Orc")
    units.run("show", "Mage", "--graph", "mage.svg")
    assert "Orc" not in units.read("mage.svg") and "Unit" in units.read("mage.svg")
    units.run("show", "Orc", "--graph", "orc.svg")
    assert boxes(units.read("orc.svg")).keys() == {"game.orc.Orc"}


def courses(svg: str) -> list[list[tuple[float, float]]]:
    """Return the lines, each as points close to each other."""
    found = []
    for path in xml.fromstring(svg).findall("{http://www.w3.org/2000/svg}path"):
        points: list[tuple[float, float]] = []
        for letter, words in re.findall(r"([A-Z])([^A-Z]*)", path.attrib["d"]):
            numbers = [float(word) for word in words.split()]
            stops = list(zip(numbers[::2], numbers[1::2], strict=True))
            points += stops if letter == "M" else along([points[-1], *stops])
        found.append(points)
    return found


def along(stops: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield points of a straight line, or of a Bézier curve of third degree."""
    degree = len(stops) - 1
    assert degree in (1, 3)
    for step in range(1, 101):
        t = step / 100
        weights = [
            math.comb(degree, i) * t**i * (1 - t) ** (degree - i)
            for i in range(degree + 1)
        ]
        yield (
            sum(w * x for w, (x, _) in zip(weights, stops, strict=True)),
            sum(w * y for w, (_, y) in zip(weights, stops, strict=True)),
        )


def assert_readable(svg: str) -> None:
    """Every line is inside the picture, and outside of every box."""
    root, places = xml.fromstring(svg), boxes(svg).values()
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    for x, y in itertools.chain(*courses(svg)):
        assert 0 < x < wide and 0 < y < high
        for left, top, right, bottom in places:
            assert not (left + 1 < x < right - 1 and top + 1 < y < bottom - 1)


def web(bare, count: int, relations: int) -> None:
    """Write a game of classes that refer to each other without order."""
    bare.write("pyproject.toml", TABLE)
    dice = random.Random(count)
    text = f"from __future__ import annotations\n{MARKS}"
    for number in range(count):
        text += f"@saveable\nclass Class{number}:\n    hp: Saved[int] = 0\n"
        for name in range(relations + number % 2):
            text += f"    f{name}: Saved[list[Class{dice.randrange(count)}]]\n"
    bare.write("game/a.py", text)


def test_a_line_to_itself_is_inside_the_picture(bare):
    bare.write("pyproject.toml", TABLE)
    text = f"from __future__ import annotations\n{MARKS}"
    text += "@saveable\nclass Node:\n    next: Saved[Node | None] = None\n"
    bare.write("game/a.py", text)
    assert bare.run("show", "--graph", "a.svg").code == 0
    assert len(courses(bare.read("a.svg"))) == 1
    assert_readable(bare.read("a.svg"))


def test_no_line_runs_through_a_box(bare):
    web(bare, 60, 1)
    assert bare.run("show", "--graph", "a.svg").code == 0
    svg = bare.read("a.svg")
    assert len(boxes(svg)) == 60 and 80 < len(courses(svg))
    assert_readable(svg)


def test_a_picture_of_too_much_is_refused_with_the_way_out(bare):
    web(bare, 200, 4)
    said = bare.run("show", "--graph", "a.svg")
    assert said.code == 2 and "a.svg" not in bare.files()
    assert said.err.startswith("error: 200 classes with ")
    assert said.err.endswith(
        " lines between them are too many for one picture: name a class to draw only"
        " that class and its neighbours\n"
    )
    assert bare.run("show", "Class7", "--graph", "a.svg").code == 0
    assert 4 < len(boxes(bare.read("a.svg"))) < 20
    assert_readable(bare.read("a.svg"))


def test_a_class_that_all_others_refer_to_is_refused_too(bare):
    bare.write("pyproject.toml", TABLE)
    text = f"{MARKS}@saveable\nclass Hub: ...\n"
    for number in range(100):
        text += f"@saveable\nclass C{number}:\n    hub: Saved[Hub]\n"
    bare.write("game/a.py", text)
    said = bare.run("show", "Hub", "--graph", "a.svg")
    assert said.code == 2 and "101 classes with 100 lines" in said.err
    assert said.err.endswith(": `savegen show Hub` lists its fields\n")


def test_boxes_stay_apart_and_inside_whatever_refers_to_what(bare):
    bare.write("pyproject.toml", TABLE)
    names = [f"Class{number}" for number in range(24)]
    text = f"from __future__ import annotations\n{MARKS}"
    for number, name in enumerate(names):
        base = f"({names[number // 5]})" if number % 5 else ""
        text += f"@saveable\nclass {name}{base}:\n"
        for step in (1, 7, 11):
            other = names[(number * step + 3) % len(names)]
            text += f"    f{number}_{step}: Saved[list[{other}]]\n"
    bare.write("game/a.py", text)
    assert bare.run("show", "--graph", "a.svg").code == 0
    svg = bare.read("a.svg")
    found = boxes(svg)
    root = xml.fromstring(svg)
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    assert len(found) == len(names)
    for left, top, right, bottom in found.values():
        assert 0 < left < right < wide and 0 < top < bottom < high
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(found.values(), 2):
        assert c < e or g < a or d < f or h < b
    assert_readable(svg)


def test_text_is_escaped_in_a_picture(bare):
    bare.write("pyproject.toml", TABLE)
    kind = "Literal['<b>&\\\\x1b\"']"
    head = f"from typing import Literal\n{MARKS}"
    bare.write("game/a.py", f"{head}@saveable\nclass A:\n    b: Saved[{kind}]\n")
    assert bare.run("show", "--graph", "a.svg").code == 0
    xml.fromstring(bare.read("a.svg"))
    assert "<b>" not in bare.read("a.svg") and "&lt;b&gt;&amp;" in bare.read("a.svg")


def test_a_picture_for_a_folder_that_is_not_there_is_refused(units):
    error = "error: nodir/a.svg: No such file or directory\n"
    assert units.run("show", "--graph", "nodir/a.svg") == (2, "", error)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("game/units.py", "--graph needs a file name that ends in .svg, not"),
        (
            "mine.svg",
            "mine.svg was not drawn by savegen; move it, or choose another file",
        ),
    ],
)
def test_no_other_file_is_overwritten(units, path, error):
    units.write("mine.svg", "<svg/>")
    before = units.files()
    said = units.run("show", "--graph", path)
    assert said.code == 2 and error in said.err and units.files() == before
