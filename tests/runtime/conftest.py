"""A generated game to play with, in this very process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import SaveLoadManager
from savegen.runtime.generated.registry import Registry
from tests.project import Project
from tests.runtime.worlds import assert_consistent

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Return the module of the game, generated for."""
    folder = tmp_path_factory.mktemp("game")
    text = (HERE / "world_game.py").read_text(encoding="utf-8")
    project = Project(folder, {"world_game.py": text})
    for command in ("wire", "components"):
        project.run("-m", "savegen", command, "world_game.py")
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("world_game")
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def registry(game: ModuleType) -> Registry:
    module: Any = importlib.import_module("_savegen.registry")
    found: Registry = module.REGISTRY
    return found


@pytest.fixture
def new_manager(registry: Registry) -> Iterator[Callable[..., SaveLoadManager]]:
    """Return what makes managers; in the end each must know one truth about its world."""
    made: list[SaveLoadManager] = []

    def make(*args: Any, **kwargs: Any) -> SaveLoadManager:
        made.append(SaveLoadManager(registry, *args, **kwargs))
        return made[-1]

    yield make
    for manager in made:
        assert_consistent(manager)


@pytest.fixture
def manager(new_manager: Callable[..., SaveLoadManager]) -> SaveLoadManager:
    return new_manager()
