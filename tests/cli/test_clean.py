"""`savegen clean`: removes what savegen has made, and nothing else."""

from __future__ import annotations

import os

import pytest

from savegen import disk
from tests.cli.games import TABLE

OUTPUTS = """\
removed game/_savegen/__init__.py
removed game/_savegen/components/__init__.py
removed game/_savegen/components/foes/__init__.py
removed game/_savegen/components/foes/elf.py
removed game/_savegen/components/orc.py
removed game/_savegen/registry.py
removed game/_savegen/types.py
"""
AGAIN = "run `savegen build` to write them again\n"


def test_what_was_generated_is_removed_and_the_cache(game):
    before = game.files()
    said = game.run("clean")
    assert said == (0, f"{OUTPUTS}removed .savegen_cache\nremoved 7 files\n", AGAIN)
    left = {path for path in before if "_savegen/" not in path}
    assert game.files().keys() == left and "savegen.lock" in left
    assert not (game.folder / ".savegen_cache").exists()
    assert not (game.folder / "game" / "_savegen").exists()


def test_a_run_brings_back_the_same(game):
    before = game.files()
    game.run("clean")
    assert game.run("components").out.endswith("wrote 7 files\n")
    assert game.files() == before


def test_a_second_clean_finds_nothing(game):
    game.run("clean")
    assert game.run("clean") == (0, "nothing to remove\n", "")
    assert not (game.folder / ".savegen_cache").exists()


def test_files_of_the_users_stay_in_the_output(game):
    game.write("game/_savegen/notes.txt", "mine")
    game.write("game/_savegen/components/mine.py", "x = 1\n")
    game.write("game/_savegen/savegen.lock", game.read("savegen.lock"))
    assert game.run("clean").out.startswith(OUTPUTS)
    kept = ["components/mine.py", "notes.txt", "savegen.lock"]
    assert game.generated() == kept


def test_what_was_written_by_hand_into_a_generated_file_is_kept(game):
    game.append("game/_savegen/types.py", "# mine\n")
    said = game.run("clean")
    assert said.out == f"{OUTPUTS}removed 7 files\n"
    note = ".savegen_cache stays: it holds generated files that you edited by hand\n"
    assert said.err == note + AGAIN
    kept = game.read(".savegen_cache/replaced/game/_savegen/types.py")
    assert kept.endswith("# mine\n")
    names = {path.name for path in (game.folder / ".savegen_cache").iterdir()}
    assert names == {"replaced", ".gitignore", "build.lock"}


def test_paths_are_those_from_the_working_folder(game):
    said = game.run("clean", cwd="game")
    assert said.out.startswith("removed _savegen/__init__.py\n")
    assert "removed ../.savegen_cache\n" in said.out


def test_an_output_that_leads_out_of_the_project_is_refused(make_game):
    game, other = make_game("game"), make_game("other")
    game.write("pyproject.toml", TABLE)
    game.marked("game/orc.py", "Orc")
    game.run("components")
    (game.folder / "game" / "_savegen").rename(other.folder / "_savegen")
    os.symlink(other.folder / "_savegen", game.folder / "game" / "_savegen")
    before = other.files()
    said = game.run("clean")
    assert said.code == 2 and "points outside the project" in said.err
    assert other.files() == before and (game.folder / ".savegen_cache/state").exists()
    game.write("pyproject.toml", '[tool.savegen]\noutput = "../other"\n')
    assert game.run("clean").code == 2 and other.files() == before


def test_a_cache_that_is_a_link_is_refused(game, tmp_path_factory):
    game.run("clean")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "state").write_text("mine")
    os.symlink(elsewhere, game.folder / ".savegen_cache")
    assert game.run("clean").code == 2
    assert (elsewhere / "state").read_text() == "mine"


def test_a_game_without_settings_names_its_files(bare):
    bare.marked("orc.py", "Orc")
    bare.run("components", "orc.py")
    assert bare.run("clean").code == 2
    assert bare.run("clean", "orc.py").code == 0
    assert bare.files().keys() == {"orc.py", "savegen.lock"}


def test_paths_are_refused_where_the_settings_say_it(game):
    before = game.files()
    said = game.run("clean", "game/orc.py")
    assert said.code == 2 and "takes no PATHS" in said.err
    assert game.files() == before


@pytest.mark.parametrize("sort", ["hard link", "folder"])
def test_what_only_looks_generated_does_no_harm(game, sort):
    path = game.folder / "game" / "_savegen" / "types.py"
    if sort == "hard link":
        os.link(path, game.folder / "mine.py")
        assert game.run("clean").code == 0 and game.read("mine.py")
    else:
        path.unlink()
        path.mkdir()
        assert game.run("clean").code == 0 and path.is_dir()


def test_another_build_is_waited_for(game, monkeypatch):
    monkeypatch.setattr(disk.BuildLock.__init__, "__defaults__", (0.1,))
    with disk.BuildLock(str(game.folder), "savegen components"):
        before = game.files()
        said = game.run("clean")
        assert said.code == 2 and "savegen components" in said.err
        assert game.files() == before


def test_names_of_the_cache_are_those_that_a_run_leaves(game):
    left = {path.name for path in (game.folder / ".savegen_cache").iterdir()}
    assert left == {"state", "memory", "sources", "build.lock", ".gitignore"}
