"""A long file is read as if libcst had parsed all of it, but libcst gets only its declarations."""

from __future__ import annotations

import ast

import pytest

from savegen.build.scan import shortened as module
from savegen.build.scan.read import read
from savegen.build.scan.shortened import shortened
from savegen.build.source import SourceFile
from savegen.findings import Report

TEXT = '''"""A long file, with ümläute."""
from savegen import Saved, saveable, migration
NAMES = {"ü": 1, "b": [
    2, (3)]}; AFTER = NAMES
ITEMS: list[int] = ([1, 2, 3]); PAIR = 1, 2
Health = Saved[int]; SEEN = {1, 2}
print("ü" * 3); NAMES.update({
    "x": 1})
def short(): return 1  # a comment
async def longer(a, /, b=1, *, c):
    """Text."""
    if a:
        return [a,
                b]
    return (
        c)
def makes(value):
    @property
    def inner(self): return value
    return inner
def outer():
    class Inner:
        hp: Saved[int] = 1
    return Inner
@migration(to=2)
def change(save):
    save.x = 1; save.y = {"ü": 2};
@saveable
class Hero:
    hp: Health = 3
    TABLE = {"a": 1}
    def __init__(self):
        self.bag: Saved[list[int]] = []
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_shortened_text_has_the_same_declarations(
    newline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SourceFile("game.py", "game", TEXT.replace("\n", newline).encode())
    report = Report()
    whole = read(file, report)
    monkeypatch.setattr(module, "_LONG", 0)
    assert read(file, report) == whole and not len(report)
    assert whole and [cls.qualname for cls in whole.classes] == [
        "outer.<locals>.Inner",
        "Hero",
    ]


def test_tables_and_functions_of_a_long_file_never_reach_libcst() -> None:
    table = "".join(f"    {n}: ['item', {n}],\n" for n in range(1000))
    body = "".join(f"    x += {n}\n" for n in range(1000))
    text = f"TABLE = {{\n{table}}}\ndef f(x):\n{body}    return x\nX = 3\n"
    assert shortened(text, ast.parse(text)) == (
        "TABLE = {}\ndef f(x):\n    pass\nX = 3\n"
    )
