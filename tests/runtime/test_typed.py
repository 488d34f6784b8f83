"""Values that no annotation declares: each comes back as exactly what it was."""

from __future__ import annotations

import math
import pathlib
import random
import struct
import uuid
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import KEEP, Enum, Flag, IntEnum
from fractions import Fraction
from typing import Any, NamedTuple
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError, available_timezones

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from savegen.runtime.values.references import References
from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.values.libraries.generators import generator_from, state_of
from savegen.runtime.values.libraries.standard_types import unpack_flag
from savegen.runtime.values.folds import (
    NOT_SET,
    Typed,
    closed,
    keys_of,
    opened,
    text,
    typed,
    untyped,
    wrong,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.values.stored import StoredType, parse, parse_listed
from savegen.runtime.values.values import ValueEntry, Values
from savegen.saves.encoding import decode_any, encode_any
from tests.runtime.stored_types import remapped, stored_types

HERE = __name__


class Colour(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1


class Rank(IntEnum):
    LOW = 1


class Way(Flag):
    NORTH = 1
    EAST = 2


class Prefab(IntEnum):
    GOBLIN = 7


class Vec2(NamedTuple):
    x: float
    y: float = 0.5


@dataclass(frozen=True)
class Item:
    name: str
    tags: Any = ()


@dataclass(slots=True)
class Slotted:
    name: str


class Packed(Struct):
    name: str


class Vector:
    """A type that a codec knows."""

    def __init__(self, x: float, y: float) -> None:
        self.parts = x, y


class Unknown:
    pass


class Metaclass(type):
    __hash__ = None  # type: ignore[assignment]

    def __eq__(cls, other: object) -> bool:
        raise ValueError("ambiguous")


class Strange(metaclass=Metaclass):
    pass


def entry(cls: Any, stored: str, **codec: Any) -> ValueEntry:
    name = f"{HERE}.{cls.__qualname__}"
    return ValueEntry(name, lambda: cls, stored.replace("@", name), **codec)


VALUES = Values(
    [
        entry(Colour, "enum @{RED GREEN}"),
        entry(Rank, "enum @{LOW}"),
        entry(Way, "flag @{NORTH EAST}"),
        entry(Prefab, "prefab"),
        entry(Vec2, "value @{12 x: float, 13 y: float}"),
        entry(Item, "value @{1 name: str, 2 tags: any}"),
        entry(Slotted, "record @{1 name: str}"),
        entry(Packed, "record @{1 name: str}"),
        entry(
            Vector,
            "codec @<(float, float)>",
            pack=lambda value, references: value.parts,
            unpack=lambda cell, references: Vector(*cell),
        ),
    ]
)


class ThingSaveLoad(SaveLoadable):
    save_type = 9  # type: ignore[assignment]


class Thing(ThingSaveLoad):
    """An object of the world."""


class World(References):
    """Knows the objects, classes, generators and assets that it was given."""

    _values = VALUES

    def __init__(self, *objects: Any) -> None:
        self.objects = [*objects]
        self.generators = [random.Random(1)]
        self.sword = object()

    def key_of(self, component: Any, /) -> Any:
        for key, known in enumerate(self.objects, 1):
            if known is component:
                return key
        raise SaveError("not of this world")

    def get_component(self, key: Any, /) -> Any:
        return self.objects[key - 1] if key else None

    def _generator_key(self, generator: Any) -> int:
        return self.generators.index(generator)

    def _generator(self, key: int) -> Any:
        return self.generators[key]

    def _class_number(self, cls: Any) -> int:
        if cls is not Thing:
            raise SaveError("not saveable")
        return 9

    def _class_at(self, number: int) -> Any:
        return {9: Thing}[number]

    def id_of(self, asset: Any) -> str:
        if asset is not self.sword:
            raise SaveError("not an asset")
        return "sword"

    def asset(self, id: str) -> Any:
        return {"sword": self.sword}[id]


WORLD = World(Thing(), Thing())


def through_a_file(value: Any) -> Any:
    return decode_any(encode_any(value))


def read_back(made: Typed) -> Typed:
    """Return a value as it is read from a file."""
    types: list[StoredType] = []

    def number_of(stored: StoredType) -> int:
        types.append(stored)
        return len(types) - 1

    cell = through_a_file(closed(StoredType("any"), made, number_of))
    names = [parse_listed(str(stored)) for stored in types]
    read: Typed = opened(StoredType("any"), cell, names)
    assert wrong(StoredType("any"), [made]) == wrong(StoredType("any"), [read]) == []
    return read


def round_trip(value: Any) -> Any:
    return untyped(read_back(typed(value, WORLD)), WORLD)


def describe(made: Typed) -> str:
    return text(*made)


def assert_same(left: Any, right: Any) -> None:
    """Assert that nothing tells two values apart."""
    assert type(left) is type(right)
    if isinstance(left, float):
        assert struct.pack("d", left) == struct.pack("d", right)
    elif isinstance(left, (list, tuple, deque)):
        assert len(left) == len(right)
        for pair in zip(left, right):
            assert_same(*pair)
        assert getattr(left, "maxlen", None) == getattr(right, "maxlen", None)
    elif isinstance(left, dict):
        assert_same([*left.items()], [*right.items()])
        factories = [getattr(each, "default_factory", None) for each in (left, right)]
        assert factories[0] is factories[1]
    elif isinstance(left, (datetime, time)):
        assert repr(left) == repr(right) and left.fold == right.fold
        assert type(left.tzinfo) is type(right.tzinfo)
    elif isinstance(left, complex):
        assert_same((left.real, left.imag), (right.real, right.imag))
    elif isinstance(left, Item):
        assert_same((left.name, left.tags), (right.name, right.tags))
    elif isinstance(left, Decimal):
        assert left.as_tuple() == right.as_tuple()
    elif isinstance(left, (set, frozenset)):
        assert sorted(map(repr, left)) == sorted(map(repr, right))
    else:
        assert left == right


ROME = ZoneInfo("Europe/Rome")
SCALARS = [
    *[None, True, False, 0, -1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1],
    *[1 << 20000, -(1 << 20000), 0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324],
    *["", "größe", "\ud800", "a\x00\udfff", b"", b"\xff", 1 + 2j, complex(-0.0, 0.0)],
    *[
        Decimal("1.50"),
        Decimal("-0"),
        Decimal("NaN12"),
        Decimal("sNaN"),
        Decimal("1E+9"),
    ],
    *[Fraction(-1, 3), Fraction(7**9000, 2), date(1, 1, 1), date(2024, 2, 29)],
    *[
        time(1, 2, 3, 4),
        time(fold=1),
        time(1, tzinfo=ROME),
        time(1, tzinfo=timezone.utc),
    ],
    datetime(2024, 10, 27, 2, 30),
    datetime(2024, 10, 27, 2, 30, fold=1),
    datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ROME),
    datetime(2024, 1, 1, tzinfo=timezone.utc),
    datetime(
        2024, 1, 1, tzinfo=timezone(timedelta(hours=-5, seconds=1, microseconds=2))
    ),
    datetime(2024, 1, 1, tzinfo=timezone(timedelta(0), "x]#1[ \ud800")),
    datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1), ""), fold=1),
    *[timedelta.min, timedelta.max, timedelta(microseconds=-1)],
    *[uuid.UUID(int=7), uuid.uuid1()],
    pathlib.PurePosixPath("a/b"),
    pathlib.PurePosixPath("posix:a\udcff"),
    pathlib.PureWindowsPath("C:\\x"),
    pathlib.Path("maps/cave.lvl"),
    *[Colour.RED, Colour.CRIMSON, Rank.LOW, Way.NORTH, Way(0), Way(3), Prefab.GOBLIN],
]
CONTAINERS = [
    [],
    [1, [2, [3]]],
    (),
    (1,),
    {1, "a", 2.5},
    frozenset([(1, 2)]),
    {"b": 1, "a": 2},
    {1: 1, "1": 2, (): 3},
    OrderedDict([("b", 1), ("a", 2)]),
    Counter("hello"),
    defaultdict(list, {"a": [1]}),
    defaultdict(None, {1: 2}),
    deque([1, 2], 3),
    deque([1]),
    bytearray(b"abc"),
    array("d", [1.0, -0.0]),
    array("l", [1, -1]),
    array("u", "hé"),
    Vec2(1.0, 2.0),
    Vec2("wrong", None),  # type: ignore[arg-type]
    Item("sword", (Way.EAST, [Decimal(1)])),
    Slotted("x"),
    Packed("x"),
]


@pytest.mark.parametrize(
    "value", SCALARS + CONTAINERS, ids=lambda value: type(value).__name__
)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert_same(value, round_trip(value))
    assert_same([value], round_trip([value]))


@pytest.mark.parametrize(
    "value", SCALARS + CONTAINERS, ids=lambda value: type(value).__name__
)
def test_a_description_is_what_python_prints(value: Any) -> None:
    shown = describe(read_back(typed(value, WORLD)))
    if type(value) is int and abs(value) > 2**4096:
        assert shown == hex(value)
    elif type(value) is Fraction and value.numerator > 2**4096:
        assert shown.startswith("<fraction '0x")
    elif isinstance(value, (Enum, Flag)):
        assert shown in (
            str(value),
            f"{type(value).__name__}.{value.name}",
            "Way.0x0",
        ) or (type(value) is Prefab and shown == "<prefab 7>")
    elif type(value) is set:
        assert sorted(shown[1:-1].split(", ")) == sorted(repr(value)[1:-1].split(", "))
    elif type(value) is defaultdict:
        assert shown in ("defaultdict(list, {'a': [1]})", "defaultdict(None, {1: 2})")
    elif type(value) is Counter:
        assert shown == "Counter({'h': 1, 'e': 1, 'l': 2, 'o': 1})"
    elif type(value) is OrderedDict:
        assert shown == "OrderedDict({'b': 1, 'a': 2})"
    elif type(value) is Item:
        assert shown == "Item(name='sword', tags=(Way.EAST, [Decimal('1')]))"
    else:
        assert shown == repr(value)


_zones = st.one_of(
    st.none(),
    st.timezones(),
    st.builds(
        timezone,
        st.timedeltas(timedelta(hours=-23), timedelta(hours=23)),
        st.text(max_size=5),
    ),
    st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone),
)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters()),
    st.binary(),
    st.complex_numbers(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.times(timezones=_zones),
    st.datetimes(timezones=_zones, allow_imaginary=True),
    st.timedeltas(),
    st.uuids(),
    st.sampled_from([*Colour, *Way, Rank.LOW, Way(3)]),
)
_hashed = st.one_of(_scalars, st.tuples(_scalars)).filter(
    lambda value: "NaN" not in repr(value) and "nan" not in repr(value)
)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.sets(_hashed),
        st.frozensets(_hashed),
        st.dictionaries(_hashed, inner),
        st.dictionaries(_hashed, inner).map(OrderedDict),
        st.dictionaries(_hashed, inner).map(lambda d: defaultdict(set, d)),
        st.dictionaries(_hashed, st.integers()).map(Counter),
        st.builds(deque, st.lists(inner, max_size=3), st.sampled_from([None, 3, 9])),
        st.builds(Vec2, inner, inner),
        st.builds(Item, st.text(), inner),
    ),
    max_leaves=12,
)


@given(_values)
def test_any_value_comes_back_as_it_was(value: Any) -> None:
    assert_same(value, round_trip(value))
    describe(typed(value, WORLD))


@given(_values)
def test_equal_sets_are_equal_bytes(value: Any) -> None:
    members = {1: 2, "a": value, 2.5: None}
    forwards = typed({*members}, WORLD)
    backwards = typed({*reversed([*members])}, WORLD)
    assert encode_any(closed(*forwards, hash)) == encode_any(closed(*backwards, hash))


# -- what belongs to the world


def test_objects_come_back_as_themselves():
    one, two = WORLD.objects
    value = [
        one,
        {two: one},
        (weakref.ref(two), Thing, WORLD.sword, WORLD.generators[0]),
    ]
    made = round_trip(value)
    assert made[0] is one and made[1] == {two: one}
    weak, *others = made[2]
    assert weak() is two
    assert others == [Thing, WORLD.sword, WORLD.generators[0]]
    assert describe(typed(value, WORLD)) == (
        "[<object #1>, {<object #2>: <object #1>}, "
        "(weakref(<object #2>), <class 9>, <asset 'sword'>, <random 0>)]"
    )


def test_a_weak_reference_to_what_is_gone_is_one_after_a_load():
    gone = weakref.ref(Thing())
    made = round_trip(gone)
    assert type(made) is weakref.ref and made() is None


def test_a_value_of_a_codec_is_taken_apart():
    made = round_trip([Vector(1.0, 2.0)])
    assert type(made[0]) is Vector and made[0].parts == (1.0, 2.0)
    assert describe(typed(Vector(1.0, 2.0), WORLD)) == "Vector((1.0, 2.0))"


def test_keys_are_found_and_replaced():
    one, two = WORLD.objects
    made = typed([{one: [two]}, Item("x", {two}), weakref.ref(one), 25], WORLD)
    assert [*keys_of(*made)] == [1, 2, 2, 1]
    assert [*keys_of(*read_back(made))] == [1, 2, 2, 1]
    swapped = made[0], remapped(*made, {1: 2, 2: 0})
    assert [*keys_of(*swapped)] == [2, 2]
    value = untyped(swapped, WORLD)
    assert value[0] == {two: [None]} and value[1] == Item("x", {None})


def test_a_set_of_keys_stays_in_order_when_they_change():
    made = typed({*WORLD.objects}, WORLD)
    assert remapped(*made, {1: 9, 2: 3}) == [3, 9]


# -- numpy

ARRAYS = [
    numpy.array([1, 2, 3]),
    numpy.arange(6, dtype=">i2").reshape(2, 3),
    numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
    numpy.array(3.5),
    numpy.zeros((0, 3)),
    numpy.array(["ab", "c"]),
    numpy.array(["2024-01-01"], "datetime64[D]"),
    numpy.zeros(2, [("x", "<f8"), ("in", [("a", "i2", (2, 2))])]),
    numpy.zeros(2, numpy.dtype([("x", "i1"), ("y", "f8")], align=True)),
    numpy.arange(10)[::2],
]


@pytest.mark.parametrize("value", ARRAYS, ids=str)
def test_an_array_comes_back_as_it_was(value: Any) -> None:
    made = round_trip(value)
    assert made.dtype == value.dtype and made.shape == value.shape
    assert made.tobytes() == value.tobytes()
    assert made.flags.f_contiguous == numpy.ascontiguousarray(
        value
    ).flags.f_contiguous or (made.flags.f_contiguous == value.flags.f_contiguous)
    made.flags.writeable = True
    assert describe(typed(value, WORLD)) == " ".join(repr(made).split())


@pytest.mark.parametrize(
    "value",
    [numpy.float32(0.1), numpy.int64(-1), numpy.bool_(True), numpy.str_("x")]
    + [numpy.datetime64("2024-01-01"), numpy.complex64(1j)],
    ids=repr,
)
def test_a_number_of_numpys_comes_back_as_it_was(value: Any) -> None:
    made = round_trip(value)
    assert type(made) is type(value) and made == value


NUMBER = parse("numpy<generic>")
HOSTILE_DTYPES = [
    ["struct", [["a", "<i4", 0], ["b", "<f8", 2**31 - 1]], 12, False],
    ["struct", [["a", "<i4", 0], ["b", "<f8", 5]], 12, False],
    ["struct", [["a", "<i4", -4]], 12, False],
    ["struct", [["a", "<i4", 0]], -1, False],
    ["struct", [["a", "<i4", 0]], 2**31, False],
    ["struct", [["a", "<i4", 0, [1]]], 4, False],
    ["struct", [["a", ["array", "<i4", [2**16, 2**16]], 0]], 4, False],
    ["struct", [["a", ["array", "<i4", [0, 2**40]], 0]], 4, False],
    ["struct", [["a", ["array", "<i4", [1] * 17], 0]], 4, False],
    ["struct", [["a", ["struct", [["b", "<i8", 0]], 4, False], 0]], 8, False],
    ["array", "<i4", [1]],
    *["U536870912", "S4294967295", "M8[0s]", "M8[99s/7]", "M8[Q]", "f3", "<i8[s]"],
]


@pytest.mark.parametrize("dtype", HOSTILE_DTYPES, ids=str)
def test_numbers_of_a_dtype_are_checked_before_numpy_gets_them(
    dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(numpy, "dtype")
    for made in (
        (StoredType("ndarray"), [dtype, [0], "C", b""]),
        (NUMBER, [dtype, b""]),
    ):
        with pytest.raises(SaveCorruptError, match="invalid dtype in save"):
            untyped(made, WORLD)


@pytest.mark.parametrize(
    "shape", [[2**62, 0, 4], [-1, -4], [4.0], [True, 4], "4", None, [1] * 33]
)
def test_a_shape_is_checked_before_numpy_gets_it(shape: Any) -> None:
    with pytest.raises(SaveCorruptError, match="an invalid shape"):
        untyped((StoredType("ndarray"), ["|i1", shape, "C", b"abcd"]), WORLD)


def test_members_of_an_array_are_what_numpy_counts_on() -> None:
    bools = untyped((StoredType("ndarray"), ["|b1", [4], "C", b"\0\1\2\xff"]), WORLD)
    assert bools.tobytes() == b"\0\1\1\1"
    with pytest.raises(SaveCorruptError, match="invalid characters"):
        untyped((NUMBER, ["<U1", b"\xff\xff\xff\xff"]), WORLD)


# -- random generators


def states(name: str) -> Any:
    made = numpy.random.Generator(getattr(numpy.random, name)(1))
    return state_of(made)


def test_the_states_of_all_generators_come_back() -> None:
    for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        made = numpy.random.Generator(getattr(numpy.random, name)(1))
        made.integers(9, dtype="u4")
        copy = generator_from(through_a_file(state_of(made)))
        assert [*copy.integers(99, size=9)] == [*made.integers(99, size=9)]


HOSTILE_STATES: list[tuple[str, list[str], Any]] = [
    ("MT19937", ["state", "pos"], 700),
    ("MT19937", ["state", "pos"], 100_000_000),
    ("MT19937", ["state", "pos"], -1),
    ("MT19937", ["state", "key"], [1] * 623),
    ("MT19937", ["state", "key"], [2**32] * 624),
    ("PCG64", ["state", "inc"], "0x" + "f" * 33),
    ("PCG64DXSM", ["uinteger"], 2**32),
    ("PCG64", ["has_uint32"], 2),
    ("Philox", ["buffer_pos"], -1_000_000_000),
    ("Philox", ["buffer_pos"], 5),
    ("Philox", ["buffer"], [1, 2, 3]),
    ("Philox", ["state", "counter"], [1.0] * 4),
    ("SFC64", ["state", "state"], [1] * 5),
    ("SFC64", ["more"], 1),
    ("SFC64", ["bit_generator"], "default_rng"),
]


@pytest.mark.parametrize(("name", "path", "value"), HOSTILE_STATES)
def test_numbers_of_a_state_are_checked_before_numpy_gets_them(
    name: str, path: list[str], value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = states(name)
    entry = state[1]
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = value
    monkeypatch.delattr(numpy.random, name)
    with pytest.raises(SaveCorruptError, match="state of a random generator"):
        generator_from(state)


@given(st.sampled_from(HOSTILE_STATES), st.integers(-(2**64), 2**64))
def test_any_number_in_a_state_is_refused_or_gives_a_generator(
    place: tuple[str, list[str], Any], number: int
) -> None:
    name, path, _ = place
    state = states(name)
    entry = state[1]
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = number
    try:
        made = generator_from(state)
    except SaveCorruptError:
        return
    assert len(made.random(700)) == 700


_numbers = st.sampled_from([0, 1, 2, 4, 8, 12, 2**31 - 1, 2**31, 2**62, -1])
_dtypes: Any = st.recursive(
    st.sampled_from(["|b1", "<i4", ">f8", "<U1", "|S2", "|V3", "<M8[s]", "M8[0s]"]),
    lambda inner: st.one_of(
        st.tuples(st.just("array"), inner, st.lists(_numbers, max_size=3)),
        st.tuples(
            st.just("struct"),
            st.lists(st.tuples(st.sampled_from("abc"), inner, _numbers), max_size=3),
            _numbers,
            st.booleans(),
        ),
    ),
    max_leaves=6,
)


@given(_dtypes, st.lists(_numbers, max_size=3), st.binary(max_size=24))
def test_any_dtype_and_shape_is_refused_or_gives_an_array(
    dtype: Any, shape: list[int], data: bytes
) -> None:
    try:
        made = untyped((StoredType("ndarray"), [dtype, shape, "C", data]), WORLD)
    except SaveError:
        return
    # What is between the fields of a structure may be anything in a copy, and in its bytes.
    assert len(made.tobytes()) == made.nbytes and repr(made) == repr(made.copy())


@pytest.mark.parametrize(
    "state",
    [["random", 2, bytes(2500), None], ["random", 3, b"\xff" * 2500, None]]
    + [["random", 3, bytes(2500), "x"], ["random", 3, bytes(2499), None]]
    + [["random", 3, 2500, None], ["random"], ["other", {}], ["numpy", 1], [], 5, None],
    ids=lambda state: str(state)[:20],
)
def test_an_invalid_state_of_a_generator_is_refused(state: Any) -> None:
    with pytest.raises(SaveCorruptError, match="state of a random generator"):
        generator_from(state)


# -- what no kind holds


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _cyclic() -> Any:
    value: list[Any] = []
    value.append({"a": (value,)})
    return value


def _diamonds(depth: int) -> Any:
    value: Any = [1]
    for _ in range(depth):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Unknown(), "a Unknown is not a value that can be saved"),
        (Strange(), "a Strange is not a value that can be saved"),
        ([{"a": Unknown()}], "a Unknown is not a value"),
        (lambda: None, "a function is not a value"),
        (pytest, "a module is not a value"),
        (Unknown, "the class `Unknown` is not saveable"),
        (Strange, "the class `Strange` is not saveable"),
        (Enum("Size", ["BIG"]).BIG, "a Size cannot be saved, because no saved field is"),  # type: ignore[attr-defined]
        (type("Mine", (int,), {})(3), "a Mine is not a value"),
        (type("List", (list,), {})(), "a List is not a value"),
        (defaultdict(lambda: 0), "no save can hold the factory `<lambda>`"),
        (_cyclic(), "it contains itself"),
        (_nested(65), "it is nested more than 64 deep"),
        (
            _diamonds(40),
            "it contains the same containers again more than 10,000 times",
        ),
        (numpy.array([object()]), "an array of Python objects cannot be saved"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_kind_holds_is_lost_with_its_reason(value: Any, reason: str) -> None:
    with pytest.raises(Misfit, match="^" + reason.replace("(", r"\(")):
        typed(value, WORLD)


def test_a_zone_of_the_games_own_is_lost():
    from datetime import tzinfo

    class Mars(tzinfo):
        def utcoffset(self, when: Any) -> timedelta:
            return timedelta(minutes=37)

        dst = utcoffset

        def tzname(self, when: Any) -> str:
            return "Mars"

    with pytest.raises(Misfit, match="a time zone must be"):
        typed(datetime(2024, 1, 1, tzinfo=Mars()), WORLD)


def test_what_the_codec_cannot_take_apart_is_lost():
    broken = Vector(1, 2)
    del broken.parts
    with pytest.raises(Misfit, match="its codec raised AttributeError"):
        typed([broken], WORLD)


def test_the_deepest_value_that_is_held_comes_back():
    assert_same(_nested(64), round_trip(_nested(64)))


def test_shared_lists_come_back_as_two():
    row = [0]
    first, second = round_trip([row, row])
    assert first == second == row and first is not second


def test_an_attribute_that_is_not_set_stays_so():
    item = Slotted("x")
    del item.name
    made = round_trip(item)
    assert type(made) is Slotted and not hasattr(made, "name")
    assert describe(NOT_SET) == "<not set>"


# -- other versions of a class


def test_a_record_takes_defaults_for_new_fields_and_drops_old_ones():
    older = parse(f"value {HERE}.Vec2{{12 horizontal: float, 99 z: ndarray}}")
    assert_same(untyped((older, [1.0, "broken"]), WORLD), Vec2(1.0, 0.5))


@pytest.mark.parametrize(
    ("stored", "cell", "said"),
    [
        ("record mygame.Gone{1 x: int}", [2], "no saved field is declared to hold"),
        ("value @.Vec2{}", [], "`Vec2` has a new field `x` without a default"),
        ("enum @.Colour{RED BLUE}", "BLUE", "`Colour.BLUE`, which does not exist"),
        ("flag @.Colour{RED}", "RED", "has a flag `.*Colour`, which is no longer one"),
        ("enum @.Way{NORTH}", "NORTH", "has an enum `.*Way`, which is no longer one"),
        ("value @.Colour{}", [], "has a record `.*Colour`, which is no longer one"),
        ("prefab", 99, "unknown prefab with the number 99"),
        ("datetime", "2024-01-01T00:00:00[Europe/Atlantis]", "unknown time zone"),
        ("datetime", "2024-01-01T00:00:00[../../etc/passwd]", "invalid time zone"),
        ("datetime", "2024-01-01T00:00:00[__pycache__/x]", "invalid time zone"),
        ("time", "12:00:00[Europe/Rome/x]", "invalid time zone"),
        ("codec @.Vec2<int>", 1, "no longer has a codec"),
        ("subclass @.Vec2<int>", 1, "no longer such a subclass"),
    ],
)
def test_what_the_game_lost_is_named(stored: str, cell: Any, said: str) -> None:
    with pytest.raises(SaveError, match=said):
        untyped((parse(stored.replace("@", HERE)), cell), WORLD)


def test_every_zone_of_the_system_can_be_saved() -> None:
    keys = available_timezones() | {"posix/Europe/Rome", "right/UTC"}
    assert len(keys) > 300
    for key in sorted(keys):
        with suppress(ZoneInfoNotFoundError):  # not every system has those of `right`
            value = datetime(2026, 1, 31, tzinfo=ZoneInfo(key))
            assert round_trip(value).tzinfo is value.tzinfo


def test_a_zone_that_no_other_system_has_is_not_saved() -> None:
    path = next(path for each in TZPATH if (path := pathlib.Path(each, "UTC")).exists())
    with path.open("rb") as opened:
        zone = ZoneInfo.from_file(opened, key="my zones/Mars")
    with pytest.raises(Misfit, match="'my zones/Mars' is not in the tz database"):
        typed(datetime(2026, 1, 31, tzinfo=zone), WORLD)


def test_a_file_cannot_fill_the_memory_of_an_enumeration() -> None:
    """Python keeps every combination of flags that it was ever asked for."""

    class Wall(Flag, boundary=KEEP):
        NORTH = 1
        EAST = 2

    before, count = len(Wall._value2member_map_), 0
    with pytest.raises(SaveError, match="`.*Wall` has more than 131,072 combinations"):
        for count in range(4, 2**18):
            unpack_flag(Wall, hex(count))
    assert count == 4 + 131_072 - before
    assert unpack_flag(Wall, "NORTH|0x8") is Wall(9)


@pytest.mark.parametrize(
    ("stored", "cell"),
    [
        *[("any", c) for c in ([], [1], [99, 1], [-1, 2], ["x", 1], 7, [0, 1, 2])],
        *[("fraction", c) for c in ("1/0", "1e999999999/1")],
        *[("decimal", "abc"), ("date", "x"), ("datetime", "x#1"), ("uuid", b"x")],
        *[("timedelta", [10**12, 0, 0]), ("path", b"\xff"), ("complex", [1])],
        *[("array", c) for c in (["d8", b"x"], ["O8", b""], ["", b""])],
        *[("ndarray", ["<f8", [2**62], "C", b""]), ("random", -5)],
        *[("ndarray", ["O", [1], "C", b"12345678"]), ("numpy<generic>", ["<f8", b""])],
        *[("ndarray", ["<f8", [1], "Q", bytes(8)]), ("bytearray", 2**40)],
        *[("numpy<generic>", [["struct"], b""]), ("bytearray", [1])],
        *[("dict<int, int>", [1]), ("OrderedDict<int, int>", [1]), ("list<int>", 5)],
        *[("set<list<any>>", [[]]), ("deque<int>", ["x", []]), ("deque<int>", [1])],
        *[(f"enum {HERE}.Colour{{RED}}", [1]), (f"flag {HERE}.Way{{}}", 5)],
        *[(f"value {HERE}.Vec2{{1 x: int}}", []), ("union<int | list<int>>", [5, 1])],
        ("list<any>", _nested(3000)),
    ],
)
def test_a_hostile_cell_is_a_typed_error(stored: str, cell: Any) -> None:
    with pytest.raises(SaveError):
        untyped((parse(stored), opened(parse(stored), cell, [])), WORLD)
    with suppress(SaveCorruptError):
        text(parse(stored), cell)


_junk = st.recursive(
    st.one_of(
        st.integers(-1, 40), st.text(max_size=3), st.binary(max_size=9), st.none()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(st.integers(0, 3), inner).map(list),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=20,
)


@given(stored_types(), _junk)
def test_any_cell_is_a_value_or_a_typed_error(stored: StoredType, cell: Any) -> None:
    types = [stored, *map(parse, ("list<any>", "ref<0>", "int", "date"))]
    try:
        read = opened(stored, cell, types)
    except SaveError:
        return
    for use in (untyped, lambda typed, _: text(*typed)):
        try:
            use((stored, read), WORLD)
        except SaveError:
            pass
    if not wrong(stored, [read]):
        assert [*keys_of(stored, read)] is not None
        assert not wrong(stored, [remapped(stored, read, {1: 2})])


def test_a_bound_method_is_shown_with_its_object() -> None:
    stored = parse("codec builtins.method<(ref<0>, str)>")
    assert text(stored, (7, "ring")) == "<object #7>.ring"
