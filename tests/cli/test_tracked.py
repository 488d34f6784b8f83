"""`--tracked`: what a hook sees is what the commit will have."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from tests.cli.games import Game
from tests.project import git, repository

REGISTRY = "game/_savegen/registry.py"
IMP = "game/_savegen/components/imp.py"


@pytest.fixture
def repo(game):
    """A game under git, nothing left to be committed."""
    repository(game.folder)
    return game


@pytest.fixture
def working(repo):
    """A game with a new class that is built, and that nobody has added to git yet."""
    repo.marked("game/imp.py", "Imp")
    assert repo.run("build", "-q").code == 0
    return repo


def test_what_is_all_tracked_is_up_to_date(repo):
    assert repo.door("components", "--tracked") == (0, "up to date\n", "")
    assert repo.door("check", "--tracked") == (0, "up to date\n", "")


def test_a_file_that_is_not_added_counts_as_absent(working):
    assert "ImpSaveLoad" in working.read(REGISTRY)
    said = working.run("check", "--tracked")
    mend = "run `savegen components --tracked` to fix this\n"
    assert said.code == 1 and said.err == mend
    assert f"would change {REGISTRY}\n" in said.out and IMP not in said.out
    assert working.run("components", "--tracked", "-q").code == 0
    assert "ImpSaveLoad" not in working.read(REGISTRY)
    assert working.run("check", "--tracked") == (0, "up to date\n", "")


def test_nothing_is_taken_from_somebody_who_works_on_a_new_class(working):
    before = working.files()
    working.run("components", "--tracked", "-q")
    assert working.files().keys() == before.keys()
    assert working.run("components", "-q").code == 0
    assert working.files() == before


def test_a_folder_that_is_not_added_counts_as_absent(repo):
    repo.marked("game/new[1]/one.py", "One")
    repo.marked("game/new/two.py", "Two")
    repo.write("game/new/__init__.py", "")
    assert repo.run("components", "--tracked") == (0, "up to date\n", "")
    git(repo.folder, "add", "game/new")
    assert repo.run("components", "--tracked").code == 1
    assert "new_two" in repo.read(REGISTRY) and "One" not in repo.read(REGISTRY)


@pytest.mark.parametrize("command", ["components", "check"])
def test_an_output_that_is_not_added_is_told(working, command):
    git(working.folder, "add", "game/imp.py", REGISTRY, "game/_savegen/types.py")
    git(working.folder, "add", "savegen.lock")
    note = f"the commit will not contain these files: run `git add {IMP}`\n"
    said = working.run(command, "--tracked", "-q")
    assert said.code == 1 and f"untracked {IMP}\n" in said.out
    assert working.run(command, "--tracked").err.endswith(note)
    git(working.folder, "add", IMP)
    assert working.run(command, "--tracked", "-q").code == 0


def test_outputs_that_git_ignores_are_not_missed(working):
    working.write(".gitignore", "_savegen/\n")
    git(working.folder, "rm", "-rq", "--cached", "game/_savegen")
    git(working.folder, "add", "game/imp.py", "savegen.lock")
    assert working.run("components", "--tracked", "-q").code == 0


@pytest.mark.parametrize("command", ["components", "prefabs", "check"])
def test_a_class_that_is_not_wired_fails_in_every_hook(repo, command):
    repo.marked("game/imp.py", "Imp")
    repo.run("components")
    git(repo.folder, "add", "-A")
    said = repo.run(command, "--tracked")
    assert said.code == 1 and "would change game/imp.py\n" in said.out
    assert "run `savegen build` to fix this\n" in said.err
    assert repo.run("build").code == 0
    git(repo.folder, "add", "-A")
    assert repo.run(command, "--tracked").code == 0


def test_a_class_that_is_not_wired_and_not_added_fails_in_no_hook(repo):
    repo.marked("game/imp.py", "Imp")
    for command in ("components", "prefabs", "check"):
        assert repo.run(command, "--tracked").code == 0


def test_a_source_that_is_deleted_is_gone(repo):
    git(repo.folder, "rm", "-q", "game/orc.py")
    said = repo.run("components", "--tracked")
    assert said.code == 0 and "removed game/_savegen/components/orc.py\n" in said.out


def test_a_project_below_the_repository_is_looked_at_alone(game):
    git(game.folder.parent, "init", "-q")
    try:
        git(game.folder, "add", "-A", ".")  # other tests have folders beside this one
        game.marked("game/imp.py", "Imp")
        assert game.run("components", "--tracked") == (0, "up to date\n", "")
    finally:
        shutil.rmtree(game.folder.parent / ".git")


@pytest.mark.parametrize("command", ["components", "check"])
@pytest.mark.parametrize("source", ["mods", "mods/deep", "extra.py"])
def test_a_source_that_is_not_added_is_refused(repo, command, source):
    repo.marked(source if source.endswith(".py") else "mods/deep/two.py", "Two")
    repo.write("pyproject.toml", f"[tool.savegen]\nsource = ['game', '{source}']\n")
    before = repo.files()
    error = (
        f"error: git does not track the source {source}: add it to git, or the"
        " commit will not contain it\n"
    )
    assert repo.run(command, "--tracked") == (2, "", error)
    assert repo.files() == before
    git(repo.folder, "add", source)
    assert repo.run(command, "--tracked").code == 1
    assert repo.run("wire", "-q").code == repo.run("components", "-q").code == 0
    git(repo.folder, "add", "-A")
    assert repo.run(command, "--tracked") == (0, "up to date\n", "")


def test_a_game_that_is_not_added_at_all_is_refused(game):
    git(game.folder.parent, "init", "-q")
    try:
        said = game.run("check", "--tracked")
        assert said.code == 2 and "git does not track the source game" in said.err
    finally:
        shutil.rmtree(game.folder.parent / ".git")


HOOK = """\
#!/bin/sh
exec {python} -m savegen components --tracked --config g/pyproject.toml
"""


def test_a_hook_works_in_a_linked_worktree_with_the_game_in_a_folder(game, tmp_path):
    for name in ("pyproject.toml", "savegen.lock", "game"):
        (tmp_path / "main" / "g").mkdir(parents=True, exist_ok=True)
        (tmp_path / name).rename(tmp_path / "main" / "g" / name)
    main = Game(tmp_path / "main")
    git(main.folder, "init", "-q")
    main.write(".gitignore", ".savegen_cache/\n__pycache__/\n")
    git(main.folder, "add", "-A")
    git(main.folder, "commit", "-q", "-m", "all")
    hook = main.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(python=sys.executable))
    hook.chmod(0o755)
    git(main.folder, "worktree", "add", "-q", "../linked")
    linked = Game(tmp_path / "linked")
    linked.write("g/readme.txt", "a change\n")
    linked.marked("g/game/imp.py", "Imp")
    git(linked.folder, "add", "g/readme.txt")
    git(linked.folder, "commit", "-q", "-m", "more")
    assert "Imp" not in linked.read(f"g/{REGISTRY}")


@pytest.mark.parametrize("command", ["components", "check"])
def test_what_is_missing_is_told_beside_a_document(working, command):
    working.run("wire", "-q")
    git(working.folder, "add", "game/imp.py", REGISTRY, "game/_savegen/types.py")
    said = working.run(command, "--tracked", "--output-format", "json")
    assert said.code == 1 and json.loads(said.out) == []
    assert f"untracked {IMP}\n" in said.err


def test_where_git_knows_nothing_it_says_so(game, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(game.folder.parent))
    said = game.run("components", "--tracked")
    assert said.code == 2
    assert said.err.startswith("error: --tracked needs git, but git failed: fatal:")
    monkeypatch.setenv("PATH", "")
    said = game.run("check", "--tracked")
    assert said.code == 2 and "git: No such file or directory" in said.err


# What others have committed


def test_what_a_colleague_has_committed_was_not_changed_by_hand_here(repo, tmp_path):
    """The cache knows the texts of this machine: a pull brings others."""
    other = Game(tmp_path / "other")
    git(repo.folder, "clone", "-q", ".", str(other.folder))
    other.replace("game/orc.py", "hp", "health")
    other.run("lock", "retire", "Orc.hp")
    assert other.run("components", "-q").code == 0
    git(other.folder, "commit", "-aqm", "renamed")
    git(repo.folder, "pull", "-q", "--ff-only", str(other.folder), "HEAD")
    repo.replace("game/orc.py", "health", "vigour")
    repo.run("lock", "retire", "Orc.health")
    assert "hand-edited" not in repo.run("check").out
    said = repo.run("components")
    assert said.code == 0 and "wrote" in said.out and said.err == ""


def test_what_is_changed_by_hand_and_not_committed_is_kept(repo):
    repo.append(REGISTRY, "# mine\n")
    assert f"would replace hand-edited {REGISTRY}\n" in repo.run("check").out
    git(repo.folder, "add", "-A")  # git has it, but no commit does
    said = repo.run("components")
    assert f"{REGISTRY} was edited by hand" in said.err
