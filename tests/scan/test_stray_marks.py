"""A mark on a parameter or a variable marks nothing; `tests/corpus/stray_mark` has the findings."""

from __future__ import annotations

from savegen.build.scan.facts import read_facts
from savegen.build.source import SourceFile


def test_a_file_with_only_marked_variables_or_parameters_is_read() -> None:
    for line in ("lives: Saved[int] = 3", "def f(*, hp: savegen.Saved[int]): ..."):
        text = f"import savegen\nfrom savegen import Saved\n{line}\n"
        assert read_facts(SourceFile("game.py", "game", text.encode())).surely_marked
    text = "from savegen import Saved\nlives: int = 3\ndef f(hp: int): ...\n"
    assert not read_facts(SourceFile("game.py", "game", text.encode())).surely_marked
