"""Values that an older game has saved: what they become by themselves, and what they do not."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import attrs
import msgspec
import numpy
import pytest

from savegen.runtime import SaveError, checks
from savegen.runtime.checks import Check, EnumMember, Keys, UserType
from savegen.runtime.saves.wire import NoConversion, Reader, Wires, decoder
from tests.saves.wire_things import FOES, VEC2, Game, packed

I, F, S = checks.INT, checks.FLOAT, checks.STR
OPTIONAL_REF = checks.optional(checks.REFERENCE)


def reader_of(old: Check, new: Check, values: list[Any]) -> tuple[Reader, list[Any]]:
    """Return what reads a column of an older check, and the column."""
    form, shapes, data = packed(old, values, Wires([old]))
    (column,) = decoder([form], shapes)(data)
    return Wires([new]).of(new).reader(form, shapes), column


def read(old: Check, new: Check, values: list[Any]) -> list[Any]:
    reader, column = reader_of(old, new, values)
    assert not reader.loses
    return reader(column, Game())


WIDENINGS: list[tuple[Check, Check, list[Any], list[Any]]] = [
    (checks.BOOL, I, [True], [True]),
    (checks.BOOL, F, [True], [True]),
    (I, F, [3, 2**70], [3, 2**70]),
    (I, checks.COMPLEX, [3], [3]),
    (F, checks.COMPLEX, [1.5], [1.5]),
    (I, checks.DECIMAL, [3, 2**70], [Decimal(3), Decimal(2**70)]),
    (I, checks.FRACTION, [3], [Fraction(3)]),
    (checks.DATETIME, checks.DATE, [], []),
    (I, checks.optional(I), [3], [3]),
    (checks.NONE, checks.optional(I), [None], [None]),
    (checks.optional(I), checks.optional(F), [3, None], [3, None]),
    (
        checks.optional(I),
        checks.optional(checks.DECIMAL),
        [3, None],
        [Decimal(3), None],
    ),
    (S, checks.AnyOf(I, S), ["a"], ["a"]),
    (checks.optional(S), checks.AnyOf(I, S, checks.NONE), ["a", None], ["a", None]),
    (checks.AnyOf(I, S), checks.AnyOf(checks.NONE, S, F), [1, "a"], [1, "a"]),
    (checks.AnyOf(checks.BOOL, I), F, [True, 2], [True, 2]),
    (checks.REFERENCE, OPTIONAL_REF, [FOES[1]], [FOES[1]]),
    (checks.REFERENCE, checks.AnyOf(I, checks.REFERENCE), [FOES[1]], [FOES[1]]),
    (checks.REFERENCE, checks.WEAK_REFERENCE, [FOES[1]], [FOES[1]]),
    (checks.list_of(I), checks.tuple_of(F), [[1, 2]], [(1, 2)]),
    (checks.tuple_of(I), checks.list_of(checks.DECIMAL), [(1,)], [[Decimal(1)]]),
    (checks.list_of(I), checks.deque_of(I), [[1]], [deque([1])]),
    (checks.deque_of(I), checks.list_of(I), [deque([1], 3)], [[1]]),
    (checks.set_of(I), checks.frozenset_of(I), [{1}], [frozenset([1])]),
    (
        checks.dict_of(S, I),
        checks.ordered_dict_of(S, F),
        [{"a": 1}],
        [OrderedDict(a=1)],
    ),
    (checks.dict_of(S, I), checks.counter_of(S), [{"a": 1}], [Counter(a=1)]),
    (
        checks.dict_of(S, I),
        checks.defaultdict_of(S, I),
        [{"a": 1}],
        [defaultdict(None, a=1)],
    ),
    (
        checks.defaultdict_of(I, S),
        checks.dict_of(I, S),
        [defaultdict(str, {1: "a"})],
        [{1: "a"}],
    ),
    (checks.counter_of(S), checks.dict_of(S, I), [Counter(a=1)], [{"a": 1}]),
    (checks.Places(I, S), checks.Places(F, checks.optional(S)), [(1, "a")], [(1, "a")]),
    (checks.Literals("a", 1), checks.Literals(1, "b", "a"), ["a", 1], ["a", 1]),
    (checks.Literals("a", "b"), S, ["b"], ["b"]),
    (
        checks.NumpyScalar("float32"),
        checks.NumpyScalar("floating"),
        [numpy.float32(1)],
        [numpy.float32(1)],
    ),
]


@pytest.mark.parametrize(("old", "new", "values", "wanted"), WIDENINGS)
def test_a_value_becomes_what_can_hold_it(
    old: Check, new: Check, values: list[Any], wanted: list[Any]
) -> None:
    found = read(old, new, values)
    assert found == wanted
    assert [*map(type, found)] == [*map(type, wanted)]
    assert not any(map(new.fault, found)) or new is checks.WEAK_REFERENCE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (F, I),
        (I, checks.BOOL),
        (S, I),
        (I, S),
        (checks.optional(I), I),
        (OPTIONAL_REF, checks.REFERENCE),
        (checks.AnyOf(I, S), I),
        (checks.AnyOf(I, S), checks.AnyOf(I, checks.BYTES)),
        (checks.list_of(I), checks.set_of(I)),
        (checks.set_of(I), checks.list_of(I)),
        (checks.list_of(F), checks.list_of(I)),
        (checks.dict_of(S, I), checks.list_of(S)),
        (checks.Places(I, S), checks.Places(I)),
        (checks.Places(I, S), checks.list_of(I)),
        (checks.Literals("a", 1), S),
        (checks.NumpyScalar("float32"), checks.NumpyScalar("float64")),
        (checks.NDARRAY, checks.ARRAY),
        (VEC2, checks.Places(F, F)),
        (checks.Foreign("a:Rect", "x:y"), checks.Foreign("a:Color", "x:y")),
    ],
)
def test_a_value_does_not_become_what_cannot_hold_it(old: Check, new: Check) -> None:
    with pytest.raises(NoConversion, match="it was .+, it is "):
        reader_of(old, new, [])


# -- classes, in two versions


def version(monkeypatch: pytest.MonkeyPatch, **classes: type) -> None:
    """Have a module `game` with these classes and no others."""
    module = ModuleType("game")
    for name, cls in classes.items():
        setattr(module, name, cls)
    monkeypatch.setitem(sys.modules, "game", module)


def record(*names: str, check: Check = I) -> UserType:
    return UserType("game", "Stats", **dict.fromkeys(names, check))


@dataclass
class Old:
    hp: int
    mana: int


@dataclass
class Powers:
    mana: int
    hp: int


@dataclass
class New:
    mana: float
    hp: int
    lives: int = 3
    tags: list[str] = field(default_factory=list)


@attrs.define
class NewAttrs:
    mana: float
    hp: int
    lives: int = 3
    tags: list[str] = attrs.field(factory=list)


class NewStruct(msgspec.Struct):
    mana: float
    hp: int
    lives: int = 3
    tags: list[str] = []


class NewTuple(NamedTuple):
    mana: float
    hp: int
    lives: int = 3
    tags: list[str] = []


NEW = {"mana": F, "hp": I, "lives": I, "tags": checks.list_of(S)}


@pytest.mark.parametrize("cls", [New, NewAttrs, NewStruct, NewTuple])
def test_fields_are_matched_by_name_and_new_ones_take_their_default(
    cls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    version(monkeypatch, Stats=Old)
    form, shapes, data = packed(record("hp", "mana"), [Old(1, 2), Old(3, 4)], Wires())
    version(monkeypatch, Stats=cls)
    (column,) = decoder([form], shapes)(data)
    reader = Wires().of(UserType("game", "Stats", **NEW)).reader(form, shapes)
    assert not reader.loses
    first, second = reader(column, Game())
    assert (first, second) == (cls(2, 1), cls(4, 3))
    assert type(first) is cls
    assert cls is NewTuple or first.tags is not second.tags


def test_a_new_field_without_a_default_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch, Stats=Old)
    form, shapes, _ = packed(record("hp"), [Old(1, 2)], Wires())
    with pytest.raises(NoConversion, match="a new field `mana` without a default"):
        Wires().of(record("hp", "mana")).reader(form, shapes)


def test_a_field_that_is_gone_is_a_loss_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version(monkeypatch, Stats=Old)
    old, inner = record("hp", "mana"), record("hp")
    for around in (checks.list_of, checks.optional):
        form, shapes, data = packed(around(old), [], Wires())
        reader = Wires().of(around(inner)).reader(form, shapes)
        assert reader.loses


def test_a_class_that_was_renamed_is_known_by_its_fields(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version(monkeypatch, Stats=Old, Powers=Powers)
    form, shapes, data = packed(record("hp", "mana"), [Old(1, 2)], Wires())
    (column,) = decoder([form], shapes)(data)
    renamed = UserType("game", "Powers", mana=I, hp=I)
    reader = Wires().of(renamed).reader(form, shapes)
    assert reader(column, Game()) == [Powers(2, 1)]


def test_a_known_key_may_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, strict, poor = (Keys("Bag") for _ in range(4))
    old.holds({"coins": I}, {"names": S})
    new.holds({"coins": F}, {"names": S, "more": I})
    strict.holds({"coins": I, "names": S}, {})
    poor.holds({"coins": F}, {})
    values: list[Any] = [{"names": "a", "coins": 1}, {"coins": 2}]
    found = read(old, new, values)
    assert found == values and [*map(list, found)] == [*map(list, values)]
    with pytest.raises(NoConversion, match="`Bag` needs a key 'names'"):
        reader_of(old, strict, values)
    reader, column = reader_of(new, poor, [{"coins": 1, "more": 2}])
    assert reader.loses and reader(column, Game()) == [{"coins": 1}]


# -- enumerations


def members(base: Any, **values: int) -> Any:
    """Return an enumeration."""
    return base("Members", values)


def test_a_member_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    check = EnumMember("game", "Mood")
    version(monkeypatch, Mood=members(Enum, CALM=1, ANGRY=2, GONE=3))
    mood: Any = sys.modules["game"].Mood
    form, shapes, data = packed(check, [mood.ANGRY, mood.GONE], Wires())
    (column,) = decoder([form], shapes)(data)
    renamed = members(Enum, FURIOUS=7, ANGRY=7, CALM=2)
    version(monkeypatch, Mood=renamed)
    reader = Wires().of(EnumMember("game", "Mood")).reader(form, shapes)
    assert reader(column[:1], Game()) == [renamed.FURIOUS]
    with pytest.raises(SaveError, match="`Mood.GONE`, which is gone"):
        reader(column, Game())


def test_bits_are_known_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch, Doors=members(Flag, NORTH=1, SOUTH=2))
    doors: Any = sys.modules["game"].Doors
    wires = Wires()
    form, shapes, data = packed(
        EnumMember("game", "Doors"), [doors.NORTH | doors.SOUTH, doors(0)], wires
    )
    (column,) = decoder([form], shapes)(data)
    assert column == ["NORTH|SOUTH", "0x0"]
    new = members(Flag, UP=1, SOUTH=4, NORTH=8)
    version(monkeypatch, Doors=new)
    reader = Wires().of(EnumMember("game", "Doors")).reader(form, shapes)
    assert reader(column, Game()) == [new.NORTH | new.SOUTH, new(0)]
    for wrong in ("WEST", "0xzz", "", "0x100"):
        with pytest.raises(SaveError):
            reader([wrong], Game())


def test_a_constant_that_is_gone_is_told() -> None:
    reader, column = reader_of(checks.Literals("a", "b"), checks.Literals("a"), ["b"])
    with pytest.raises(SaveError, match="'b', which is not one of 'a' any more"):
        reader(column, Game())


# -- classes of one name


def test_two_classes_of_one_name_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version(monkeypatch, Stats=Old)
    one, other, twin = record("hp"), record("hp", check=S), record("hp")
    wires = Wires([one, other, twin])
    forms = [wires.of(check).form for check in (one, other, twin)]
    assert forms[0] == forms[2] != forms[1]
    assert [fields for fields in wires.shapes.values()] == [
        [("hp", "int")],
        [("hp", "str")],
    ]


# -- values that lead back to themselves


@dataclass
class Leaf:
    hp: int
    more: list[Any]


@dataclass
class Bough:
    hp: int
    more: list[Any]
    age: int


def test_what_leads_back_to_itself_is_read_at_every_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version(monkeypatch, Leaf=Leaf)
    old, new = UserType("game", "Leaf"), UserType("game", "Leaf")
    old.holds(hp=checks.BOOL, more=checks.list_of(old))
    new.holds(hp=I, more=checks.list_of(checks.optional(new)))
    leaf = Leaf(True, [Leaf(False, []), Leaf(True, [Leaf(True, [])])])
    assert read(old, new, [leaf]) == [leaf]


def test_no_level_is_read_by_what_cannot_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`Bough` is tried first, and has no value for its `age`; `Leaf` holds boughs."""
    version(monkeypatch, Leaf=Leaf, Bough=Bough)
    old, bough, leaf = (UserType("game", n) for n in ("Leaf", "Bough", "Leaf"))
    old.holds(hp=I, more=checks.list_of(old))
    boughs = checks.list_of(bough)
    bough.holds(hp=I, more=boughs, age=I)
    leaf.holds(hp=I, more=boughs)
    with pytest.raises(NoConversion):
        reader_of(old, checks.AnyOf(bough, leaf), [])
