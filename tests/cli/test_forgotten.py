"""A game warns when it starts if savegen was not run since the game was changed."""

from __future__ import annotations

import os
import shutil

import pytest

GAME = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import game.orc
    from game._savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    for _ in range(2):
        SaveLoadManager(REGISTRY)
for each in told:
    print(each.message, each.filename)
"""
FORGOTTEN = (
    "game.orc has changed since savegen ran last: run `savegen build` <string>\n"
)


@pytest.fixture
def changed(game):
    game.append("game/orc.py", "    mp: Saved[int] = 0\n")
    return game


def test_a_game_as_it_was_built_says_nothing(game):
    assert game.python(GAME) == ""


def test_a_forgotten_build_is_told_once_where_the_manager_is_made(changed):
    assert changed.python(GAME) == FORGOTTEN


def test_a_file_that_was_only_touched_is_not_told_of(game):
    os.utime(game.folder / "game/orc.py", ns=(1, 1))
    assert game.python(GAME) == ""


def test_only_files_with_another_size_or_time_are_read(game):
    opened = """
import sys
files = []
sys.addaudithook(lambda event, args: event == "open" and files.append(str(args[0])))
import game.orc
from game._savegen.registry import REGISTRY
from savegen.runtime import SaveLoadManager
files.clear()
SaveLoadManager(REGISTRY)
print([file for file in files if file.endswith("orc.py")])
"""
    assert game.python(opened) == "[]\n"


def test_a_change_of_the_same_size_is_told(game):
    source = game.folder / "game/orc.py"
    text = source.read_text()
    source.write_text(text.replace("hp", "mp"))
    assert game.python(GAME) == FORGOTTEN and len(text) == source.stat().st_size


def test_an_installed_copy_of_the_game_says_nothing(changed):
    """The copy lies below the project, as in a virtual environment there."""
    site = changed.folder / ".venv/site-packages"
    shutil.copytree(changed.folder / "game", site / "game")
    changed.append("game/orc.py", "    sp: Saved[int] = 0\n")
    start = f"import sys; sys.path.insert(0, {str(site)!r})\n"
    where = "\nprint('.venv' in game.orc.__file__)"
    assert changed.python(start + GAME + where) == "True\n"


def test_a_game_without_source_files_says_nothing(changed):
    """Like a frozen game, whose modules have no files."""
    hide = """
import sys
import game.orc, game._savegen.registry
for name, module in [*sys.modules.items()]:
    if name.startswith("game"):
        del module.__file__
"""
    assert changed.python(hide + GAME) == ""


def test_a_cache_that_cannot_be_read_says_nothing(changed):
    path = changed.folder / ".savegen_cache/sources"
    path.unlink()
    path.mkdir()
    assert changed.python(GAME) == ""


@pytest.mark.parametrize("verb", ["components", "build"])
def test_a_run_settles_it(changed, verb):
    assert changed.run(verb).code == 0
    assert changed.python(GAME) == ""


def test_a_run_that_has_nothing_to_write_settles_it_too(game):
    game.append("game/orc.py", "\n    def roar(self) -> None: ...\n")
    assert game.python(GAME) == FORGOTTEN
    assert game.run("components") == (0, "up to date\n", "")
    assert game.python(GAME) == ""


def test_a_run_that_fails_settles_nothing(changed):
    changed.append("game/orc.py", "    bag: Saved[list]\n")
    assert changed.run("components").code == 1
    assert changed.python(GAME) == FORGOTTEN


def test_a_run_that_may_not_change_numbers_settles_nothing(changed):
    assert changed.run("components", "--locked").code == 1
    assert changed.python(GAME) == FORGOTTEN


def test_a_module_that_nobody_imports_and_one_without_marks_do_not_matter(game):
    game.append("game/foes/elf.py", "    mp: Saved[int] = 0\n")
    game.append("game/__init__.py", "# A game.\n")
    assert game.python(GAME) == ""


def test_a_game_that_was_never_built_here_says_nothing(changed):
    for path in (changed.folder / ".savegen_cache").iterdir():
        path.unlink()
    assert changed.python(GAME) == ""


@pytest.mark.parametrize(
    "noise", [b"", b"{", b"[3]", b'{"game.orc": 3}', b"\xff", b"[" * 9**5]
)
def test_what_is_remembered_may_be_damaged(changed, noise):
    changed.write(".savegen_cache/sources", noise)
    assert changed.python(GAME) == ""


def test_a_clean_project_remembers_nothing(game):
    assert game.run("clean").code == 0
    assert not (game.folder / ".savegen_cache").exists()
