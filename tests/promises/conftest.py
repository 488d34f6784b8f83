"""What the tests of promises share: games that were generated once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.promises.games import Game, Slot

Games: TypeAlias = Callable[..., Game]


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Games:
    """Return a function that makes a game of a source, or returns the one it has made."""
    known: dict[Any, Game] = {}

    def made(source: str, **options: Any) -> Game:
        asked = (source, *sorted((key, str(each)) for key, each in options.items()))
        if asked not in known:
            known[asked] = Game(tmp_path_factory.mktemp("game"), source, **options)
            known[asked].generate()
        if not known[asked].is_generated:
            raise RuntimeError("an earlier test could not generate this game")
        return known[asked]

    return made


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    """Return a slot that has no save yet."""
    return Slot(tmp_path / "saves")
