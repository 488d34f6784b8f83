"""Marks in files that are no sources, and outputs that git ignores: both are reported."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from savegen import disk
from tests.cli.games import TABLE, Game
from tests.project import git, repository


def reported(game: Game, *words: str) -> set[str]:
    """Run a command, which must succeed; return the places of its warnings."""
    said = game.run(*(words or ["build"]), "--all")
    assert said.code == 0, said
    return {*re.findall(r"^ *--> (.*)$", said.out, re.MULTILINE)}


# Marks in files that are no sources


@pytest.mark.parametrize(
    "text",
    [
        "from savegen import saveable\n@saveable\nclass Elf: ...\n",
        "from savegen import saveable as s\n@s(id=3)\nclass Elf: ...\n",
        "import savegen as s\n@s.prefab\nclass Elf: ...\n",
        "from savegen import *\n@converter\ndef old(value): ...\n",
        "import savegen.runtime\n@savegen.runtime.migration(1)\ndef old(value): ...\n",
        "from savegen import saveable\nkeep = saveable\n@keep\nclass Elf: ...\n",
        "from game.marks import keep\n@keep\nclass Elf: ...\n",
        "import game.marks as m\n@m.keep\nclass Elf: ...\n",
        "from game.marks import *\n@saveable\nclass Elf: ...\n",
        "def f():\n  import savegen\n  @savegen.saveable\n  class Elf: ...\n",
        "from savegen import saveable\n@saveable\nclass Elf(:\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_mark_in_a_file_beside_the_source_is_reported(game, text, encoding):
    game.write("game/marks.py", "from savegen import *\nkeep = saveable\n")
    game.run("build")
    game.write("elves.py", text.encode(encoding))
    for command in ("build", "components", "check", "build"):
        (place,) = reported(game, command)
        assert place.startswith("elves.py:")


@pytest.mark.parametrize(
    "text",
    [
        "from game.orc import Orc\n",
        "from savegen import SaveLoadManager, saveable\nclass Elf: ...\n",
        "from attrs import converter\n@converter\ndef old(value): ...\n",
        "TEXT = '''\n@saveable\nclass Elf: ...\n'''\nimport savegen\n",
        "from savegen import saveable\n# savegen: ignore[SG134]\n@saveable\nclass E: ...\n",
    ],
)
def test_a_file_without_a_mark_is_not_reported(game, text):
    game.write("elves.py", text)
    assert reported(game) == set()


def test_the_warning_names_the_file_and_the_way_out(game):
    game.marked("elves.py", "Elf")
    said = game.run("build")
    assert said.code == 0 and said.out == (
        "warning[SG134]: `Elf` is marked `@saveable`, but this file is not in `source`, so"
        " savegen does not read it\n"
        " --> elves.py:5:7\n  |\n5 | class Elf:\n  |       ^^^\n"
        '  = help: if the game uses it, add "elves.py" to `source` in [tool.savegen];'
        " otherwise add it to `exclude`\n\n1 warning\nup to date\n"
    )
    assert game.run("build", "--strict").code == 1
    game.write("pyproject.toml", f"{TABLE}exclude = ['elves.py']\n")
    assert game.run("build") == (0, "up to date\n", "")
    sources = "[tool.savegen]\nsource = ['game', 'elves.py']\n"
    game.write("pyproject.toml", sources)
    assert "wrote elves.py\n" in game.run("build").out


def test_a_path_that_is_no_glob_of_itself_is_named_as_the_glob_to_exclude(game):
    game.marked("old [1]/elves.py", "Elf")
    assert '; otherwise add "old [[]1]" to `exclude`' in game.run("build").out
    game.write("pyproject.toml", f"{TABLE}exclude = ['old [[]1]']\n")
    assert game.run("build") == (0, "up to date\n", "")


def test_a_folder_is_reported_once_and_named_as_a_whole(bare):
    bare.write("pyproject.toml", '[tool.savegen]\nsource = "src/game"\n')
    bare.marked("src/game/orc.py", "Orc")
    for path in ("a", "b", "deep/c"):
        bare.marked(f"src/editor/{path}.py", "Brush")
    said = bare.run("build")
    assert said.out.count("[SG134]") == 1 and "--> src/editor/a.py:5:7\n" in said.out
    assert "the same is true of 2 other files in `src/editor`" in said.out
    assert 'add "src/editor" to `source`' in said.out


@pytest.mark.parametrize(
    "path",
    [
        "build/lib/game/elf.py",
        "dist/elf.py",
        "node_modules/elf.py",
        ".venv/elf.py",
        "venv/lib/elf.py",
        "other/elf.py",
        "link.py",
    ],
)
def test_copies_environments_and_other_projects_are_not_searched(game, path):
    game.write("venv/pyvenv.cfg", "")
    game.write("other/pyproject.toml", TABLE)
    if path == "link.py":
        os.symlink("game/orc.py", game.folder / path)
    else:
        game.marked(path, "Elf")
    assert reported(game) == set()


def test_a_mark_that_appears_or_vanishes_is_noticed_although_no_source_has_changed(
    game,
):
    game.write("tests/test_a.py", "import game\n")
    game.write("tests/test_b.py", "import game\n")
    game.run("build")
    game.write("tests/test_a.py", "import game.orc\n")  # no mark: nothing to do
    assert reported(game) == set()
    game.marked("tests/test_a.py", "Elf")
    assert reported(game) == reported(game) == {"tests/test_a.py:5:7"}
    game.append("tests/test_b.py", "import sys\n")
    assert reported(game) == {"tests/test_a.py:5:7"}
    game.remove("tests/test_a.py")
    assert reported(game) == set()


def test_an_unchanged_file_that_is_no_source_is_not_read_again(game, monkeypatch):
    read = disk.read
    monkeypatch.setattr(disk, "RACY_NS", -(10**15))  # no file counts as just written
    for number in range(3):
        game.marked(f"tests/test_{number}.py", "Elf")
    game.run("build")
    opened: list[str] = []

    def counted(path):
        opened.append(path)
        return read(path)

    monkeypatch.setattr(disk, "read", counted)
    game.append("game/orc.py", "    # a comment\n")
    assert len(reported(game, "components", "-q")) == 1
    assert len([path for path in opened if "tests" in path]) == 1  # to show its line


def test_files_that_git_ignores_are_not_reported(game):
    game.marked("scratch/elf.py", "Elf")
    git(game.folder, "init", "-q")
    assert reported(game) == {"scratch/elf.py:5:7"}
    game.write(".gitignore", "scratch/\n")
    assert reported(game) == set()


def test_a_bare_game_reports_the_files_that_it_imports(bare):
    bare.marked("orcs.py", "Orc")
    bare.marked("elves.py", "Elf")
    bare.write("hub.py", "from elves import Elf\n")
    bare.marked("game.py", "Hero")
    bare.marked("stranger.py", "Stranger")
    bare.append("game.py", "\n\nimport orcs, hub\n")
    said = bare.run("build", "game.py")
    assert said.code == 0 and "--> elves.py:5:7\n" in said.out
    assert "name it, too: run `savegen build game.py elves.py orcs.py`" in said.out
    assert bare.run("build", "game.py", "elves.py", "orcs.py").out.count("SG134") == 0
    assert reported(bare, "build", "game.py") == set()


# Outputs that git ignores


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("save*", "`savegen.lock`"),
        ("*.lock", "`savegen.lock`"),
        ("*save*", "`savegen.lock` and the generated code in `game/_savegen`"),
        ("_savegen/", "the generated code in `game/_savegen`"),
        ("/game/_*/components", "`game/_savegen/components/__init__.py` and 3 other"),
        ("types.py", "`game/_savegen/types.py`"),
    ],
)
def test_an_output_that_git_ignores_is_reported(game, pattern, what):
    game.write(".gitignore", f"*.pyc\n{pattern}\n")
    git(game.folder, "init", "-q")
    for command in ("build", "check", "components", "build"):
        said = game.run(command)
        assert said.code == 0 and f"warning[SG135]: git ignores {what}" in said.out
        assert "--> .gitignore:2:1\n" in said.out and f"2 | {pattern}\n" in said.out
    assert game.run("check", "--tracked").code in (0, 2)  # nothing is added yet


def test_it_is_reported_no_longer_when_git_does_not_ignore_it_any_more(game):
    game.write(".gitignore", "save*\n")
    git(game.folder, "init", "-q")
    assert reported(game) == {".gitignore:1:1"}
    game.append(".gitignore", "!savegen.lock\n")
    assert reported(game) == set()
    game.write(".gitignore", "save*\n")
    assert reported(game) == {".gitignore:1:1"}
    git(game.folder, "add", "-f", "savegen.lock")
    assert reported(game) == set()


def test_who_does_not_commit_the_code_says_so_beside_the_pattern(game):
    game.write(".gitignore", "# savegen: ignore[SG135]\n_savegen/\n")
    repository(game.folder)
    assert reported(game) == set()


def test_a_pattern_of_a_folder_above_counts_and_a_game_that_git_ignores_does_not(game):
    above = game.folder.parent
    (above / ".gitignore").write_text("*.lock\n")
    git(above, "init", "-q")
    try:
        assert reported(game) == {"../.gitignore:1:1"}
        (above / ".gitignore").write_text(f"{game.folder.name}/\n")
        assert reported(game) == set()
    finally:
        (above / ".gitignore").unlink()
        shutil.rmtree(above / ".git")


def test_one_of_the_files_of_pass_3_that_git_ignores_is_named_before_it_is_there(bare):
    from tests.cli.prefabricated import prefabricated

    camp = prefabricated(bare)
    camp.write(".gitignore", "*.json\n")
    git(camp.folder, "init", "-q")
    said = camp.run("build")
    assert said.code == 0 and "level.schema.json` and 1 other generated" in said.out


def test_without_git_nothing_is_asked(game, monkeypatch):
    game.write(".gitignore", "save*\n")
    assert reported(game) == set()
    git(game.folder, "init", "-q")
    monkeypatch.setenv("PATH", "")
    assert reported(game, "build", "--no-cache") == set()
