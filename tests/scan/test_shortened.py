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
try:
    TABLE = {"ü": [1,
        2]}
    def inside(): return TABLE
    from savegen import Save
except ImportError as error: Save = {"a": 1, "b": 2}; print("ü", error)
else:
    print("done")
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
    print("before"); print("ü")
    if outer:
        class Inner:
            hp: Saved[int] = 1
            def hit(self): self.hp -= 1
    elif short: print("ü" * 3)
    elif longer:
        class Second: pass
    else: print("nothing")
    return Inner
@migration(to=2)
def change(save):
    save.x = 1; save.y = {"ü": 2};
@saveable
class Hero:
    """A hero."""
    hp: Health = 3
    """Points."""
    TABLE = {"a": 1}
    __slots__ = ["hp", "ä", "bag", "x", "y", "z", "log", "seen"]
    def __init__(self, ä=1, *rest):
        print("ü"); self.ä = self.x = ä; super().__init__()
        self.bag: Saved[list[int]] = []; print("ü")
        for self.y in rest: print(f"{self.y!r:>{ä}}") ; self.z = (1,
            2)
\f
    async def walk(self, *, far): await far.step(self) ; self.x += (far
        ); self.run()
    def run(self, a, b=2, /, c=3, *, d=4): # type: (...) -> None
	# a comment after a tab
        with open(a) as (self.log, *self.seen), b: \\
            self.x -= 1
        match a:
            case 1: self.y += [x for x in "äö"]
            case [_, *_]:
                try: self.x //= 2
                finally: self.z @= 2
                def inner(self): self.none = 1
    @property
    def size(self) -> Saved[int]:
        """Text."""
        if self.x: return 1
        return \\
            2
    @size.setter
    def size(self, value): print(value); self.x = value
    if NAMES:
        def save_data(self, data): data.append(self.hp)
    @staticmethod
    def made(): return (
        Hero())
    def __new__(cls): cls.x += 1; return super().__new__(cls)
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
        "outer.<locals>.Second",
        "Hero",
    ]


def test_tables_and_functions_of_a_long_file_never_reach_libcst() -> None:
    table = "".join(f"    {n}: ['item', {n}],\n" for n in range(1000))
    body = "".join(f"    x += {n}\n" for n in range(1000))
    text = f"TABLE = {{\n{table}}}\ndef f(x):\n{body}    return x\nX = 3\n"
    assert shortened(text, ast.parse(text)) == ("TABLE = {}\npass\nX = 3\n")


def test_tables_and_statements_that_declare_nothing_in_a_class_never_reach_libcst() -> (
    None
):
    items = "".join(f"        {n}: ['item', {n}],\n" for n in range(1000))
    text = (
        f"class Hero:\n    TABLE = {{\n{items}    }}\n    PARTS = [{'part(Gun), ' * 200}]\n"
        "    hp: Saved[int] = 3\n"
        "    def __init__(self):\n        super().__init__(1)\n        self.x = 1\n"
        "    def hit(self):\n        self.hp -= 1 * 2\n        return self\n"
    )
    assert shortened(text, ast.parse(text)) == (
        f"class Hero:\n    TABLE = {{0: 0}}\n    PARTS = [{'part(Gun), ' * 200}]\n"
        "    hp: Saved[int] = 3\n"
        "    def __init__(self):\n        pass\n        self.x = 1\n"
        "    pass\n"
    )
