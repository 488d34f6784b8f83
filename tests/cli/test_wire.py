"""`savegen wire`: the generated bases come into the user's files, and nothing else changes."""

from __future__ import annotations

import pytest

from tests.cli.games import MARKS, TABLE

PLAIN = f"{MARKS}\n\n@saveable\nclass Orc:\n    hp: Saved[int] = 3\n"
WIRED = (
    f"{MARKS}\nfrom game._savegen.components.orc import OrcSaveLoad\n\n\n"
    "@saveable\nclass Orc(OrcSaveLoad):\n    hp: Saved[int] = 3\n"
)
LATIN = "# coding: latin-1\n# für Énée\n"


@pytest.fixture
def unwired(bare):
    """A project with one marked class."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/orc.py", PLAIN)
    return bare


def test_the_import_and_the_base_are_added(unwired):
    assert unwired.door("wire") == (0, "wrote game/orc.py\n", "")
    assert unwired.read("game/orc.py") == WIRED


def test_a_second_run_has_nothing_to_do(unwired):
    unwired.run("wire")
    assert unwired.door("wire") == (0, "up to date\n", "")
    assert unwired.read("game/orc.py") == WIRED


FORMS = {
    "with CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "with CR": lambda text: text.replace("\n", "\r").encode(),
    "with a byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "with tabs": lambda text: text.replace("    ", "\t").encode(),
    "with form feeds": lambda text: text.replace("@sav", "\f\n@sav").encode(),
    "in Latin-1": lambda text: (LATIN + text).encode("latin-1"),
    "without an end": lambda text: text.rstrip("\n").encode(),
    "with blanks at line ends": lambda text: text.replace("3\n", "3  \n").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_keeps_its_form(unwired, form):
    unwired.write("game/orc.py", FORMS[form](PLAIN))
    assert unwired.run("wire").code == 0
    assert unwired.files()["game/orc.py"] == FORMS[form](WIRED)
    assert unwired.run("wire") == (0, "up to date\n", "")
    assert unwired.run("components").out.endswith("wrote 6 files\n")


def test_the_difference_is_shown_and_nothing_written(unwired):
    before = unwired.files()
    said = unwired.door("wire", "--diff")
    assert said.code == 1 and said.err == "run `savegen wire` to write this\n"
    assert said.out.splitlines()[:3] == [
        "--- a/game/orc.py",
        "+++ b/game/orc.py",
        "@@ -1,6 +1,8 @@",
    ]
    assert "+class Orc(OrcSaveLoad):" in said.out.splitlines()
    assert unwired.files() == before
    assert not (unwired.folder / ".savegen_cache").exists()


def test_without_anything_to_do_there_is_no_difference(unwired):
    unwired.run("wire")
    assert unwired.run("wire", "--diff") == (0, "up to date\n", "")


def test_a_base_that_is_not_the_first_comes_first(unwired):
    text = WIRED.replace("(OrcSaveLoad)", "(Body, OrcSaveLoad)").replace(
        "@saveable", "class Body: ...\n\n\n@saveable"
    )
    unwired.write("game/orc.py", text)
    said = unwired.run("components")
    assert said.code == 1 and "error[SG111]" in said.out
    assert unwired.run("wire") == (0, "wrote game/orc.py\n", "")
    changed = text.replace("(Body, OrcSaveLoad)", "(OrcSaveLoad, Body)")
    assert unwired.read("game/orc.py") == changed


def test_paths_limit_what_is_touched(unwired):
    unwired.marked("game/elf.py", "Elf")
    unwired.marked("game/foes/rat.py", "Rat")
    assert unwired.run("wire", "game/elf.py") == (0, "wrote game/elf.py\n", "")
    assert unwired.run("wire", "foes", cwd="game").out == "wrote foes/rat.py\n"
    assert unwired.read("game/orc.py") == PLAIN


def test_a_bare_game_is_wired_by_its_files(bare):
    bare.marked("game.py", "Orc")
    assert bare.run("wire", "game.py") == (0, "wrote game.py\n", "")
    assert "from _savegen.components.game import OrcSaveLoad\n" in bare.read("game.py")


def test_classes_of_a_package_and_inner_classes_are_wired(unwired):
    text = f"{MARKS}\n\nclass World:\n    @saveable\n    class Cell:\n        x: Saved[int] = 0\n"
    unwired.write("game/__init__.py", text)
    assert unwired.run("wire", "game/__init__.py").code == 0
    wired = unwired.read("game/__init__.py")
    assert "from game._savegen.components import WorldCellSaveLoad\n" in wired
    assert "    class Cell(WorldCellSaveLoad):\n" in wired


def test_a_class_in_a_function_is_left_alone_and_told(unwired):
    text = f"{MARKS}\n\ndef make():\n    @saveable\n    class Cell:\n        x: Saved[int] = 0\n"
    unwired.write("game/orc.py", text)
    said = unwired.run("wire")
    assert (
        said.code == 1 and "error[SG118]" in said.out and "up to date" not in said.out
    )
    assert unwired.read("game/orc.py") == text


def test_a_file_that_cannot_be_wired_is_a_finding_and_the_others_are_wired(unwired):
    unwired.marked("game/elf.py", "Elf")
    unwired.append("game/elf.py", "\n\nElfSaveLoad = 3\n")
    before = unwired.read("game/elf.py")
    assert unwired.door("wire") == (
        1,
        "wrote game/orc.py\n"
        "error[SG106]: cannot add the generated base class: the file uses the name"
        " `ElfSaveLoad` for something else\n"
        " --> game/elf.py:9:1\n"
        "  |\n"
        "9 | ElfSaveLoad = 3\n"
        "  | ^\n"
        "  = help: fix the cause, or write the import and the base class yourself\n"
        "\n"
        "1 error\n",
        "",
    )
    assert unwired.read("game/elf.py") == before


def test_other_findings_do_not_keep_it_from_working(unwired):
    unwired.append("game/orc.py", "    bag: Saved[list] = ()\n")
    unwired.write("game/broken.py", "from savegen import saveable\nx = = 1\n")
    said = unwired.run("wire")
    assert said.code == 1
    assert said.out.startswith("wrote game/orc.py\n") and "SG110" not in said.out
    assert said.out.endswith("\n2 errors\n")


def test_a_file_that_changed_meanwhile_is_not_overwritten(unwired, monkeypatch):
    from savegen.build.codemod import wire

    original = wire.wire

    def slow(data, *others):
        unwired.append("game/orc.py", "# typed in the meantime\n")
        return original(data, *others)

    monkeypatch.setattr(wire, "wire", slow)
    said = unwired.run("wire")
    error = "error: game/orc.py changed while savegen ran; run savegen again\n"
    assert said == (2, "", error)
    assert unwired.read("game/orc.py") == PLAIN + "# typed in the meantime\n"


def test_a_wired_class_runs(unwired):
    unwired.run("wire")
    unwired.run("components")
    code = "from game.orc import Orc; print(Orc().save_data().hp == 3)"
    assert unwired.python(code) == "True\n"


def test_a_base_from_a_star_import_of_its_mixins_is_there(game):
    game.replace(
        "game/orc.py",
        "from game._savegen.components.orc import OrcSaveLoad",
        "from game._savegen.components.orc import *",
    )
    assert game.run("components") == (0, "up to date\n", "")
    assert game.run("wire") == (0, "up to date\n", "")


@pytest.mark.parametrize("name", ["with-dash.py", "class.py", "sp ace.py"])
def test_a_file_that_no_import_can_name_is_left_alone(game, name):
    game.marked(f"game/{name}", "Imp")
    before = game.files()
    said = game.run("wire")
    assert said.code == 1 and "error[SG124]" in said.out
    assert game.files() == before


@pytest.mark.parametrize("base", ["NamedTuple", "TypedDict", "Protocol"])
def test_a_class_that_takes_no_base_is_left_alone(game, base):
    game.marked("game/imp.py", f"Imp({base})", "hp: Saved[int]")
    game.write("game/imp.py", f"from typing import {base}\n" + game.read("game/imp.py"))
    before = game.files()
    said = game.run("wire")
    assert said.code == 1 and "error[SG125]" in said.out
    assert game.files() == before


def test_a_renamed_class_loses_its_old_base(unwired):
    unwired.run("build")
    wired = unwired.read("game/orc.py")
    unwired.replace("game/orc.py", "class Orc", "class Ork")
    unwired.replace("game/orc.py", "@saveable\n", '@saveable(was="Orc")\n')
    assert unwired.run("build").code == 0
    expected = wired.replace("OrcSaveLoad", "OrkSaveLoad").replace("Orc(", "Ork(")
    text = unwired.read("game/orc.py")
    assert text == expected.replace("@saveable\n", '@saveable(was="Orc")\n')
    unwired.python("import game.orc")


def test_a_class_that_was_renamed_and_is_imported_relatively_loses_its_old_base(
    unwired,
):
    unwired.run("build")
    unwired.replace("game/orc.py", "from game._savegen", "from ._savegen")
    unwired.replace("game/orc.py", "class Orc", "class Ork")
    unwired.replace("game/orc.py", "@saveable\n", '@saveable(was="Orc")\n')
    assert unwired.run("build").code == 0
    assert "OrcSaveLoad" not in unwired.read("game/orc.py")
    unwired.python("import game.orc")


def test_a_file_that_was_moved_imports_the_base_of_its_new_place(unwired):
    unwired.run("build")
    (unwired.folder / "game/orc.py").rename(unwired.folder / "game/ork.py")
    assert unwired.run("wire") == (0, "wrote game/ork.py\n", "")
    assert unwired.read("game/ork.py") == WIRED.replace(
        "components.orc", "components.ork"
    )
    assert unwired.run("wire") == (0, "up to date\n", "")
    unwired.run("build")
    unwired.python("import game.ork")
