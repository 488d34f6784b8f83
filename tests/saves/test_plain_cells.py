"""Cells as plain data, and plain data or values of today as cells."""

from __future__ import annotations

import pathlib
import uuid
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from savegen.runtime.errors import SaveError
from savegen.runtime.values.folds import Rules, closed, wrong
from savegen.runtime.values.kinds.kind import Opaque
from savegen.runtime.values.stored import StoredType, parse
from savegen.runtime.values.values import ValueEntry, Values
from savegen.saves import coding, encode
from savegen.saves.limits import Guard, Limits
from savegen.saves.encoding import encode_any
from savegen.saves.older.plain import Ref, cell_of, is_same, to_plain
from savegen.saves.older.saved_objects import by_class
from tests.promises.games import Games, Play
from tests.promises.test_values import World
from tests.promises.value_table import SOURCE, TABLE
from tests.runtime.stored_types import cells_of, stored_types


class Mood(Enum):
    CALM = 1


class Way(Flag):
    NORTH = 1
    EAST = 2


class Vec2(NamedTuple):
    x: float
    y: float


@dataclass
class Bag:
    coins: int
    name: str


class Vector:
    def __init__(self, x: float) -> None:
        self.x = x


HERE = __name__


def typed(stored: str, cell: Any) -> Any:
    return parse(stored), cell


VEC2 = f"value {HERE}.Vec2{{1 x: float, 2 y: float}}"
BAG = f"record {HERE}.Bag{{1 coins: int, 2 name: str}}"
MOOD, WAY = f"enum {HERE}.Mood{{CALM}}", f"flag {HERE}.Way{{NORTH EAST}}"
VALUES = Values(
    [
        ValueEntry(f"{HERE}.Mood", lambda: Mood, MOOD),
        ValueEntry(f"{HERE}.Way", lambda: Way, WAY),
        ValueEntry(f"{HERE}.Vec2", lambda: Vec2, VEC2),
        ValueEntry(f"{HERE}.Bag", lambda: Bag, BAG),
        ValueEntry(
            f"{HERE}.Vector",
            lambda: Vector,
            "codec m.Vector<(float)>",
            lambda value, references: (value.x,),
            lambda cell, references: Vector(*cell),
        ),
    ]
)


@pytest.mark.parametrize(
    ("text", "cell", "plain"),
    [
        ("int", 3, 3),
        ("bytearray", b"a", b"a"),
        ("datetime", "2026-01-31T18:05:00", "2026-01-31T18:05:00"),
        ("timedelta", (1, 2, 3), [1, 2, 3]),
        ("complex", (0.5, 1.0), [0.5, 1.0]),
        ("uuid", bytes(15) + b"\7", "00000000-0000-0000-0000-000000000007"),
        ("enum Mood{CALM}", "CALM", "CALM"),
        ("tuple<int>", (1, 2), [1, 2]),
        ("deque<int>", (None, [1]), [1]),
        ("dict<str, int>", {"a": 1}, {"a": 1}),
        ("OrderedDict<str, int>", [("a", 1)], {"a": 1}),
        ("dict<int, str>", {1: "a"}, [[1, "a"]]),
        (VEC2, (0.5, 1.5), {"x": 0.5, "y": 1.5}),
        ("record B{1 a?: int, 2 b?: int}", ((), (3,)), {"b": 3}),
        ("ref<7>", 12, {"$ref": 12}),
        ("list<optional<ref<7>>>", [12, 0], [{"$ref": 12}, None]),
        ("optional<int>", None, None),
        ("union<int | str>", "a", "a"),
        ("union<int | list<int>>", [1, None, [3]], [3]),
        (
            "union<int | bytes | bytearray>",
            [1, None, b"a", None],
            {"$is": 1, "value": b"a"},
        ),
        ("union<ref<7> | dict<str, int>>", [0, 5, None], {"$ref": 5}),
        ("union<float | prefab>", [1, None, 5], 5),
        ("codec m.Vector<(float)>", (0.5,), [0.5]),
        (
            "any",
            typed(
                "list<any>",
                [typed("int", 1), typed("ref<0>", 12), typed("decimal", "1.5")],
            ),
            [1, {"$ref": 12}, Decimal("1.5")],
        ),
        ("any", typed("list<ref<0>>", [3, 4]), [{"$ref": 3}, {"$ref": 4}]),
        ("subclass m.Deck<list<int>>", [1], [1]),
        ("record N{1 n: optional<rec N>}", ((None,),), {"n": {"n": None}}),
        # What is in the dict of a record is no value of today, which could be of either type.
        (
            "value T{1 x: union<dict<str, int> | value U{1 y: int}>}",
            ([1, None, (3,)],),
            {"x": {"$is": 1, "value": {"y": 3}}},
        ),
        (
            "value T{1 x: union<array | any>}",
            ([0, ("d8", b""), None],),
            {"x": ["d8", b""]},
        ),
        # A dtype or a codec that is called as the record is none that contains itself.
        ("value v{1 a: optional<ndarray<v>>}", (None,), {"a": None}),
    ],
)
def test_a_cell_is_plain_data_and_back(text: str, cell: Any, plain: Any) -> None:
    found = to_plain(parse(text), cell)
    assert found == plain and repr(found) == repr(plain)
    again = cell_of(parse(text), plain)
    assert as_written(parse(text), again) == as_written(parse(text), cell)


def as_written(stored: StoredType, cell: Any) -> bytes:
    return encode_any(closed(stored, cell, str))


@pytest.mark.parametrize(
    ("text", "value", "cell"),
    [
        ("float", 3, 3),
        ("decimal", Decimal("1.50"), "1.50"),
        ("decimal", 3, "3"),
        ("fraction", Fraction(1, 3), "1/3"),
        ("date", date(2026, 1, 31), "2026-01-31"),
        ("time", time(1, 2), "01:02:00"),
        ("datetime", datetime(2026, 1, 31, fold=1), "2026-01-31T00:00:00#1"),
        ("timedelta", timedelta(1), (1, 0, 0)),
        ("uuid", uuid.UUID(int=7), bytes(15) + b"\7"),
        ("path", pathlib.PureWindowsPath("c:/x"), "windows:c:\\x"),
        ("complex", 1j, (0.0, 1.0)),
        ("bytearray", bytearray(b"a"), b"a"),
        ("array", array("b", [1]), ("b1", b"\1")),
        ("ndarray<int8>", numpy.array([1], "i1"), b"\1"),
        ("ndarray<int8>", ["|i1", [1], "C", b"\1"], b"\1"),
        ("ndarray<int8>", numpy.array(1, "i1"), ("|i1", (), "C", b"\1")),
        ("ndarray<integer>", numpy.array([1], "i1"), ("|i1", (1,), "C", b"\1")),
        ("numpy<int8>", numpy.int8(1), ("|i1", b"\1")),
        (MOOD, Mood.CALM, "CALM"),
        (WAY, Way.NORTH | Way.EAST, "NORTH|EAST"),
        ("set<int>", {3, 1, 2}, [1, 2, 3]),
        ("tuple<int>", [1], [1]),
        ("deque<int>", deque([1], 5), (5, [1])),
        ("Counter<str>", Counter("a"), {"a": 1}),
        ("defaultdict<str, int>", defaultdict(int, a=1), {"a": 1}),
        ("OrderedDict<str, int>", OrderedDict(a=1), [("a", 1)]),
        (VEC2, Vec2(0.5, 1.5), (0.5, 1.5)),
        (BAG, Bag(3, "a"), (3, "a")),
        ("union<str | decimal>", Decimal(1), [1, None, "1"]),
        ("union<list<int> | tuple<int> | set<int>>", (1,), [1, None, [1], None]),
        ("union<list<int> | tuple<int> | set<int>>", {1}, [2, None, None, [1]]),
        (f"union<enum m.Other{{CALM}} | {MOOD}>", Mood.CALM, [1, None, "CALM"]),
        (f"union<int | {VEC2}>", Vec2(0.5, 1.5), [1, None, (0.5, 1.5)]),
        (f"codec {HERE}.Vector<(float)>", Vector(0.5), (0.5,)),
        ("list<ref<7>>", [Ref(3)], [3]),
        ("deque<ref<7>>", deque([{"$ref": 3}], 2), (2, [3])),
        ("OrderedDict<str, ref<7>>", OrderedDict(a={"$ref": 3}), [("a", 3)]),
        (
            "any",
            [{"$ref": 3}, {1}],
            typed("list<any>", [typed("ref<0>", 3), typed("set<int>", [1])]),
        ),
    ],
)
def test_a_value_of_today_is_a_cell(text: str, value: Any, cell: Any) -> None:
    found = cell_of(parse(text), value, VALUES)
    assert as_written(parse(text), found) == as_written(parse(text), cell)


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("int", 1.5, "1.5 does not fit `int`"),
        ("int", True, "True does not fit `int`"),
        ("float", "a", "'a' does not fit `float`"),
        ("decimal", "abc", "'abc' does not fit `decimal`"),
        ("date", datetime(2026, 1, 31), "does not fit `date`"),
        ("date", "soon", "'soon' does not fit `date`: ValueError"),
        ("enum Mood{CALM}", "WILD", "'WILD' does not fit"),
        ("ref<7>", 12, "12 does not fit `ref<7>`: TypeError: a reference must be"),
        (
            "list<int>",
            "ab",
            "'ab' does not fit `list<int>`: TypeError: a str is not a list",
        ),
        ("(int, int)", [1], "[1] does not fit `(int, int)`"),
        (VEC2, {"x": 1.0}, "does not fit"),
        (VEC2, {"x": 1.0, "y": 2.0, "z": 3.0}, "`Vec2` has no field 'z'; available"),
        (VEC2, 7, "7 does not fit"),
        ("union<date | list<int>>", 7, "7 does not fit"),
        ("union<int | bytes | bytearray>", {"$is": 9, "value": b""}, "does not fit"),
        ("any", object(), "an object is not a value that can be saved"),
    ],
)
def test_what_does_not_fit_is_named(text: str, value: Any, said: str) -> None:
    with pytest.raises(SaveError) as caught:
        cell_of(parse(text), value, VALUES)
    assert said in str(caught.value) and len(str(caught.value)) < 250


def test_what_belongs_to_a_game_stays_what_it_is():
    members = typed("enum m.Colour{RED}", "RED"), typed("class<0>", 7)
    value = typed("list<any>", [*members, typed("weak<ref<0>>", 3)])
    plain = to_plain(parse("any"), value)
    assert repr(plain) == "[Colour.RED, <class 7>, weakref(<object #3>)]"
    assert [type(each) for each in plain] == [Opaque] * 3
    assert cell_of(parse("any"), plain) == value


@given(st.data(), stored_types())
def test_any_cell_comes_back_from_plain_data(
    data: st.DataObject, stored: StoredType
) -> None:
    cell = data.draw(cells_of(stored, [1, 2, 3]))
    plain = to_plain(stored, cell)
    again = cell_of(stored, plain)
    assert wrong(stored, [again], Rules(dangling=True)) == []
    assert to_plain(stored, again) == plain or "nan" in repr(plain)


@pytest.mark.parametrize("value", [{300, 5}, deque([300, 5])])
def test_what_has_no_order_or_another_length_is_no_fixed_tuple(value: Any) -> None:
    with pytest.raises(SaveError):
        cell_of(parse("(int, int)"), value)
    with pytest.raises(SaveError):
        cell_of(parse("()"), [1, 2])


@pytest.fixture
def play(games: Games) -> Iterator[Play]:
    with games(SOURCE).playing() as play:
        yield play


@pytest.mark.parametrize("key", TABLE)
def test_what_a_save_holds_comes_back_from_plain_data(play: Play, key: str) -> None:
    world, values = World(play, key), play.registry.values
    body = coding.read(encode(world.manager.create_snapshot())).body
    seen = 0
    for saved in by_class(body, play.registry).values():
        for cell in chain(*(row.values() for row in saved.read(guard()).rows.values())):
            stored, found = cell.typed
            if str(stored) != cell.field.stored or "any" in cell.field.stored:
                continue
            plain = to_plain(stored, found)
            again = to_plain(stored, cell_of(stored, plain, values))
            assert is_same(again, plain)
            seen += 1
    assert seen


def guard() -> Guard:
    return Guard(Limits(), 10**9)
