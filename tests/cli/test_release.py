"""`savegen release`: what a version that shipped has numbered stays known."""

from __future__ import annotations

import pytest

KEPT = "releases/1.0/savegen.lock"
MARK = "# ~8fd1 A version that shipped: its saves hold these numbers. Do not edit this copy."


def test_the_lock_is_copied_with_a_mark(game):
    assert game.door("release", "releases/1.0") == (0, f"wrote {KEPT}\n", "")
    head, *facts = game.read("savegen.lock").splitlines()
    assert game.read(KEPT).splitlines() == [head, MARK, *facts]
    assert game.run("release", "releases/1.0") == (0, "up to date\n", "")
    assert game.run("check") == game.run("components") == (0, "up to date\n", "")


def test_what_another_version_had_is_replaced_by_force_alone(game):
    game.run("release", "releases/1.0")
    before = game.read(KEPT)
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    game.run("components")
    error = (
        f"error: {KEPT} already exists and differs:"
        " choose another folder, or replace it with --force\n"
    )
    assert game.run("release", "releases/1.0") == (2, "", error)
    assert game.read(KEPT) == before
    assert game.run("release", "releases/1.1").code == 0
    assert game.run("release", "--force", "releases/1.0").code == 0
    assert "field game.orc.Orc.mp" in game.lock(KEPT)


def test_a_lock_that_is_behind_the_source_is_no_release(game):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    before = game.files()
    error = "error: savegen.lock is not up to date: run `savegen build` first\n"
    assert game.run("release", "releases/1.0") == (1, "", error)
    game.append("game/orc.py", "    bag: Saved[list] = ()\n")
    said = game.run("release", "releases/1.0")
    assert said.code == 1 and "SG206" in said.out
    assert game.files().keys() == before.keys()


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        (".", "must be a separate folder inside the project"),
        ("game/..", "must be a separate folder inside the project"),
        ("../elsewhere", "must be a separate folder inside the project"),
        ("game/_savegen", "is inside the output folder: choose another folder"),
        ("game/_savegen/old", "is inside the output folder: choose another folder"),
    ],
)
def test_a_folder_where_it_would_not_be_found_is_refused(game, folder, reason):
    before = game.files()
    assert game.run("release", folder) == (2, "", f"error: {folder} {reason}\n")
    assert game.files() == before


@pytest.mark.parametrize("folder", [".releases", ".git/x", "node_modules/x"])
def test_a_folder_that_savegen_skips_is_refused(game, folder):
    before = game.files()
    error = f"error: savegen does not look in {folder}: choose another folder\n"
    assert game.run("release", folder) == (2, "", error)
    assert game.files() == before


def test_a_link_out_of_the_project_is_refused(game, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (game.folder / "releases").symlink_to(elsewhere)
    assert game.run("release", "releases/1.0").code == 2
    assert not list(elsewhere.iterdir())


def test_a_file_in_the_way_is_told(game):
    game.write("releases", "")
    said = game.run("release", "releases/1.0")
    assert said.code == 2 and said.err.startswith("error: ")


def test_without_a_lock_there_is_nothing_to_keep(game):
    game.remove("savegen.lock")
    error = "error: there is no savegen.lock yet: run `savegen build`\n"
    assert game.run("release", "releases/1.0") == (2, "", error)


def test_a_bare_game_has_releases_too(bare):
    bare.marked("game.py", "Orc")
    bare.run("components", "game.py")
    assert bare.run("release", "shipped") == (0, "wrote shipped/savegen.lock\n", "")
    said = bare.run("lock", "reset", "--yes")
    assert said.code == 2 and "shipped/savegen.lock" in said.err
