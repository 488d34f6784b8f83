"""Imports of generated code that is no longer generated: removed if that is safe, else reported."""

from __future__ import annotations

import ast
import json
import shutil

import pytest

from tests.cli.games import MARKS

PLACE = "game._savegen.components"
FROM = f"from {PLACE}"
IMPORT = f"{FROM}.orc import OrcSaveLoad\n"
PLAIN = f"{MARKS}\n\nclass Orc:\n    hp = 3\n"


@pytest.fixture
def built(game):
    """A project with the wired classes `Orc` and `Elf`, built."""
    assert game.run("build").code == 0
    return game


def unmark(game, path="game/orc.py"):
    """Take the marks away, as a person would: the generated base stays."""
    game.replace(path, "@saveable\n", "")
    game.replace(path, "hp: Saved[int] = 3", "hp = 3")


def stale(said):
    """Return line, column, end column and severity of the stale imports."""
    return [
        (
            each["path"],
            each["line"],
            each["column"],
            each["end_column"],
            each["severity"],
        )
        for each in json.loads(said.out)
        if each["code"] == "SG133"
    ]


def test_an_unmarked_class_loses_its_generated_base_and_the_import(built):
    unmark(built)
    before = built.files()
    said = built.run("check")
    assert said.code == 1 and "run `savegen build` to fix this" in said.err
    assert "would change game/orc.py\n" in said.out
    assert "would remove game/_savegen/components/orc.py\n" in said.out
    assert built.files() == before
    assert built.run("build").code == 0
    assert built.read("game/orc.py") == PLAIN
    assert "components/orc.py" not in built.generated()
    built.python("import game.orc")
    assert built.run("check") == (0, "up to date\n", "")


def test_without_wiring_it_is_an_error_and_nothing_is_written(built):
    unmark(built)
    before = built.files()
    for words in (["build", "--no-wire"], ["build", "--locked"], ["components"]):
        said = built.run(*words, "--output-format", "json")
        assert said.code == 1
        place = ("game/orc.py", 3, 42, 53, "error")
        assert stale(said) == [place]
    assert built.files() == before
    built.python("import game.orc")


def test_a_use_in_another_file_is_an_error_at_the_import(built):
    text = f"import os\n{IMPORT}\nprint(OrcSaveLoad, os)\n"
    built.write("game/helper.py", text)
    assert built.run("build").code == 0
    unmark(built)
    before = built.files()
    said = built.run("build", "--output-format", "json")
    assert said.code == 1
    assert stale(said) == [
        ("game/helper.py", 2, 42, 53, "error"),
        ("game/orc.py", 3, 42, 53, "error"),
    ]
    assert built.files() == before
    said = built.run("wire")
    assert said.code == 1 and said.out.startswith("wrote game/orc.py\n")
    assert "--> game/helper.py:2:42\n" in said.out and "game/orc.py:" not in said.out
    assert built.read("game/helper.py") == text


def test_a_changed_helper_is_read_again(built):
    built.write("game/helper.py", "import os\n")
    assert built.run("build").code == 0
    built.write(
        "game/helper.py", f"{FROM}.elf import ImpSaveLoad\nprint(ImpSaveLoad)\n"
    )
    said = built.run("build", "--output-format", "json")
    assert stale(said) == [("game/helper.py", 1, 42, 53, "error")]
    built.write("game/helper.py", "import os\n")
    assert built.run("build").code == 0


MOVED = [
    ("from {} import ElfSaveLoad  # elf\n", "from {} import ElfSaveLoad  # elf\n"),
    ("from {} import ElfSaveLoad as E\n", "from {} import ElfSaveLoad as E\n"),
]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_an_import_of_a_base_that_another_module_has_now_is_corrected(
    built, before, after
):
    use = "E = ElfSaveLoad\n" if " as " not in before else ""
    text = "import os\n\n{}{}\n\nprint(E, os)\n"
    old, new = before.format(f"{PLACE}.foes.elf"), after.format(f"{PLACE}.elf")
    built.write("game/helper.py", text.format(old, use))
    move(built, "game/foes/elf.py", "game/elf.py")
    assert built.run("build").code == 0
    assert built.read("game/helper.py") == text.format(new, use)
    built.python("import game.helper")


def test_one_name_of_several_is_imported_from_its_new_module(built):
    text = "import os\n\n{}\n\nprint(ElfSaveLoad, OrcSaveLoad, os)\n"
    elf = "\n\n@saveable\nclass Elf(ElfSaveLoad):\n    hp: Saved[int] = 3\n"
    both = f"{FROM}.orc import ElfSaveLoad, OrcSaveLoad\n"
    built.remove("game/foes/elf.py")
    built.replace("game/orc.py", IMPORT, both)
    built.append("game/orc.py", elf)
    built.write("game/helper.py", text.format(both))
    assert built.run("build").code == 0
    built.replace("game/orc.py", elf, "")
    built.marked("game/foes/elf.py", "Elf")
    assert built.run("build").code == 0
    assert built.read("game/orc.py").count("SaveLoad") == 2
    new = f"{FROM}.orc import OrcSaveLoad\n{FROM}.foes.elf import ElfSaveLoad\n"
    assert built.read("game/helper.py") == text.format(new)
    built.python("import game.helper")


def test_an_import_of_one_of_two_bases_of_the_same_name_is_not_corrected(built):
    built.marked("game/foes/orc.py", "Orc")
    text = f"{IMPORT}print(OrcSaveLoad)\n"
    built.write("game/helper.py", text)
    built.run("build")
    unmark(built)
    said = built.run("build")
    assert said.code == 1 and "error[SG133]" in said.out
    assert built.read("game/helper.py") == text


def test_the_module_that_has_a_moved_base_now_is_named(built):
    built.write(
        "game/helper.py", f"{FROM}.orc import ElfSaveLoad\nprint(ElfSaveLoad)\n"
    )
    said = built.run("components")
    assert "savegen no longer generates `ElfSaveLoad` in `game._savegen" in said.out
    home = "run `savegen wire`, or import it from `game._savegen.components.foes.elf`"
    assert home in said.out


OPTIONAL = {
    "for type checkers": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    {}\n"
    "x: 'OrcSaveLoad'\n",
    "in a try": "try:\n    {}except ImportError:\n    OrcSaveLoad = object\n",
}


@pytest.mark.parametrize("form", OPTIONAL)
def test_an_import_that_may_not_run_is_a_warning(built, form):
    text = OPTIONAL[form].format(IMPORT)
    built.write("game/helper.py", text)
    assert built.run("build") == (0, "up to date\n", "")
    unmark(built)
    said = built.run("build", "--output-format", "json")
    assert said.code == 0
    assert [each[-1] for each in stale(said)] == ["warning"]
    assert built.read("game/helper.py") == text
    assert built.read("game/orc.py") == PLAIN


def test_a_silenced_warning_leaves_the_file_alone(built):
    text = (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        f"    {IMPORT.strip()}  # savegen: ignore[SG133]\n"
    )
    built.write("game/helper.py", text)
    unmark(built)
    said = built.run("build")
    assert said.code == 0 and "SG133" not in said.out
    assert built.read("game/helper.py") == text


# The forms of imports, of bases, and what is left of them without the mark.
FORMS = [
    (f"{FROM}.orc import OrcSaveLoad as P\n", "(P)", "", ""),
    (f"{FROM}.orc import (\n    OrcSaveLoad,\n)\n", "(OrcSaveLoad)", "", ""),
    (f"{FROM}.orc import OrcSaveLoad  # ours\n", "(OrcSaveLoad)", "", ""),
    (f"{FROM}.orc import *\n", "(OrcSaveLoad)", "", ""),
    (f"{FROM} import orc as gen\n", "(gen.OrcSaveLoad)", "", ""),
    (f"{FROM} import orc\n", "(orc.OrcSaveLoad)", "", ""),
    ("from ._savegen.components.orc import OrcSaveLoad\n", "(OrcSaveLoad)", "", ""),
    ("from ._savegen.components import orc\n", "(orc.OrcSaveLoad)", "", ""),
    ("import game._savegen.components.orc as gen\n", "(gen.OrcSaveLoad)", "", ""),
    (
        "import game._savegen.components.orc\n",
        "(game._savegen.components.orc.OrcSaveLoad)",
        "",
        "",
    ),
    (
        f"import os; {IMPORT}",
        "(OrcSaveLoad)",
        "import os\n",
        "",
    ),
    (
        f"{IMPORT.strip()}; import os\n",
        "(OrcSaveLoad)",
        "import os\n",
        "",
    ),
    (
        f"if True:\n    {IMPORT}",
        "(OrcSaveLoad)",
        "if True:\n    pass\n",
        "",
    ),
    (
        f"if True: {IMPORT}",
        "(OrcSaveLoad)",
        "if True: pass\n",
        "",
    ),
    (IMPORT, "(OrcSaveLoad, Body)", "", "(Body)"),
    (IMPORT, "(Body, OrcSaveLoad)", "", "(Body)"),
    (IMPORT, "(Body, OrcSaveLoad, metaclass=type)", "", "(Body, metaclass=type)"),
    (IMPORT, "(OrcSaveLoad, metaclass=type)", "", "(metaclass=type)"),
    (IMPORT, "(  # bases\n    OrcSaveLoad,\n)", "", "(  # bases\n    \n)"),
    (
        IMPORT,
        "(\n    OrcSaveLoad,  # ours\n    Body,  # body\n)",
        "",
        "(\n    # ours\n    Body,  # body\n)",
    ),
    (IMPORT, "(\n    Body,  # body\n    OrcSaveLoad\n)", "", "(\n    Body,  # body\n)"),
    (
        f"{FROM}.orc import OrcSaveLoad as P, OrcSaveLoad as Q\n",
        "(P, Body, Q)",
        "",
        "(Body)",
    ),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("imports", "bases", "imports_after", "bases_after"), FORMS)
def test_the_base_and_the_import_go_in_every_form(
    built, imports, bases, imports_after, bases_after, newline
):
    text = "# é\n{}class Body: ...\n\n\nclass Orc{}:\n    hp = 3  # hp\n"
    source = text.format(imports, bases).replace("\n", newline)
    built.write("game/orc.py", source)
    assert built.run("build").code == 0
    expected = text.format(imports_after, bases_after).replace("\n", newline)
    assert built.read("game/orc.py") == expected
    ast.parse(expected)
    assert built.run("check") == (0, "up to date\n", "")


NAMES = [
    ("import AxeSaveLoad, OrcSaveLoad\n", "import AxeSaveLoad\n"),
    ("import OrcSaveLoad, AxeSaveLoad\n", "import AxeSaveLoad\n"),
    ("import AxeSaveLoad, \\\n    OrcSaveLoad\n", "import AxeSaveLoad\n"),
    ("import OrcSaveLoad as P, AxeSaveLoad # axe\n", "import AxeSaveLoad # axe\n"),
    (
        "import (\n    AxeSaveLoad,  # axe\n    OrcSaveLoad,\n)\n",
        "import (\n    AxeSaveLoad,  # axe\n)\n",
    ),
    (
        "import (\n    AxeSaveLoad,  # axe\n    OrcSaveLoad\n)\n",
        "import (\n    AxeSaveLoad,  # axe\n)\n",
    ),
    (
        "import (\n    OrcSaveLoad,  # orc\n    AxeSaveLoad,\n)\n",
        "import (\n    # orc\n    AxeSaveLoad,\n)\n",
    ),
    (
        "import (OrcSaveLoad, OrcSaveLoad as P, AxeSaveLoad)\n",
        "import (AxeSaveLoad)\n",
    ),
    (
        "import (AxeSaveLoad, OrcSaveLoad, OrcSaveLoad as P)\n",
        "import (AxeSaveLoad)\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), NAMES)
def test_one_name_of_several_goes(built, before, after):
    text = (
        f"{MARKS}{FROM}.orc {{}}\n@saveable\nclass Axe(AxeSaveLoad):\n    hp: Saved[int] = 3\n"
        "\n\nclass Orc{}: ...\n"
    )
    built.append("game/orc.py", "\n\n@saveable\nclass Axe:\n    hp: Saved[int] = 3\n")
    assert built.run("build").code == 0
    base = "(P)" if " P" in before else "(OrcSaveLoad)"
    built.write("game/orc.py", text.format(before, base))
    assert built.run("build").code == 0
    assert built.read("game/orc.py") == text.format(after, "")
    built.python("import game.orc")
    assert built.run("check") == (0, "up to date\n", "")


USES = [
    "print(OrcSaveLoad)\n",
    "x: 'OrcSaveLoad | None' = None\n",
    "__all__ = ['OrcSaveLoad']\n",
    "f = lambda: OrcSaveLoad\n",
]


@pytest.mark.parametrize("use", USES)
def test_a_name_with_another_use_stays_and_nothing_is_written(built, use):
    unmark(built)
    built.append("game/orc.py", use)
    before = built.files()
    said = built.run("build")
    assert said.code == 1 and "error[SG133]" in said.out
    assert built.files() == before


def test_the_name_in_a_comment_or_a_docstring_is_no_use(built):
    unmark(built)
    words = '# OrcSaveLoad was a base\n"""About OrcSaveLoad."""\n'
    built.append("game/orc.py", words)
    assert built.run("build").code == 0
    assert built.read("game/orc.py") == PLAIN + words


# Moved files


def move(game, old, new):
    target = game.folder / new
    target.parent.mkdir(exist_ok=True)
    (game.folder / old).rename(target)


@pytest.mark.parametrize(
    "line", [IMPORT, "from ._savegen.components.orc import OrcSaveLoad\n"]
)
@pytest.mark.parametrize(
    ("place", "module"), [("game/ork.py", "ork"), ("game/foes/orc.py", "foes.orc")]
)
def test_a_build_after_a_move_imports_the_base_of_the_new_place(
    built, line, place, module
):
    built.replace("game/orc.py", IMPORT, line)
    text = built.read("game/orc.py")
    move(built, "game/orc.py", place)
    said = built.run("check")
    assert said.code == 1 and f"would change {place}\n" in said.out
    assert "run `savegen build` to fix this" in said.err
    assert built.run("build").code == 0
    new_line = f"{FROM}.{module} import OrcSaveLoad\n"
    assert built.read(place) == text.replace(line, new_line)
    built.python(f"import game.{module}")
    assert built.run("check") == (0, "up to date\n", "")


def test_a_whole_package_can_move(built):
    built.marked("game/foes/__init__.py", "Troll")
    assert built.run("build").code == 0
    (built.folder / "game/foes").rename(built.folder / "game/folk")
    assert built.run("build").code == 0
    assert f"{FROM}.folk import TrollSaveLoad\n" in built.read("game/folk/__init__.py")
    assert f"{FROM}.folk.elf import ElfSaveLoad\n" in built.read("game/folk/elf.py")
    built.python("import game.folk.elf")
    assert [p for p in built.generated() if "foes" in p] == []


def test_one_of_two_classes_can_move(built):
    one = "\n\n@saveable\nclass Imp(ImpSaveLoad):\n    hp: Saved[int] = 3\n"
    built.append("game/orc.py", one)
    built.replace(
        "game/orc.py", "import OrcSaveLoad", "import ImpSaveLoad, OrcSaveLoad"
    )
    assert built.run("build").code == 0
    text = built.read("game/orc.py")
    built.write("game/orc.py", text.replace(one, ""))
    built.write("game/imp.py", f"{MARKS}{FROM}.orc import ImpSaveLoad\n{one}")
    assert built.run("build").code == 0
    assert f"{FROM}.orc import OrcSaveLoad\n" in built.read("game/orc.py")
    assert f"{FROM}.imp import ImpSaveLoad\n" in built.read("game/imp.py")
    built.python("import game.orc, game.imp")
    assert built.run("check") == (0, "up to date\n", "")


def test_the_old_base_beside_the_new_one_goes(built):
    built.replace("game/orc.py", IMPORT, f"{FROM}.ork import OrkSaveLoad\n{IMPORT}")
    built.replace("game/orc.py", "(OrcSaveLoad)", "(OrcSaveLoad, OrkSaveLoad)")
    assert built.run("wire") == (0, "wrote game/orc.py\n", "")
    assert built.read("game/orc.py").count("SaveLoad") == 2
    built.replace("game/orc.py", IMPORT, f"{FROM}.ork import OrkSaveLoad\n{IMPORT}")
    built.replace("game/orc.py", "(OrcSaveLoad)", "(OrkSaveLoad, OrcSaveLoad)")
    assert built.run("build").code == 0
    assert built.read("game/orc.py").count("SaveLoad") == 2
    built.python("import game.orc")


def test_a_hand_edited_module_of_an_unmarked_class_is_kept_as_a_copy(built):
    unmark(built)
    built.append("game/_savegen/components/orc.py", "x = 1\n")
    said = built.run("build")
    assert said.code == 0
    path = "game/_savegen/components/orc.py"
    copy = f".savegen_cache/replaced/{path}"
    assert f"{path} was edited by hand; a copy of your edits is in {copy}\n" in said.err
    assert built.read(copy).endswith("x = 1\n")


@pytest.mark.parametrize("part", ["prefabs", "prefab_info"])
def test_a_module_about_prefabs_is_stale_without_prefabs(built, part):
    built.write("game/helper.py", f"from game._savegen import {part}\nprint({part})\n")
    said = built.run("build", "--output-format", "json")
    assert stale(said) == [("game/helper.py", 1, 27, 27 + len(part), "error")]


@pytest.mark.parametrize(
    "line",
    [
        "from game._savegen import registry, types",
        "from game._savegen.types import SaveLoadableType",
        "from game._savegen.components.orc import OrcData, OrcFields, OrcSaveLoad",
        "from game._savegen.components import foes, orc",
        "from game._savegen.components.foes import elf",
        "import game._savegen.components.foes.elf as e; e.ElfSaveLoad",
        "from game._savegen.components.foes.elf import *",
        "from game._savegen import mine, types",
        "from other._savegen.components.orc import GoneSaveLoad",
    ],
)
def test_other_imports_of_generated_code_are_not_reported(built, line):
    built.write("game/helper.py", f"{line}\n")
    assert built.run("build") == (0, "up to date\n", "")


# Another output folder


@pytest.mark.parametrize("output", ["game/generated", "generated", "game/a/_savegen"])
@pytest.mark.parametrize("old_folder", ["there", "removed", "there, after a clone"])
def test_a_build_with_another_output_moves_all_that_is_generated(
    built, output, old_folder
):
    helper = "from {}.types import SaveLoadableType\n\nprint(SaveLoadableType)\n"
    built.write("game/helper.py", helper.format("game._savegen"))
    built.append("game/foes/elf.py", f"\n\nx: 'OrcSaveLoad'\n{IMPORT}")
    assert built.run("build").code == 0
    built.append("pyproject.toml", f'output = "{output}"\n')
    if old_folder == "removed":
        shutil.rmtree(built.folder / "game/_savegen")
    if old_folder == "there, after a clone":
        shutil.rmtree(built.folder / ".savegen_cache")
    before = built.files()
    said = built.run("check")
    assert said.code == 1 and "run `savegen build` to fix this" in said.err
    assert built.files() == before
    said = built.run("build")
    assert said.code == 0
    assert not (built.folder / "game/_savegen").exists()
    assert (built.folder / output / "components/orc.py").exists()
    package = output.replace("/", ".")
    assert built.read("game/helper.py") == helper.format(package)
    assert f"from {package}.components.orc import OrcSaveLoad\n" in built.read(
        "game/orc.py"
    )
    built.python("import game.orc, game.foes.elf, game.helper")
    assert built.run("check") == (0, "up to date\n", "")
    assert built.run("build") == (0, "up to date\n", "")


def test_files_of_a_person_and_edits_stay_when_the_output_changes(built):
    built.write("game/_savegen/mine.py", "x = 1\n")
    built.append("game/_savegen/components/orc.py", "y = 1\n")
    built.append("pyproject.toml", 'output = "game/generated"\n')
    said = built.run("build")
    assert said.code == 0 and "was edited by hand" in said.err
    left = [path for path in built.files() if "_savegen" in path]
    assert left == ["game/_savegen/mine.py"]
    assert built.run("build") == (0, "up to date\n", "")


def test_a_use_that_cannot_follow_the_output_is_reported_and_nothing_is_written(built):
    built.write("game/helper.py", "import game._savegen.types as types\nprint(types)\n")
    built.append("pyproject.toml", 'output = "game/generated"\n')
    before = built.files()
    said = built.run("build", "--output-format", "json")
    assert said.code == 1
    assert ("game/helper.py", 1, 8, 27, "error") in stale(said)
    assert built.files() == before


def test_the_output_of_another_project_is_not_a_former_one(built):
    (built.folder / "other").mkdir()
    (built.folder / "game").rename(built.folder / "other/game")
    built.write("other/pyproject.toml", built.read("pyproject.toml"))
    (built.folder / "savegen.lock").rename(built.folder / "other/savegen.lock")
    built.write("pyproject.toml", '[tool.savegen]\nsource = "."\n')
    before = {p: t for p, t in built.files().items() if "_savegen" in p}
    built.run("build", "--no-wire")
    after = built.files()
    assert {p: after.get(p) for p in before} == before
