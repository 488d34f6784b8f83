"""What is hard to keep: exact values, what cannot be saved, values that say what they are."""

from __future__ import annotations

import random
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import datetime, time, timedelta, tzinfo
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack

from savegen.runtime import SaveError, SaveLoadKey, SlotKey, checks, plain
from savegen.runtime.checks import Check
from savegen.runtime.copying import Unhashed
from savegen.runtime.errors import SaveCorruptError, SaveLimitError
from savegen.runtime.generators import kept
from savegen.runtime.saves.wire import LOST, Unfit, Wires
from tests.oracle import difference
from tests.saves.wire_things import (
    BAG,
    DICE,
    DOORS,
    FOES,
    HEX,
    MOOD,
    NUMPY_DICE,
    PREFAB,
    STATS,
    TREE,
    NAMES,
    VALUES,
    VEC2,
    Doors,
    Foe,
    Game,
    Goblin,
    Hex,
    Mood,
    Prefabs,
    Stats,
    Tree,
    Vec2,
    packed,
    through_bytes,
)


def assert_same(check: Check, found: list[Any], wanted: list[Any]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert check.same(one, other), (one, other)


@pytest.mark.parametrize(("check", "values"), VALUES, ids=NAMES)
def test_a_value_comes_back_the_same(check: Check, values: list[Any]) -> None:
    assert_same(check, through_bytes(check, values), values)


@pytest.mark.parametrize(("check", "values"), VALUES, ids=NAMES)
def test_no_value_is_taken_for_one_of_another_type(
    check: Check, values: list[Any]
) -> None:
    for other, wrong in VALUES:
        for value in wrong:
            if check.fault(value) is not None and check is not checks.REFERENCE:
                with pytest.raises((Unfit, SaveError)):
                    Wires([check]).of(check).pack([*values, value], Game())


@given(st.lists(st.floats()))
def test_a_float_keeps_every_bit(values: list[float]) -> None:
    again = through_bytes(checks.FLOAT, values)
    assert array("d", again).tobytes() == array("d", values).tobytes()


@given(st.lists(st.integers(-(2**200), 2**200) | st.booleans()))
def test_an_int_of_any_length_comes_back(values: list[int]) -> None:
    assert_same(checks.INT, through_bytes(checks.INT, values), values)


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_a_text_may_have_lone_surrogates(values: list[str]) -> None:
    assert through_bytes(checks.STR, values) == values


@given(st.lists(st.decimals()))
def test_a_decimal_keeps_its_digits_in_any_context(values: list[Decimal]) -> None:
    with localcontext() as context:
        context.prec, context.capitals = 1, 0
        again = through_bytes(checks.DECIMAL, values)
    assert_same(checks.DECIMAL, again, values)


@given(st.lists(st.datetimes(timezones=st.none() | st.timezones()) | st.datetimes()))
def test_a_moment_keeps_its_zone_and_its_fold(values: list[datetime]) -> None:
    assert_same(checks.DATETIME, through_bytes(checks.DATETIME, values), values)


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
_KEYS = st.integers(-(2**70), 2**70) | _TEXTS | st.booleans() | st.none() | st.binary()
_DATA = st.recursive(
    _KEYS | st.floats() | st.decimals() | st.fractions() | st.complex_numbers(),
    lambda inner: st.lists(inner)
    | st.dictionaries(_KEYS, inner)
    | st.lists(inner).map(tuple)
    | st.sets(_KEYS)
    | st.lists(inner).map(deque),
    max_leaves=12,
)


@given(_DATA)
def test_plain_data_says_itself_what_it_is(data: Any) -> None:
    wires = Wires()
    (again,) = wires.dynamic.read(wires.dynamic.pack([data], Game()), Game())
    assert plain.same(again, data)


# -- values that say what they are, of the game's classes

KNOWN = [MOOD, DOORS, VEC2, STATS, TREE, HEX, PREFAB, BAG]
SAID: list[Any] = [
    {"a": [1, (2, {3})], 4: frozenset([b"x"])},
    OrderedDict(b=1, a=2),
    Counter("aab"),
    defaultdict(list, a=[1]),
    deque([1], 3),
    array("H", [1]),
    bytearray(b"ab"),
    time(1, fold=1),
    timedelta(1),
    Fraction(2**80, 3),
    Mood.ANGRY,
    Doors.NORTH | Doors.SOUTH,
    Vec2(1.0, -0.0),
    Stats(1, ["a"]),
    Tree(1, Tree(2)),
    Hex(1, 2),
    Prefabs.ORC,
    Goblin,
    FOES[1],
    [FOES[1], None],
    SlotKey(3, 4),
    SaveLoadKey(SlotKey(2, 1), 0),
    SaveLoadKey(SlotKey(9, 5), 6),
    kept(DICE),
    numpy.arange(3),
    numpy.float32(2.5),
]


@pytest.mark.parametrize("value", SAID, ids=lambda each: type(each).__name__)
def test_a_value_says_itself_what_it_is(value: Any) -> None:
    wires = Wires(KNOWN)
    for data in (value, [value, 1], {"a": (value,)}):
        found = wires.dynamic.read(wires.dynamic.pack([data], Game()), Game())
        assert difference(found, [data], lambda each: each) is None


@pytest.mark.parametrize("value", [Mood.CALM, Stats(1), Vec2(1.0)])
def test_a_class_that_no_field_knows_is_not_saved_as_data(value: Any) -> None:
    with pytest.raises(SaveError, match="no saved field is declared to hold one"):
        Wires().dynamic.pack([value], Game())


@pytest.mark.parametrize(
    ("value", "said"),
    [(object(), "is not plain data"), (defaultdict(lambda: 1), "could not be loaded")],
)
def test_what_is_no_data_is_refused_by_name(value: Any, said: str) -> None:
    with pytest.raises(SaveError, match=said):
        Wires(KNOWN).dynamic.pack([value], Game())


def test_a_save_makes_no_class_that_no_field_knows() -> None:
    data = Wires(KNOWN).dynamic.pack([Mood.CALM, Stats(1), Hex(1, 2)], Game())
    for each in data:
        with pytest.raises(SaveError, match="which no field of the game holds"):
            Wires().dynamic.read([each], Game())


@pytest.mark.parametrize(
    "tree",
    [
        ["enum", "os:system", "x"],
        ["record", "builtins:eval", "x", 1],
        ["foreign", "os:system", 1],
        ["pickle", b"x"],
        ["list", ["dict", 1]],
        ["int", "zz"],
        ["ref", -1],
        ["ref", 99],
        ["key", 1, 2],
        ["set", ["list"]],
        ["datetime", ["x", 0, None]],
        ["datetime", ["2020-01-01T00:00:00", 0, "../../etc/passwd"]],
        ["random", 7],
        ["class", 8],
        ["prefab", 3],
        ["deque", "a", 1],
        ["defaultdict", "eval"],
        ["ndarray", ["|O", [1], "C", b"12345678"]],
        ["ndarray", ["<f4", [2**40], "C", b""]],
        [[], 1],
        [],
    ],
    ids=repr,
)
def test_data_that_nobody_wrote_is_refused(tree: Any) -> None:
    with pytest.raises(SaveError):
        Wires(KNOWN).dynamic.read([msgpack.encode(tree)], Game())


def test_data_is_not_read_before_it_was_looked_through() -> None:
    for data in (
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 100_000,
        b"\x81\x01\x02",
        b"\xd4\x01a",
    ):
        with pytest.raises((SaveCorruptError, SaveLimitError)):
            Wires().dynamic.read([data], Game())


# -- what cannot be loaded is not saved


class OwnZone(tzinfo):
    def utcoffset(self, moment: datetime | None) -> timedelta:
        return timedelta(0)

    def dst(self, moment: datetime | None) -> None:
        return None

    def tzname(self, moment: datetime | None) -> str:
        return "own"


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (checks.DATETIME, datetime(1, 1, 1, tzinfo=OwnZone()), "a zone of `zoneinfo`"),
        (
            checks.defaultdict_of(checks.STR, checks.INT),
            defaultdict(lambda: 1),
            "one that calls one of list",
        ),
    ],
)
def test_a_value_that_could_not_be_loaded_is_refused(
    check: Check, value: Any, said: str
) -> None:
    around = checks.list_of(check)
    with pytest.raises(Unfit) as told:
        Wires([around]).of(around).pack([[], [value]], Game())
    assert (told.value.place, told.value.fault.path) == (1, "[0]")
    assert said in told.value.fault.wanted


def test_a_fault_is_told_with_its_place() -> None:
    check = checks.dict_of(checks.INT, checks.list_of(STATS))
    with pytest.raises(Unfit) as told:
        wrong: Any = Stats(1, ["a", 2])  # type: ignore[list-item]
        Wires([check]).of(check).pack(
            [{}, {7: [Stats(1)], 8: [Stats(1), wrong]}], Game()
        )
    assert told.value.place == 1
    assert told.value.fault == ("[8][1].tags[1]", "an int", "str")


def test_what_is_nested_too_deep_is_refused_by_save_and_load() -> None:
    tree = Tree(0)
    for hp in range(63):
        tree = Tree(hp, tree)
    assert through_bytes(TREE, [tree]) == [tree]
    with pytest.raises(SaveLimitError, match="the depth of a value"):
        through_bytes(TREE, [Tree(64, tree)])


def test_data_that_is_nested_too_deep_is_refused_by_save_and_load() -> None:
    data: list[Any] = []
    for _ in range(63):
        data = [data]
    wires = Wires()
    assert wires.dynamic.read(wires.dynamic.pack([data], Game()), Game()) == [data]
    with pytest.raises(SaveLimitError, match="the depth of a value"):
        wires.dynamic.pack([[data]], Game())


def test_data_that_holds_itself_is_refused() -> None:
    data: list[Any] = []
    data.append(data)
    with pytest.raises(SaveLimitError):
        Wires().dynamic.pack([data], Game())


# -- references


def test_a_set_of_objects_is_not_hashed_before_they_are_filled() -> None:
    check = checks.set_of(checks.REFERENCE)
    (found,) = through_bytes(check, [Unhashed(set, [FOES[2], FOES[0]])])
    assert type(found) is Unhashed and found == [FOES[0], FOES[2]]


def test_in_rows_a_weak_reference_is_its_object() -> None:
    check = checks.AnyOf(checks.WEAK_REFERENCE, checks.INT)
    assert through_bytes(check, [FOES[1], None, 3]) == [FOES[1], None, 3]
    assert through_bytes(checks.WEAK_REFERENCE, [FOES[1], None]) == [FOES[1], None]


class Forgetful(Game):
    objects = [FOES[0], LOST, FOES[2], LOST]


def test_what_the_game_cannot_make_is_none_in_a_field_and_not_in_a_container() -> None:
    ref = checks.REFERENCE
    for check, value, wanted in [
        (ref, FOES[1], None),
        (checks.list_of(ref), [FOES[0], FOES[1], FOES[2]], [FOES[0], FOES[2]]),
        (checks.Places(ref, checks.INT), (FOES[1], 1), (None, 1)),
        (checks.dict_of(checks.STR, ref), {"a": FOES[1], "b": FOES[0]}, {"b": FOES[0]}),
        (checks.dict_of(ref, checks.INT), {FOES[3]: 1, FOES[0]: 2}, [(FOES[0], 2)]),
        (checks.AnyOf(ref, checks.INT), FOES[1], None),
        (
            checks.deque_of(checks.optional(ref)),
            deque([None, FOES[1]]),
            deque([None, None]),
        ),
    ]:
        wires = Wires([check])
        column = wires.of(check).pack([value], Game())
        reader = wires.of(check).reader(wires.of(check).form, wires.shapes)
        assert reader(column, Forgetful()) == [wanted]


def test_a_number_that_no_object_has_is_refused() -> None:
    wire = Wires().of(checks.REFERENCE)
    with pytest.raises(SaveCorruptError, match="an object 9, it has 4"):
        wire.reader("ref", {})([9], Game())


def test_generators_are_those_of_their_kind() -> None:
    wire = Wires().of(checks.RANDOM)
    with pytest.raises(SaveError, match="a generator that is no random.Random"):
        wire.reader("random", {})([1], Game())
    assert wire.pack([DICE, kept(DICE)], Game()) == [0, 0]
    assert NUMPY_DICE is not None and random.Random is type(DICE)


# -- equal worlds, equal bytes


def test_equal_sets_are_written_alike() -> None:
    for check, one, other in [
        (checks.set_of(checks.STR), [*"abcdefgh"], [*"hgfedcba"]),
        (checks.set_of(checks.INT), [8, 16, 0], [0, 16, 8]),
        (
            checks.set_of(checks.Places(checks.INT, checks.STR)),
            [(2, "a"), (1, "b")],
            [(1, "b"), (2, "a")],
        ),
    ]:
        wires = Wires([check])
        assert (
            packed(check, [set(one)], wires)[2] == packed(check, [set(other)], wires)[2]
        )


def test_padding_between_the_fields_of_an_array_is_not_saved() -> None:
    dtype = numpy.dtype(
        {
            "names": ["a", "b"],
            "formats": ["u1", "<f8"],
            "offsets": [0, 8],
            "itemsize": 24,
        }
    )
    arrays = [
        numpy.frombuffer(filler * 48, dtype).copy() for filler in (b"\x01", b"\x02")
    ]
    for each in arrays:
        each["a"], each["b"] = 1, 2.5
    wires = Wires()
    one, other = (packed(checks.NDARRAY, [each], wires)[2] for each in arrays)
    assert one == other
    (again,) = through_bytes(checks.NDARRAY, arrays[:1])
    assert again.dtype == dtype and again.flags.writeable and again.flags.owndata


def test_a_weak_reference_of_the_game_itself_is_no_row() -> None:
    with pytest.raises(SaveError):
        Wires().of(checks.WEAK_REFERENCE).pack([weakref.ref(FOES[0])], Game())
    assert isinstance(FOES[0], Foe)
