"""The templates lay out ordinary code as black would, nearly everywhere."""

from __future__ import annotations

import difflib

import black
import pytest

from tests.benchmarks import game
from tests.project import Project

WIDTH = 88
NOT_FORMATTED = "# fmt: off\n# ruff: noqa\n# isort: skip_file\n"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The mixins of a game with many ordinary classes, laid out by the templates alone."""
    folder = tmp_path_factory.mktemp("ordinary")
    Project(folder, dict(game.files(20))).generated()
    paths = sorted(folder.rglob("_savegen/components/*/part*.py"))
    return [path.read_text(encoding="utf-8") for path in paths]


def test_black_changes_few_lines(texts: list[str]) -> None:
    lines = changed = 0
    for text in texts:
        bare = text.replace(NOT_FORMATTED, "").splitlines()
        formatted = black.format_str("\n".join(bare), mode=black.Mode()).splitlines()
        lines += len(bare)
        diff = difflib.unified_diff(bare, formatted, n=0)
        changed += sum(line[0] == "-" for line in diff)
    assert len(texts) == 20 and changed < lines / 100, f"{changed} of {lines} lines"


def test_few_lines_are_too_long(texts: list[str]) -> None:
    lines = [line for text in texts for line in text.splitlines()]
    too_long = [line for line in lines if len(line) > WIDTH]
    assert len(too_long) < len(lines) / 100, too_long
