"""Which kinds of a lock hold each other's values."""

from __future__ import annotations

import pytest

from savegen.breaking.kinds import Kinds
from savegen.lock import Lock, parse

LOCK = """
class Orc 16 game:Orc
class Elf 17 game:Elf
member Mood.CALM
member Mood.ANGRY
member Temper.CALM
member Temper.ANGRY
member Temper.GLAD
member Short.CALM
record game.Box 20 game:Box
record game.Crate 21 game:Crate
record game.Barrel 22 game:Barrel
entry game.Box.low 23: int
entry game.Crate.low 23: int
entry game.Crate.label 24: str
entry game.Barrel.low 23: int
entry game.Barrel.seal 25: str
"""
OTHER = "class Imp 16 game:Imp\nclass Elf 17 game:Elf\n" + LOCK.partition("Elf\n")[2]

FITTING = [
    ("bool", "int"),
    ("bool", "float"),
    ("int", "float"),
    ("int", "complex"),
    ("float", "complex"),
    ("int", "Decimal"),
    ("int", "Fraction"),
    ("int", "int | None"),
    ("int", "str | float"),
    ("int | None", "None | float | str"),
    ("list[int]", "tuple[float, ...]"),
    ("tuple[int, ...]", "deque[int]"),
    ("set[int]", "frozenset[int]"),
    ("dict[str, int]", "defaultdict[str, float]"),
    ("OrderedDict[str, int]", "dict[str, int]"),
    ("tuple[int, bool]", "tuple[float, int]"),
    ("Literal['a', 'b']", "Literal['b', 'c', 'a']"),
    ("Mood", "Temper"),
    ("Orc", "Imp"),
    ("Orc | None", "Imp | Elf | None"),
    ("ref[Orc]", "ref[Elf] | None"),
    ("list[Orc]", "tuple[Imp, ...]"),
    ("Box", "Barrel"),
    ("dict[str, list[Box]]", "dict[str, tuple[Barrel, ...] | None]"),
    ("Barrel", "Box"),
]
UNFIT = [
    ("int", "bool"),
    ("float", "int"),
    ("Decimal", "int"),
    ("int", "str"),
    ("int | None", "int"),
    ("int | str", "int | None"),
    ("list[int]", "set[int]"),
    ("list[float]", "list[int]"),
    ("list[int]", "dict[int, int]"),
    ("tuple[int, int]", "tuple[int, ...]"),
    ("tuple[int, int]", "tuple[int, int, int]"),
    ("tuple[int, ...]", "tuple[int, int]"),
    ("Literal['a', 'b']", "Literal['a']"),
    ("Literal[1]", "Literal[True]"),
    ("Mood", "Short"),
    ("Orc", "int"),
    ("Box", "Orc"),
    ("Box", "Crate"),
    ("Vec2", "Vec3"),
    ("((", "))"),
]


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    defaulted = {("Barrel", "seal")}
    return Kinds(parse(LOCK), parse(OTHER), lambda *field: field in defaulted)


@pytest.mark.parametrize(("old", "new"), FITTING)
def test_values_of_some_kinds_become_ones_of_another(kinds, old, new):
    assert kinds.fits(old, new)


@pytest.mark.parametrize(("old", "new"), UNFIT)
def test_values_of_other_kinds_do_not(kinds, old, new):
    assert not kinds.fits(old, new)


@pytest.mark.parametrize("kind", sorted({k for pair in FITTING + UNFIT for k in pair}))
def test_every_kind_fits_itself(kind):
    assert Kinds(Lock(), Lock(), lambda *field: False).fits(kind, kind)
