"""PATHS name files of a project: its settings count, wherever the command is run."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.games import TABLE


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


@pytest.fixture
def linked(make_game):
    """A generated game, and a folder beside it for links into the game."""
    game = make_game("proj")
    game.write("pyproject.toml", TABLE)
    game.write("game/__init__.py", "")
    game.marked("game/orc.py", "Orc")
    game.marked("game/foes/elf.py", "Elf")
    game.write("game/foes/__init__.py", "")
    assert (game.run("wire").code, game.run("build").code) == (0, 0)
    make_game("elsewhere")
    return game


COMMANDS = ["build", "components", "prefabs", "links", "check", "wire"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "target, path",
    [
        ("", ""),
        ("game", ""),
        ("game", "/orc.py"),
        ("game/foes", "/../orc.py"),
        ("game/orc.py", ""),
    ],
)
def test_a_path_through_a_link_belongs_to_the_project_that_it_leads_to(
    linked, command, target, path
):
    outside = linked.folder.parent / "elsewhere"
    link = "link.py" if target.endswith(".py") else "link"
    (outside / link).symlink_to(linked.folder / target)
    before = linked.files()
    said = linked.run(command, link + path, cwd="../elsewhere")
    assert (said.code, said.out) == (0, "up to date\n")
    assert linked.files() == before
    assert [each.name for each in outside.iterdir()] == [link]


def test_a_build_through_a_link_writes_into_the_project(linked):
    outside = linked.folder.parent / "elsewhere"
    (outside / "link").symlink_to(linked.folder / "game")
    linked.append("game/orc.py", "    speed: Saved[int] = 1\n")
    said = linked.run("build", "link/orc.py", cwd="../elsewhere")
    assert (said.code, said.err) == (0, "")
    assert "wrote ../proj/game/_savegen/components/orc.py" in said.out
    assert "speed" in linked.read("game/_savegen/components/orc.py")
    assert linked.run("check") == (0, "up to date\n", "")
    assert [each.name for each in outside.iterdir()] == ["link"]


def test_a_link_in_the_project_names_the_sources_that_it_leads_to(linked):
    (linked.folder / "deep").mkdir()
    (linked.folder / "deep/l").symlink_to(linked.folder / "game/foes")
    linked.append("game/orc.py", "    speed: Saved[int] = 1\n")
    linked.append("game/foes/elf.py", "    speed: Saved[int] = 1\n")
    assert linked.run("components", "deep/l").code == 0
    assert "speed" in linked.read("game/_savegen/components/foes/elf.py")
    assert "speed" not in linked.read("game/_savegen/components/orc.py")


def test_a_link_that_is_a_source_belongs_to_the_project_that_reads_it(linked):
    outside = linked.folder.parent / "elsewhere"
    (linked.folder / "game/imp.py").symlink_to(outside / "imp.py")
    linked.write("../elsewhere/pyproject.toml", '[tool.savegen]\nsource = "."\n')
    linked.marked("../elsewhere/imp.py", "Imp")
    assert linked.run("components", "game/imp.py").code == 0
    assert "Imp" in linked.read("game/_savegen/components/imp.py")
    assert not (outside / "_savegen").exists()


def test_a_path_below_a_source_that_is_a_link_belongs_to_the_project(make_game):
    game, shared = make_game("proj"), make_game("shared")
    game.write("pyproject.toml", TABLE + 'output = "made"\n')
    shared.marked("orc.py", "Orc")
    (game.folder / "game").symlink_to(shared.folder)
    assert game.run("components", "game/orc.py").code == 0
    assert "Orc" in game.read("made/components/orc.py")
    assert [*shared.files()] == ["orc.py"]


def test_one_project_by_two_ways_is_one_project(linked):
    outside = linked.folder.parent / "elsewhere"
    (outside / "link").symlink_to(linked.folder)
    said = linked.run("check", "link", "../proj/game/orc.py", cwd="../elsewhere")
    assert said == (0, "up to date\n", "")


@pytest.mark.parametrize("path", ["link", "link.py"])
def test_a_link_to_a_game_without_configuration_leads_to_that_game(make_game, path):
    there, here = make_game("there"), make_game("here")
    there.write("game/__init__.py", "")
    there.marked("game/orc.py", "Orc")
    target = "game" if path == "link" else "game/orc.py"
    assert (there.run("wire", target).code, there.run("build", target).code) == (0, 0)
    before = there.files()
    (here.folder / path).symlink_to(there.folder / target)
    assert here.run("build", path) == (0, "up to date\n", "")
    assert there.files() == before
    assert [each.name for each in here.folder.iterdir()] == [path]


def test_one_of_several_files_without_configuration_may_be_a_link(make_game):
    there, here = make_game("there"), make_game("here")
    there.marked("imp.py", "Imp")
    here.marked("orc.py", "Orc")
    (here.folder / "imp.py").symlink_to(there.folder / "imp.py")
    assert here.run("components", "orc.py", "imp.py").code == 0
    assert "Imp" in here.read("_savegen/components/imp.py")
    assert [*there.files()] == ["imp.py"]


@pytest.fixture
def several(make_game):
    """A folder without configuration that contains two generated projects and a script."""
    around = make_game("around")
    for name in ("one", "two"):
        around.write(f"{name}/pyproject.toml", TABLE)
        around.marked(f"{name}/game/orc.py", "Orc")
        assert around.run("build", cwd=name).code == 0
    around.marked("script.py", "Script")
    return around


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_around_several_projects_is_refused(several, command):
    before = several.files()
    said = several.run(command, ".")
    assert said == (
        2,
        "",
        "error: . contains one/pyproject.toml and two/pyproject.toml with"
        " [tool.savegen]; run savegen once for each project\n",
    )
    assert several.files() == before


def test_a_folder_around_one_project_is_refused_from_wherever(several, make_game):
    shutil.rmtree(several.folder / "two")
    make_game("elsewhere")
    said = several.run("check", "../around", cwd="../elsewhere")
    assert said == (
        2,
        "",
        "error: ../around contains ../around/one/pyproject.toml with [tool.savegen];"
        " run savegen once for each project\n",
    )


def test_a_file_beside_projects_is_a_game_of_its_own(several):
    assert several.run("wire", "script.py").code == 0
    assert several.run("build", "script.py").code == 0
    assert several.run("check", "script.py") == (0, "up to date\n", "")


def test_a_pyproject_without_the_table_makes_no_project(several):
    for name in ("one", "two"):
        several.write(f"{name}/pyproject.toml", '[project]\nname = "savegen-user"\n')
        shutil.rmtree(several.folder / name / "game/_savegen")
        several.marked(f"{name}/game/orc.py", "Orc")
    assert several.run("components", ".").code == 0
