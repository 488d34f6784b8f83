"""`SaveLoadManager(…, check=True)`: a game tells that savegen was not run since it was changed."""

from __future__ import annotations

import pytest

GAME = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import game.orc
    from game._savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    for _ in range(2):
        SaveLoadManager(REGISTRY, check={check})
for each in told:
    print(each.message, each.filename)
"""
CHECKED, UNCHECKED = GAME.format(check=True), GAME.format(check=False)
FORGOTTEN = (
    "game.orc has changed since savegen ran last: run `savegen build` <string>\n"
)


@pytest.fixture
def changed(game):
    game.append("game/orc.py", "    mp: Saved[int] = 0\n")
    return game


def test_a_game_as_it_was_built_says_nothing(game):
    assert game.python(CHECKED) == ""


def test_a_forgotten_build_is_told_once_where_the_manager_is_made(changed):
    assert changed.python(CHECKED) == FORGOTTEN


def test_nobody_is_told_who_has_not_asked(changed):
    assert changed.python(UNCHECKED) == ""


@pytest.mark.parametrize("verb", ["components", "build"])
def test_a_run_settles_it(changed, verb):
    assert changed.run(verb).code == 0
    assert changed.python(CHECKED) == ""


def test_a_run_that_has_nothing_to_write_settles_it_too(game):
    game.append("game/orc.py", "\n    def roar(self) -> None: ...\n")
    assert game.python(CHECKED) == FORGOTTEN
    assert game.run("components") == (0, "up to date\n", "")
    assert game.python(CHECKED) == ""


def test_a_run_that_fails_settles_nothing(changed):
    changed.append("game/orc.py", "    bag: Saved[list]\n")
    assert changed.run("components").code == 1
    assert changed.python(CHECKED) == FORGOTTEN


def test_a_run_that_may_not_change_numbers_settles_nothing(changed):
    assert changed.run("components", "--locked").code == 1
    assert changed.python(CHECKED) == FORGOTTEN


def test_a_module_that_nobody_imports_and_one_without_marks_do_not_matter(game):
    game.append("game/foes/elf.py", "    mp: Saved[int] = 0\n")
    game.append("game/__init__.py", "# A game.\n")
    assert game.python(CHECKED) == ""


def test_a_game_that_was_never_built_here_says_nothing(changed):
    for path in (changed.folder / ".savegen_cache").iterdir():
        path.unlink()
    assert changed.python(CHECKED) == ""


@pytest.mark.parametrize("noise", [b"", b"{", b"[3]", b'{"game.orc": 3}', b"\xff"])
def test_what_is_remembered_may_be_damaged(changed, noise):
    changed.write(".savegen_cache/sources", noise)
    assert changed.python(CHECKED) == ""


def test_a_clean_project_remembers_nothing(game):
    assert game.run("clean").code == 0
    assert not (game.folder / ".savegen_cache").exists()
