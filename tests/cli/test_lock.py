"""`savegen lock`: the numbers shown, and things said to be gone for good."""

from __future__ import annotations

import io
import json
import re
import subprocess

import pytest

from savegen.build.lock import parse
from tests.cli.games import MARKS, TABLE
from tests.project import git, repository

SHOWN = """\
Elf     1128152417  game.foes.elf.Elf
Elf.hp  2019892316  int
Orc     851791107   game.orc.Orc
Orc.hp  2019892316  int
"""


def orc(game, *fields: str) -> None:
    """Give `Orc` other fields."""
    text = game.read("game/orc.py")
    head = text[: text.index("    hp:")] if "    hp:" in text else text
    game.write("game/orc.py", head + "".join(f"    {field}\n" for field in fields))


# Showing


def test_everything_is_shown(game):
    assert game.door("lock", "show") == (0, SHOWN, "")


def test_one_class_is_shown(game):
    said = game.run("lock", "show", "Orc")
    assert said.out == "Orc     851791107   game.orc.Orc\nOrc.hp  2019892316  int\n"


def test_a_class_that_the_lock_does_not_know_is_refused(game):
    error = "error: savegen.lock has no class, prefab, record, field, part or enum member 'Ork'\n"
    assert game.run("lock", "show", "Ork") == (2, "", error)


def test_an_enum_member_is_shown(game):
    moods = (
        "from enum import Enum\n\nclass Mood(Enum):\n    CALM = 1\n    ANGRY = 2\n\n"
    )
    orc_file = game.read("game/orc.py")
    game.write("game/orc.py", orc_file.replace("@saveable", f"{moods}\n@saveable"))
    orc(game, "hp: Saved[int] = 1", "mood: Saved[Mood] = Mood.CALM")
    assert game.run("components").code == 0
    said = game.run("lock", "show", "Mood.ANGRY")
    assert said.code == 0 and said.out.split() == ["Mood.ANGRY", "enum", "member"]


def test_nothing_is_shown_before_there_is_anything(bare):
    bare.write("pyproject.toml", "[tool.savegen]\n")
    assert bare.run("lock", "show") == (0, "", "")


def test_what_is_gone_is_shown_as_such(game):
    orc(game, "pass")
    assert game.run("components").code == 0
    orc(game, "mp: Saved[str] = ''")
    assert game.run("components").code == 0
    game.remove("game/foes/elf.py")
    game.run("lock", "retire", "Elf")
    rows = [line.split() for line in game.run("lock", "show").out.splitlines()]
    gone = {row[0]: row[-1] for row in rows if row[-1] in ("absent", "retired")}
    assert gone == {
        "Elf": "retired",
        "Elf.hp": "retired",
        "Orc.hp": "absent",
    }


def test_classes_of_one_name_are_told_apart(game):
    game.marked("game/hill.py", "Orc", "size: Saved[int] = 1")
    game.run("components")
    names = [line.split()[0] for line in game.run("lock", "show").out.splitlines()]
    assert [name for name in names if "Orc" in name] == [
        "game.hill.Orc",
        "game.hill.Orc.size",
        "game.orc.Orc",
        "game.orc.Orc.hp",
    ]
    assert game.run("lock", "show", "game.hill.Orc").out.count("\n") == 2


# Retiring


def test_a_field_is_retired_and_its_name_can_be_born_again(game):
    orc(game, "mp: Saved[int] = 1")
    said = game.run("components")
    assert said.code == 1
    assert said.out == (
        "error[SG301]: field `hp` was removed and `mp`, also `int`, was added:"
        " it may be a rename\n"
        " --> game/orc.py:8:9\n"
        "  |\n"
        "8 |     mp: Saved[int] = 1\n"
        "  |         ^^^^^^^^^^\n"
        '  = help: if you renamed it, write `Annotated[…, Save(was="hp")]`; if not,\n'
        "          run `savegen lock retire Orc.hp` (old saves then lose its value)\n"
        "\n"
        "1 error\n"
    )
    assert game.door("lock", "retire", "Orc.hp") == (
        0,
        "retired Orc.hp\n",
        "next: run `savegen build`\n",
    )
    assert game.run("components").code == 0
    orc(game)
    orc_fields = ("mp: Saved[int] = 1", "hp: Saved[int] = 1")
    game.append("game/orc.py", "".join(f"    {field}\n" for field in orc_fields))
    game.replace("game/orc.py", "    mp: Saved[int] = 1\n    mp", "    mp")
    assert game.run("components").code == 0
    facts = parse(game.read("savegen.lock")).lines()
    assert [fact for fact in facts if "Orc." in fact] == [
        "field game.orc.Orc.hp#2 356634185: int",
        "field game.orc.Orc.mp 99724565: int",
        "retired field game.orc.Orc.hp 2019892316: int",
    ]


def test_nothing_is_written_while_it_is_not_said_what_a_vanished_field_became(game):
    before = game.files()
    orc(game, "mp: Saved[int] = 1")
    assert game.run("components").code == 1 and game.run("check").code == 1
    changed = {p for p, data in game.files().items() if before[p] != data}
    assert changed == {"game/orc.py"}


def test_a_retired_class_takes_its_fields_along(game):
    game.remove("game/orc.py")
    game.remove("game/foes/elf.py")
    assert game.run("lock", "retire", "Orc", "Elf").out == "retired Orc\nretired Elf\n"
    facts = parse(game.read("savegen.lock")).lines()
    assert [fact.split()[0] for fact in facts] == ["retired"] * 4


def test_an_enum_member_is_retired(game):
    text = f"from enum import Enum\n{MARKS}\n\nclass Mood(Enum):\n    CALM = 1\n    WILD = 2\n"
    text += "\n\n@saveable\nclass Cat:\n    mood: Saved[Mood] = Mood.CALM\n"
    game.write("game/cat.py", text)
    game.run("components")
    game.replace("game/cat.py", "    WILD = 2\n", "")
    said = game.run("components", "-q")
    assert said.code == 1 and "`savegen lock retire Mood.WILD`" in said.out
    assert game.run("lock", "retire", "Mood.WILD").code == 0
    assert game.run("components", "-q").code == 0
    assert "lost Mood.WILD\n" in game.lock()


@pytest.mark.parametrize(
    "names", [["Orc.mp"], ["Ork"], ["Orc.hp", "Ork"], ["Orc.hp", "Orc.hp"], ["hp"]]
)
def test_what_the_lock_does_not_know_is_refused_and_nothing_is_retired(game, names):
    game.remove("game/orc.py")
    before = game.files()
    said = game.run("lock", "retire", *names)
    error = f"savegen.lock has no class, prefab, record, field, part or enum member {names[-1]!r}"
    assert said == (2, "", f"error: {error}\n")
    assert game.files() == before


def test_a_name_of_two_classes_is_refused_with_the_names_that_tell_them_apart(game):
    game.marked("game/hill.py", "Orc", "hp: Saved[int] = 1")
    game.run("components")
    for name in ("Orc", "Orc.hp"):
        said = game.run("lock", "retire", name)
        assert said.code == 2
        assert said.err == (
            "error: more than one class is called 'Orc':"
            f" write game.hill.{name} or game.orc.{name}\n"
        )


def test_the_command_that_a_finding_names_retires_what_it_is_about(game):
    game.marked("game/hill.py", "Orc", "size: Saved[float] = 1")
    game.run("components")
    orc(game, "mp: Saved[int] = 1")
    said = game.run("components", "-q")
    command = said.out.partition("run `savegen lock retire ")[2].partition("`")[0]
    assert command == "game.orc.Orc.hp"
    assert game.run("lock", "retire", command).code == 0
    assert game.run("components", "-q").code == 0
    assert "retired field game.orc.Orc.hp 2019892316: int\n" in game.lock()


def test_retiring_is_no_edit_by_hand(game):
    orc(game, "pass")
    assert game.run("components").code == 0
    assert game.run("lock", "retire", "Orc.hp").code == 0
    said = game.run("components")
    assert said.code == 0 and said.err == ""


# Anew


RENAMED = 'mp: Annotated[int, Save(was="hp")] = 1'


@pytest.fixture
def renamed(game):
    """A game that has a field with the number of another name."""
    game.replace("game/orc.py", "import Saved", "import Save, Saved")
    text = "from typing import Annotated\n" + game.read("game/orc.py")
    game.write("game/orc.py", text)
    orc(game, RENAMED)
    assert game.run("components").code == 0
    assert "field game.orc.Orc.hp 2019892316 as mp: int" in game.lock()
    return game


def test_a_reset_numbers_everything_from_the_names_of_today(renamed):
    said = renamed.run("lock", "reset", "--yes")
    assert said == (
        0,
        "wrote game/_savegen/components/orc.py\nwrote savegen.lock\nwrote 2 files\n",
        "",
    )
    assert "field game.orc.Orc.mp 99724565: int" in renamed.lock()
    assert "MP = 99724565" in renamed.read("game/_savegen/components/orc.py")
    assert renamed.run("check") == (0, "up to date\n", "")


def test_a_reset_asks_nobody_but_a_person(renamed):
    before = renamed.files()
    said = renamed.door("lock", "reset", stdin=subprocess.DEVNULL)
    error = (
        "error: a reset needs a confirmation, but there is no terminal to ask in:"
        " add --yes\n"
    )
    assert said == (2, "", error) and renamed.files() == before


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_a_reset_does_what_is_answered(renamed, monkeypatch, answer, code):
    before = renamed.files()
    terminal = io.StringIO(f"{answer}\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    said = renamed.run("lock", "reset")
    question = "delete all numbers and assign new ones? no earlier save can be loaded afterwards [y/N]"
    assert said.code == code and question in said.err
    assert (renamed.files() == before) == (code == 1)
    assert ("nothing was changed\n" in said.err) == (code == 1)


def test_a_reset_also_mends_a_lock_that_cannot_be_read(game):
    clean = game.read("savegen.lock")
    game.write("savegen.lock", "# savegen.lock\n<<<<<<< HEAD\n")
    assert game.run("lock", "reset", "-y").code == 0
    assert game.read("savegen.lock") == clean


def test_a_reset_of_a_game_with_errors_changes_nothing(renamed):
    renamed.append("game/orc.py", "    bag: Saved[list]\n")
    before = renamed.files()
    said = renamed.run("lock", "reset", "--yes")
    assert said.code == 1 and "SG206" in said.out and renamed.files() == before


def test_no_reset_while_a_release_is_kept(renamed):
    renamed.write("deep/other/readme.txt", "")
    assert renamed.run("release", "deep/releases/1.0").code == 0
    before = renamed.files()
    said = renamed.run("lock", "reset", "--yes", cwd="deep")
    error = (
        "error: a release was made with the numbers in releases/1.0/savegen.lock; a reset"
        " breaks its saves. If they do not matter, delete releases/1.0/savegen.lock first\n"
    )
    assert said == (2, "", error) and renamed.files() == before
    renamed.remove("deep/releases/1.0/savegen.lock")
    assert renamed.run("lock", "reset", "--yes").code == 0


def test_the_lock_of_another_project_inside_is_no_release(game):
    game.write("other/savegen.lock", game.read("savegen.lock"))
    assert game.run("lock", "reset", "--yes") == (0, "up to date\n", "")


def test_a_bare_game_is_numbered_anew(bare):
    bare.marked("game.py", "Orc")
    bare.run("components", "game.py")
    bare.replace("game.py", "    hp: Saved[int]", "    pass  #")
    bare.run("components", "game.py")
    assert "absent field game.Orc.hp" in bare.lock()
    assert bare.run("lock", "reset", "--yes").code == 0
    assert "Orc.hp" not in bare.lock()


def test_a_bare_game_without_its_files_cannot_be_numbered_anew(bare):
    bare.marked("game.py", "Orc")
    bare.run("components", "game.py")
    bare.remove("game.py")
    error = (
        "error: pyproject.toml has no [tool.savegen], and no file of a class in savegen.lock"
        " exists: restore the files, or run `savegen init` first\n"
    )
    assert bare.run("lock", "reset", "--yes") == (2, "", error)


# Locked


def test_a_change_of_the_lock_is_refused_and_shown_where_it_is_locked(game):
    assert game.run("components", "--locked") == (0, "up to date\n", "")
    orc(game, "pass")
    before = game.files()
    said = game.door("components", "--locked")
    assert said == (
        1,
        "savegen.lock would change\n"
        "- field ~cc53 game.orc.Orc.hp 2019892316: int\n"
        "+ absent field ~15a8 game.orc.Orc.hp 2019892316: int\n",
        "run `savegen components` and commit savegen.lock to fix this\n",
    )
    assert game.files() == before
    assert game.run("components").code == 0
    assert game.run("components", "--locked", "--no-cache").code == 0


def test_a_change_of_the_lock_is_told_beside_a_document(game):
    orc(game, "pass")
    said = game.run("components", "--locked", "--output-format", "json")
    assert said.code == 1 and json.loads(said.out) == []
    assert said.err.startswith(
        "savegen.lock would change\n- field ~cc53 game.orc.Orc.hp"
    )


def test_a_change_of_the_lock_alone_is_refused(game):
    clean = game.read("savegen.lock")
    start = "field game.orc.Orc"
    for line in (f"{start}.mp 99724565: str\n", f"{start}.hp 2019892316: str\n"):
        game.write("savegen.lock", clean + line)
        said = game.run("components", "--locked")
        assert said.code == 1 and f"- {line}" in said.out
        assert game.read("savegen.lock") == clean + line
    game.remove("savegen.lock")
    said = game.run("components", "--locked")
    assert (
        said.code == 1 and "+ field ~cc53 game.orc.Orc.hp 2019892316: int\n" in said.out
    )


def test_a_lock_in_another_order_is_not_up_to_date(game):
    head, *facts = game.read("savegen.lock").splitlines(keepends=True)
    game.write("savegen.lock", "".join([head, *facts[::-1]]))
    said = game.run("components", "--locked")
    assert (
        said.out == "savegen.lock would change\nonly the order of its lines differs\n"
    )
    assert said.code == 1


def test_what_leaves_the_lock_alone_is_written_where_it_is_locked(game):
    game.append("game/orc.py", "    @savegen.before_save\n    def rest(self): ...\n")
    game.append("game/orc.py", "import savegen\n")
    said = game.run("components", "--locked")
    assert said.code == 0 and said.out.startswith("wrote game/_savegen/registry.py\n")


# Where the lock is


def test_the_lock_of_a_bare_game_is_the_nearest_one(bare):
    bare.marked("game.py", "Orc")
    bare.run("components", "game.py")
    bare.write("levels/one.txt", "")
    assert bare.run("lock", "show", "Orc", cwd="levels").out.startswith("Orc ")
    bare.replace("game.py", "    hp: Saved[int] = 3", "    pass")
    said = bare.run("lock", "retire", "Orc.hp", cwd="levels")
    assert said == (0, "retired Orc.hp\n", "next: run `savegen build ../game.py`\n")
    assert "retired field game.Orc.hp" in bare.lock()


def test_without_any_lock_it_says_so(bare):
    error = (
        "error: found neither a pyproject.toml with [tool.savegen] nor savegen.lock"
        " in this folder or above it.\nRun `savegen init`, or write these lines into"
        ' pyproject.toml:\n\n[tool.savegen]\nsource = "mygame"\n'
    )
    assert bare.run("lock", "show") == (2, "", error)
    assert bare.run("lock", "retire", "Orc") == (2, "", error)


def test_the_lock_of_another_configuration_is_beside_it(game):
    game.write("sub/other.toml", '[tool.savegen]\nsource = "."\n')
    assert game.run("lock", "show", "--config", "sub/other.toml") == (0, "", "")


def test_a_wrong_configuration_is_told_before_any_lock_is_looked_for(game):
    game.write("pyproject.toml", "[tool.savegen]\nsauce = 'game'\n")
    said = game.run("lock", "show")
    assert said.code == 2 and "unknown key `sauce`" in said.err


# A lock in a bad state

FORMS = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a byte-order mark": lambda text: "\ufeff" + text,
    "no newline at its end": lambda text: text.rstrip("\n"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "every line twice": lambda text: text + text,
    "other comments": lambda text: text + "# a remark\n",
    "lines in another order": lambda text: "\n".join(
        [*text.splitlines()[:1], *text.splitlines()[:0:-1], ""]
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_lock_with_the_same_facts_is_the_same_lock(game, form):
    clean = game.read("savegen.lock")
    game.write("savegen.lock", FORMS[form](clean))
    assert game.run("lock", "show").out == SHOWN
    said = game.run("components")
    assert said == (0, "wrote savegen.lock\nwrote 1 file\n", "")
    assert game.read("savegen.lock") == clean


@pytest.mark.parametrize("form", FORMS)
def test_things_are_retired_whatever_form_the_lock_has(game, form):
    game.write("savegen.lock", FORMS[form](game.read("savegen.lock")))
    game.remove("game/orc.py")
    assert game.run("lock", "retire", "Orc.hp").code == 0
    assert "\nretired field game.orc.Orc.hp 2019892316: int\n" in game.lock()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            b"class Orc\n",
            "line 1 is not a valid entry: 'class Orc'; restore it from git",
        ),
        (
            b"# x\n\nhello\n",
            "line 3 is not a valid entry: 'hello'; restore it from git",
        ),
        (b"# x\nclass \xff 20 m:O\n", "line 2 is not UTF-8"),
        (
            b"# x\n<<<<<<< HEAD\n",
            "line 2 is a marker of a merge conflict; keep the lines of both sides,"
            " remove the markers and run savegen again",
        ),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["components"], ["check"], ["wire"], ["lock", "show"], ["lock", "retire", "Orc"]],
)
def test_a_lock_that_cannot_be_read_is_told_by_line(game, command, text, complaint):
    game.write("savegen.lock", text)
    game.append("game/orc.py", "# a change, so that it is read\n")
    before = game.files()
    assert game.run(*command) == (2, "", f"error: savegen.lock: {complaint}\n")
    assert game.files() == before


@pytest.mark.parametrize("command", [["components"], ["check"], ["lock", "show"]])
def test_a_folder_in_the_place_of_the_lock_is_told(game, command):
    game.remove("savegen.lock")
    (game.folder / "savegen.lock").mkdir()
    error = "error: cannot read savegen.lock: Is a directory\n"
    assert game.run(*command) == (2, "", error)


def test_a_lost_lock_comes_back_with_the_same_numbers(game):
    clean = game.read("savegen.lock")
    game.remove("savegen.lock")
    assert game.run("components").code == 0
    assert game.read("savegen.lock") == clean


def test_a_lost_lock_that_knew_more_than_names_is_missed(game):
    game.replace("game/orc.py", "hp: Saved[int]", 'mp: Annotated[int, Save(was="hp")]')
    game.replace("game/orc.py", "import Saved", "import Save, Saved")
    game.write(
        "game/orc.py", "from typing import Annotated\n" + game.read("game/orc.py")
    )
    assert game.run("components").code == 0
    before = game.files()
    game.remove("savegen.lock")
    said = game.run("components")
    assert said.code == 2 and "savegen.lock is missing" in said.err
    assert game.files() == {k: v for k, v in before.items() if k != "savegen.lock"}
    game.write("savegen.lock", before["savegen.lock"])
    assert game.run("components") == (0, "up to date\n", "")


@pytest.mark.parametrize(
    ("pattern", "state"),
    [(".*\n", "is empty"), ("field ~.* game.orc.Orc.hp .*\n", "has lost lines")],
)
@pytest.mark.parametrize("command", ["components", "check"])
def test_a_lock_that_has_lost_what_generated_code_still_has_is_refused(
    renamed, command, pattern, state
):
    before = renamed.read("savegen.lock")
    renamed.write("savegen.lock", re.sub(pattern, "", before))
    cut = renamed.files()
    error = (
        f"error: savegen.lock {state}, but game/_savegen/components/orc.py uses numbers"
        " that it no longer has: restore savegen.lock; or, to assign new numbers, delete"
        " this file and run savegen again\n"
    )
    assert renamed.run(command) == (2, "", error)
    assert renamed.files() == cut
    renamed.write("savegen.lock", before)
    assert renamed.run("components") == (0, "up to date\n", "")
    renamed.write("savegen.lock", re.sub(pattern, "", before))
    renamed.remove("game/_savegen/components/orc.py")
    assert renamed.run("components").code == 0
    assert "field game.orc.Orc.mp 99724565: int" in renamed.lock()


def test_numbers_are_known_whatever_lines_end_with(renamed):
    for path in ("components/orc.py", "registry.py", "types.py"):
        text = renamed.read(f"game/_savegen/{path}")
        renamed.write(f"game/_savegen/{path}", text.replace("\n", "\r\n"))
    renamed.write("savegen.lock", "")
    said = renamed.run("components")
    assert said.code == 2 and "orc.py uses numbers that it no longer has" in said.err


def test_an_empty_lock_comes_back_with_the_same_numbers(game):
    clean = game.read("savegen.lock")
    game.write("savegen.lock", "")
    assert game.run("components").code == 0
    assert game.read("savegen.lock") == clean


def test_generated_code_of_another_branch_is_no_sign_of_a_lost_line(game):
    before = game.read("savegen.lock")
    text = game.read("game/orc.py")
    orc(game, "hp: Saved[int] = 1", "mp: Saved[int] = 1")
    assert game.run("components").code == 0
    game.write("game/orc.py", text)
    game.write("savegen.lock", before)
    assert game.run("components").code == 0
    assert game.read("savegen.lock") == before


def test_an_empty_lock_can_be_reset(renamed):
    renamed.write("savegen.lock", "")
    assert renamed.run("lock", "reset", "--yes").code == 0
    assert "field game.orc.Orc.mp 99724565: int" in renamed.lock()


def numbers(game) -> dict[str, str]:
    rows = (line.split() for line in game.run("lock", "show").out.splitlines())
    return {row[0]: row[1] for row in rows}


def test_a_field_that_moves_up_or_down_a_line_of_classes_keeps_its_number(game):
    base = "from savegen import Saved, saveable\n\n\n@saveable\nclass Foe:\n    a: Saved[int] = 1\n"
    game.write("game/foe.py", base)
    game.write(
        "game/imp.py",
        base.replace("Foe:", "Imp(Foe):")
        .replace("a:", "b:")
        .replace("\n\n\n", "\nfrom game.foe import Foe\n\n\n", 1),
    )
    assert game.run("wire").code == game.run("components").code == 0
    before = numbers(game)
    game.replace("game/imp.py", "    b: Saved[int] = 1\n", "    pass\n")
    game.append("game/foe.py", "    b: Saved[int] = 1\n")
    assert game.run("components").code == 0
    assert numbers(game) == before | {"Foe.b": before["Imp.b"]}
    game.replace("game/imp.py", "    pass\n", "    a: Saved[int] = 1\n")
    game.replace("game/foe.py", "    a: Saved[int] = 1\n", "")
    assert game.run("components").code == 0
    assert numbers(game)["Imp.a"] == before["Imp.a"]


@pytest.mark.parametrize("name", ["Orc", "Orc.hp", "Elf"])
def test_what_is_still_in_the_source_is_not_retired(game, name):
    before = game.files()
    said = game.run("lock", "retire", name)
    assert said.code == 2
    assert f"{name} is still in the source: remove it there first" in said.err
    assert game.files() == before


def test_the_only_field_of_a_class_moves_up_in_a_bare_game_too(bare):
    lamp = f"{MARKS}\n\n@saveable\nclass Lamp:\n    lit: Saved[bool] = False\n"
    dimmer = "\n\n@saveable\nclass Dimmer(Lamp):\n    pass\n"
    level = "    level: Saved[int] = 3\n"
    bare.write("room.py", lamp + dimmer + level)
    assert bare.run("wire", "room.py").code == 0
    assert bare.run("components", "room.py").code == 0
    before = numbers(bare)
    wired = bare.read("room.py").replace(level, "")
    bare.write("room.py", wired.replace("= False\n", f"= False\n{level}"))
    assert bare.run("components", "room.py").code == 0
    assert numbers(bare) == before | {"Lamp.level": before["Dimmer.level"]}
    refused = bare.run("lock", "retire", "Dimmer.level")
    assert refused.code == 2 and "is still in the source" in refused.err


# What no version but the working copy has


@pytest.fixture
def tracked(game):
    """A game whose lock is committed."""
    repository(game.folder)
    return game


def test_a_field_that_was_never_committed_may_be_renamed_without_a_question(tracked):
    orc(tracked, "hp: Saved[int] = 1", "mana: Saved[str] = ''")
    assert tracked.run("components").code == 0
    orc(tracked, "hp: Saved[int] = 1", "magic: Saved[str] = ''")
    assert tracked.run("components").code == 0
    assert "mana" not in tracked.lock()
    assert tracked.run("components", "--locked", "--no-cache").code == 0


def test_a_field_that_was_committed_may_not(tracked):
    orc(tracked, "life: Saved[int] = 1")
    assert "SG301" in tracked.run("components").out


def test_a_field_of_a_release_may_not_though_no_commit_has_it(tracked):
    orc(tracked, "hp: Saved[int] = 1", "mana: Saved[str] = ''")
    assert tracked.run("components").code == 0
    assert tracked.run("release", "releases/1.0").code == 0
    orc(tracked, "hp: Saved[int] = 1", "magic: Saved[str] = ''")
    assert "SG301" in tracked.run("components").out


def test_a_field_of_a_branch_that_is_being_merged_may_not(tracked):
    git(tracked.folder, "checkout", "-q", "-b", "theirs")
    orc(tracked, "hp: Saved[int] = 1", "mana: Saved[str] = ''")
    assert tracked.run("components").code == 0
    git(tracked.folder, "commit", "-q", "-a", "-m", "theirs")
    git(tracked.folder, "checkout", "-q", "-")
    git(tracked.folder, "merge", "-q", "--no-ff", "--no-commit", "theirs")
    orc(tracked, "hp: Saved[int] = 1", "magic: Saved[str] = ''")
    assert "SG301" in tracked.run("components").out


def test_where_git_does_not_have_the_lock_the_question_is_asked(game):
    git(game.folder, "init", "-q")
    git(game.folder, "add", "game/orc.py")
    git(game.folder, "commit", "-q", "-m", "all but the lock")
    orc(game, "life: Saved[int] = 1")
    assert "SG301" in game.run("components").out


def test_a_former_name_that_comes_late_takes_over_a_number_that_is_not_committed(
    tracked,
):
    orc(tracked, "pass")
    assert tracked.run("components").code == 0
    orc(tracked, "life: Saved[str] = ''")
    assert tracked.run("components").code == 0
    before = numbers(tracked)
    text = tracked.read("game/orc.py").replace("import Saved", "import Save, Saved")
    tracked.write("game/orc.py", "from typing import Annotated\n" + text)
    tracked.replace("game/orc.py", "Saved[str]", "Annotated[str, Save(was='hp')]")
    assert tracked.run("components").code == 0
    assert numbers(tracked)["Orc.life"] == before["Orc.hp"]


def test_the_way_out_of_a_late_former_name_works(game):
    game.remove("game/orc.py")
    assert game.run("components").code == 0
    game.marked("game/ork.py", "Ork", "hp: Saved[float] = 1.0")
    assert game.run("wire").code == game.run("components").code == 0
    game.replace("game/ork.py", "@saveable", '@saveable(was="Orc")')
    said = game.run("components")
    assert said.code == 1 and "error[SG312]" in said.out
    line = re.search("delete the line of the (.*?) `(.*?)`", said.out)
    assert line
    lock = game.read("savegen.lock")
    game.write("savegen.lock", re.sub(f"{line[1]} ~.{{4}} {line[2]} .*\n", "", lock))
    said = game.run("components")
    assert said.code == 2 and "delete this file" in said.err
    game.remove("game/_savegen/types.py")
    assert game.run("components").code == 0
    assert numbers(game)["Ork"] == "851791107"


# Names that change together with what they belong to

RENAMES = """\
from dataclasses import dataclass
from enum import Enum
from typing import TypedDict
from savegen import Saved, part, prefab, saveable
from game._savegen.components.all import OrcSaveLoad


class Mood(Enum):
    CALM = 1
    WILD = 2


@dataclass
class Item:
    weight: float


class Loot(TypedDict):
    gold: int


@saveable
class Orc(OrcSaveLoad):
    mood: Saved[Mood] = Mood.CALM
    item: Saved[Item | None] = None
    loot: Saved[Loot | None] = None


@prefab
class Camp:
    orc = part(Orc)
"""


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({"weight": "mass", "Item": "Thing"}, "SG301 `weight`"),
        ({"weight: float": "mass: int", "Item": "Thing"}, "SG301 `weight`"),
        ({"gold: int": "silver: float"}, "SG301 `gold`"),
        ({"gold: int": "silver: float", "Loot": "Swag"}, "SG301 `gold`"),
        ({"mood: Saved[Mood] = Mood.CALM": "temper: Saved[int] = 1"}, "SG301 `mood`"),
        ({"WILD": "FURY", "Mood": "Temper"}, "SG303 `Mood.WILD`"),
        ({"Camp": "Base", "orc = part": "ork = part"}, "SG309 `Camp`"),
    ],
)
def test_a_name_that_changes_together_with_its_owner_or_type_is_asked_about(
    bare, changes, asked
):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/all.py", RENAMES)
    assert bare.run("build").code == 0
    text = RENAMES
    for old, new in changes.items():
        text = text.replace(old, new)
    bare.write("game/all.py", text)
    said = bare.run("check")
    code, name = asked.split(" ")
    assert said.out.count("error[") == 1 and f"error[{code}]" in said.out
    assert name in said.out
