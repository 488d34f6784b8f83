"""Fixtures: a game with levels, a world for it, and a function that draws levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from savegen.runtime import SaveLoadManager
from tests.levels import cave


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with cave.made(tmp_path_factory.mktemp("cave")) as module:
        yield module


@pytest.fixture
def manager(game: Any) -> SaveLoadManager:
    manager = SaveLoadManager(game.REGISTRY, game.PREFAB_INFO)
    game.LOG.clear()
    game.WORLD[:] = [manager]
    return manager


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    return lambda *args, **kwargs: cave.draw(tmp_path / "cavern", *args, **kwargs)
