"""Whatever a game declares, and however long its names are: what is generated is Python."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.emit.random_games import RandomGame
from tests.project import savegen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


# Shrinking a seed is of no use.
@settings(max_examples=max(12, settings().max_examples // 20), phases=[Phase.generate])
@given(st.integers(0, 2**64), st.sampled_from([20, 60, 100]))
def test_any_game_gets_code_that_is_python(folder, seed, longest):
    files = generated(RandomGame(Random(seed), longest).files(), folder / "game")
    for path, text in files.items():
        ast.parse(text, path)


def generated(files: dict[str, str], folder: Path) -> dict[str, str]:
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for command in ("wire", "components", "prefabs"):
        said = savegen(folder, command, "-q")
        assert said.code == 0, said.out
    found = sorted(folder.rglob("_savegen/**/*.py"))
    return {str(path): path.read_text(encoding="utf-8") for path in found}
