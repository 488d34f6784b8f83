"""The hooks, as somebody meets them who names this repository: by the real pre-commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import made_once

ROOT = Path(__file__).parents[1]
PRE_COMMIT = [sys.executable, "-m", "pre_commit"]
CONFIG = """\
repos:
  - repo: {tool}
    rev: {revision}
    hooks:
      - id: savegen-components
      - id: savegen-prefabs
      - id: savegen-check
      - id: savegen-check
        alias: without-the-extra
        stages: [manual]
        additional_dependencies: ["."]
"""
GAME = """\
from savegen import Saved, saveable

from game._savegen.components.orc import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 3
"""
CAMP = """\
from savegen import part, prefab

from game.orc import Orc


@prefab
class Camp:
    orc = part(Orc)
"""
# What pip says where there is nothing to install from.
NO_INDEX = re.compile("No matching distribution|Could not find a version|Max retries")


class Repository:
    """A folder under git, and commands run in it, with a home for pre-commit."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        kept = {
            k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHON"))
        }
        # Most of what is installed for a hook is never run.
        self._env = kept | {"PRE_COMMIT_HOME": str(home), "PIP_NO_COMPILE": "1"}
        self._env["NO_COLOR"] = "1"
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def run(self, *command: str | Path) -> tuple[int, str]:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout

    def git(self, *words: str) -> str:
        code, said = self.try_git(*words)
        assert code == 0, said
        return said

    def try_git(self, *words: str) -> tuple[int, str]:
        who = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=no"]
        return self.run("git", *who, *words)

    def commit(self) -> tuple[int, str]:
        self.git("add", "-A")
        return self.try_git("commit", "-m", "more")

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def home(shared_folder: Path) -> Path:
    """Where pre-commit keeps the environments of hooks: to make one takes longest of all."""
    return made_once(shared_folder / "pre_commit", install)


def install(home: Path) -> None:
    """Make the environments of all hooks, for the repositories that are to come."""
    home.mkdir()
    with_hooks(Repository(home / "first", home), tool(home))


def tool(home: Path) -> Repository:
    """Return what would be cloned of this working tree, were it committed."""
    repository = Repository(home / "tool", home)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, os.fsdecode(names).split("\0")):
        if name.partition("/")[0] != "tests" and (ROOT / name).is_file():
            target = repository.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "all")
    return repository


@pytest.fixture
def game(home: Path, tmp_path: Path) -> Repository:
    """A game with the hooks installed."""
    tool = Repository(home / "tool", home)
    return with_hooks(Repository(tmp_path / "game", home), tool)


def with_hooks(repository: Repository, tool: Repository) -> Repository:
    revision = tool.git("rev-parse", "HEAD").strip()
    config = CONFIG.format(tool=tool.folder.as_uri(), revision=revision)
    repository.write(".pre-commit-config.yaml", config)
    repository.write("pyproject.toml", '[tool.savegen]\nsource = "game"\n')
    repository.write("game/__init__.py", "")
    code, said = repository.run(*PRE_COMMIT, "install", "--install-hooks")
    if code and NO_INDEX.search(said):
        pytest.skip("no package index to install the hooks from")
    assert code == 0, said
    return repository


@pytest.mark.timeout(600)
def test_a_commit_with_a_forgotten_build_is_stopped_and_the_next_one_passes(
    game: Repository,
) -> None:
    game.write("game/orc.py", GAME)
    code, said = game.commit()
    assert code == 1 and "wrote game/_savegen/components/orc.py" in said
    assert "the commit will not contain these files: run `git add game/" in said
    code, said = game.commit()
    assert code == 0 and said.count("Passed") == 3, said

    game.write("game/orc.py", GAME + "    mp: Saved[str] = ''\n")
    code, said = game.commit()
    assert code == 1 and "files were modified by this hook" in said
    code, said = game.commit()
    assert code == 0, said

    # Work that is not added stays out of it: another class, half done.
    game.write("game/elf.py", GAME.replace("rc", "lf"))
    game.write("game/orc.py", GAME)
    game.git("add", "game/orc.py")
    before = game.git("status", "--porcelain")
    code, said = game.run(*PRE_COMMIT, "run", "savegen-check")
    assert code == 1 and "would change game/_savegen/components/orc.py" in said
    assert "to fix this" in said and "Elf" not in said
    assert game.git("status", "--porcelain") == before

    stage = ("--hook-stage", "manual")
    code, said = game.run(*PRE_COMMIT, "run", *stage, "without-the-extra")
    assert code == 1 and 'additional_dependencies: [".[build]", ...]' in said


@pytest.mark.timeout(600)
def test_a_commit_with_a_new_prefab_finds_what_the_hook_before_has_written(
    game: Repository,
) -> None:
    game.write("game/orc.py", GAME)
    game.write("game/camp.py", CAMP)
    code, said = game.commit()
    assert code == 1 and "run `savegen components" not in said, said
    assert "wrote game/_savegen/components/orc.py" in said
    assert "wrote game/_savegen/prefabs.py" in said
    assert "would write game/_savegen/template.lvl" in said  # no hook runs the game
    code, said = game.run(sys.executable, "-m", "savegen", "links")
    assert code == 0, said
    code, said = game.commit()
    assert code == 0 and said.count("Passed") == 3, said


def test_this_repository_uses_its_own_hooks_on_the_sample_game() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    names = re.findall(r"^- id: (.*)$", hooks, re.M)
    assert names
    for name in names:
        entry = re.search(rf"id: {name}\n.*\n +entry: (.*)\n", config)
        assert entry and entry[1].endswith("--config sample_game/pyproject.toml")
        assert f"entry: {name.replace('-', ' ')} --tracked\n" in hooks
