"""PATHS name files of a project: its settings count, wherever the command is run."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.games import TABLE, Game


@pytest.fixture
def other(make_game):
    """A generated game with a prefab and an output of its own, and an empty folder."""
    game = make_game("proj")
    game.write("pyproject.toml", TABLE + 'output = "game/made"\n')
    game.write("game/__init__.py", "")
    game.write("game/foes/__init__.py", "")
    game.marked("game/foes/elf.py", "Elf")
    game.marked("game/things.py", "Coin")
    game.replace("game/things.py", "@saveable", "@saveable(prefab=True)")
    assert (game.run("wire").code, game.run("build").code) == (0, 0)
    make_game("elsewhere")
    return game


@pytest.mark.parametrize(
    "path", ["../proj/game/things.py", "../proj/game/foes/elf.py", "../proj"]
)
def test_a_build_from_another_folder_uses_the_settings_above_the_named_file(
    other, path
):
    before = other.files()
    said = other.run("build", path, cwd="../elsewhere")
    assert said == (0, "up to date\n", "")
    assert other.files() == before
    assert not list((other.folder.parent / "elsewhere").iterdir())


@pytest.mark.parametrize("command", ["components", "prefabs", "links", "check", "wire"])
def test_every_command_with_paths_uses_the_settings_above_the_named_file(
    other, command
):
    before = other.files()
    said = other.run(command, "../proj/game/things.py", cwd="../elsewhere")
    assert said == (0, "up to date\n", "")
    assert other.files() == before


def test_the_settings_of_the_working_folder_do_not_count_for_other_projects(make_game):
    here, there = (make_game(name) for name in ("here", "there"))
    for game in (here, there):
        game.write("pyproject.toml", TABLE)
        game.write("game/__init__.py", "")
        game.marked("game/orc.py", "Orc")
    assert here.run("wire", "../there/game/orc.py").code == 0
    assert "OrcSaveLoad" in there.read("game/orc.py")
    assert "OrcSaveLoad" not in here.read("game/orc.py")


def test_a_project_inside_another_has_its_own_settings(game):
    shutil.copytree(game.folder / "game", game.folder / "inner/game")
    game.write("inner/pyproject.toml", TABLE)
    assert game.run("components", "inner/game/orc.py").code == 0
    assert (game.folder / "inner/savegen.lock").exists()


def test_paths_in_two_projects_are_refused(make_game):
    for name in ("one", "two"):
        game = make_game(name)
        game.write("pyproject.toml", TABLE)
        game.marked("game/orc.py", "Orc")
    before = game.files()
    said = game.run("build", "../one/game/orc.py", "game")
    assert said == (
        2,
        "",
        "error: ../one/game/orc.py belongs to ../one/pyproject.toml, but game belongs to"
        " pyproject.toml; run savegen once for each project\n",
    )
    assert game.files() == before


def test_a_named_configuration_wins_over_the_one_above_a_path(game):
    game.write("inner/pyproject.toml", TABLE)
    game.marked("inner/game/elf.py", "Elf")
    said = game.run("components", "inner/game/elf.py", "--config", "pyproject.toml")
    assert said == (
        2,
        "",
        "error: inner/game/elf.py is not one of the game's sources\n",
    )


def test_a_file_outside_every_project_is_a_game_of_its_own(make_game):
    here, there = (make_game(name) for name in ("here", "there"))
    here.write("pyproject.toml", TABLE)
    here.write("game/__init__.py", "")
    there.marked("game.py", "Orc")
    assert here.run("wire", "../there/game.py").code == 0
    assert here.run("components", "../there/game.py").code == 0
    assert (there.folder / "_savegen/registry.py").exists()


def test_a_folder_around_the_project_is_no_game(game):
    before = game.files()
    said = game.run("build", "..")
    assert said == (2, "", "error: .. is not one of the game's sources\n")
    assert game.files() == before


def test_a_command_to_run_next_works_from_the_folder_where_it_is_read(other):
    other.append("game/things.py", "    shine: Saved[int] = 1\n")
    said = other.run("links", "../proj/game/things.py", cwd="../elsewhere")
    assert said.code == 1
    command = said.err.partition("run `savegen ")[2].partition("`")[0]
    assert "--config ../proj/pyproject.toml" in command
