"""What the tests of promises share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.games import Game, Games, Play, Slot


@pytest.fixture
def game(request: pytest.FixtureRequest, games: Games) -> Game:
    """Return the game of the test's module, generated."""
    return games(request.module.GAME)


@pytest.fixture
def play(game: Game) -> Iterator[Play]:
    """Import the game of the test's module for the time of the test."""
    with game.playing() as play:
        yield play


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    """Return a slot that has no save yet."""
    return Slot(tmp_path / "saves")
