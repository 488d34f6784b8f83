"""Games for the tests of the commands."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.drawn import built
from tests.cli.games import TABLE, Game
from tests.project import Said


@pytest.fixture
def bare(tmp_path: Path) -> Game:
    """An empty folder."""
    return Game(tmp_path)


@pytest.fixture
def game(bare: Game) -> Game:
    """A project with two marked classes, wired and generated."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.marked("game/orc.py", "Orc")
    bare.marked("game/foes/elf.py", "Elf")
    bare.write("game/foes/__init__.py", "")
    assert bare.run("wire") == Said(
        0, "wrote game/foes/elf.py\nwrote game/orc.py\n", ""
    )
    assert bare.run("components").code == 0
    return bare


@pytest.fixture
def make_game(tmp_path: Path) -> Callable[[str], Game]:
    """Make more than one game, each in a folder of its own."""

    def make(name: str) -> Game:
        (tmp_path / name).mkdir()
        return Game(tmp_path / name)

    return make


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a game with prefabs, with the tools' work done: to be copied."""
    return built(Game(tmp_path_factory.mktemp("drawn"))).folder


@pytest.fixture
def drawn_game(drawn: Path, tmp_path: Path) -> Game:
    """A game with prefabs, for levels to be drawn of."""
    shutil.copytree(drawn, tmp_path / "game")
    return Game(tmp_path / "game")
