"""Tests of the checks of cells: the result for a column is that for each of its cells."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Any, TypedDict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET

from savegen.runtime.values.references import References
from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.values.folds import (
    Rules,
    check_references,
    closed,
    filler,
    has_keys,
    mismatch_in,
    keys_in,
    opened,
    without,
    wrong as find_mismatches,
)
from savegen.runtime.values.rows import Row
from savegen.runtime.values.stored import MAPPINGS, StoredType, parse
from savegen.runtime.values.values import ValueEntry, Values
from savegen.saves.encoding import decode_any, encode_any
from tests.runtime.stored_types import cells_of, remapped, stored_types


class Level(IntEnum):
    LOW = 1


class Text(str):
    pass


class Bag(TypedDict):
    hp: int


class Unhashed(type):
    __hash__ = None  # type: ignore[assignment]


class Strange(metaclass=Unhashed):
    pass


class NodeData(Row, gc=False):
    value: int
    next: Any


CLASSES = {1: 7, 2: 8, 3: -1}
INT = StoredType("int")
KEYS = parse("(list<ref<7>>, ref<0>)")
NODE = "record Node{1 value: int, 2 next: optional<rec Node>}"


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("bool", [True, False], [0, 1, None]),
        ("int", [0, -5, 2**70], [True, 0.0, Level.LOW, None, "1", Strange()]),
        ("float", [0.5, 1, 2**60 + 1], [True, None, "1"]),
        ("str", ["", "\ud800"], [Text("a"), None, b"", ["a"]]),
        ("bytes", [b""], [bytearray(b""), ""]),
        ("none", [None], [0, False]),
        ("optional<int>", [None, 3], [True, Level.LOW, 1.5]),
        ("list<int>", [[], [1, 2]], [[1.5], [1, True], Counter(), "ab", None, {1: 1}]),
        ("(int, str)", [(1, "a")], [(1,), (1, "a", 2), ("a", 1), None, "ab"]),
        ("()", [()], [(1,), None]),
        ("dict<str, int>", [{}, {"a": 1}], [Counter("a"), {1: 1}, {"a": "b"}, []]),
        (
            "dict<(int, int), int>",
            [[], [((1, 2), 3)]],
            [{}, [((1,), 3)], [(1, 2)], [3]],
        ),
        ("OrderedDict<str, int>", [[], [("a", 1)]], [{"a": 1}, [("a", 1, 2)]]),
        ("Counter<str>", [{"a": 1}], [{"a": 1.5}]),
        (
            "deque<int>",
            [(None, [1]), [3, [1]]],
            [[1], [None, 1], [None, ["a"]], [-1, []]],
        ),
        ("optional<list<int>>", [None, [1]], [[None], 3]),
        ("enum Colour{RED}", ["RED"], ["BLUE", 3, None, ["RED"]]),
        ("flag Way{N E}", ["N", "N|E", "0x0", "N|0x8", "-0x1"], ["S", "", "N|", None]),
        ("literal{1 'a' True}", [1, "a", True], [False, 2, 1.0, "b", [1], None]),
        ("class<7 8>", [7, 8], [9, 0, "7"]),
        ("class<0>", [7, 99], ["7"]),
        ("ref<7>", [1], [2, 3, 4, 0, None, "1"]),
        ("ref<7 8>", [1, 2], [3, 4, 0]),
        ("ref<-1>", [3], [1, 2, 0]),
        ("ref<0>", [1, 2, 3], [4, 0]),
        ("optional<ref<7>>", [1, 0], [2, 4, None]),
        ("weak<ref<7>>", [1, 0], [2]),
        ("list<ref<7>>", [[1, 1], []], [[1, 2], [0], [None]]),
        ("list<optional<ref<7>>>", [[1, 0]], [[2]]),
        (
            "value V{1 x: float, 2 y: int}",
            [(0.5, 1)],
            [(True, 1), (0.5,), None, {}, NodeData(1, 2)],
        ),
        ("record O{1 a: int, 2 b?: int}", [(1, ()), (1, (2,))], [(1, 2), (1, (2, 3))]),
        (NODE, [(1, None), (1, (2, None)), NodeData(1, NodeData(2, None))], [(1, 2)]),
        (NODE, [], [(1, ("a", None)), NodeData(1, NodeData(2.0, None))]),  # type: ignore[arg-type]
        ("union<int | str>", [1, "a"], [1.5, None, True, Text("a")]),
        (
            "union<int | list<int>>",
            [[0, 1, None], (1, None, [2])],
            [1, [2, None, None]],
        ),
        (
            "union<int | list<int>>",
            [],
            [[0, 1, [2]], [1, 1, [2]], [0, None, None], [0, 1]],
        ),
        (
            "union<ref<7> | int>",
            [[0, 1, None], [1, None, 5]],
            [[0, 2, None], [0, 0, None]],
        ),
        ("codec V<(float, float)>", [(0.5, 1)], [("1", 2.0)]),
        (
            "any",
            [(INT, 1), (parse("list<ref<7>>"), [1]), (StoredType("unset"), None)],
            [None, 1, (INT, "a"), [INT, 1], (parse("list<ref<7>>"), [2]), (INT,)],
        ),
        ("complex", [(0.0, 1.0)], [(0, 1.0)]),
        (
            "ndarray<int64>",
            [("<i8", (1,), "C", bytes(8)), bytes(16), b""],
            [("<f8", (1,), "C", bytes(8)), bytes(9), None],
        ),
        ("ndarray<floating>", [("<f4", (1,), "C", bytes(4))], [bytes(8), b""]),
        ("ndarray", [("<f4", (1,), "C", bytes(4))], [bytes(8)]),
        ("numpy<floating>", [("<f4", bytes(4))], [("<i4", bytes(4)), ["<f4"]]),
    ],
)
def test_a_mismatch_is_found_at_any_position(
    text: str, good: list[Any], bad: list[Any]
) -> None:
    stored = parse(text)
    assert find_mismatches(stored, good, Rules(CLASSES.get)) == []
    for wrong in bad:
        assert find_mismatches(stored, [wrong], Rules(CLASSES.get)) == [0]
        assert find_mismatches(stored, [*good, wrong, *good], Rules(CLASSES.get)) == [
            len(good)
        ]
    column = [cell for pair in zip(bad, good * 9) for cell in pair]
    assert find_mismatches(stored, column, Rules(CLASSES.get)) == [
        *range(0, len(column), 2)
    ]


def test_unset_cells_are_skipped():
    assert find_mismatches(parse("int"), [1, UNSET, "a"]) == [2]
    assert find_mismatches(parse("list<int>"), [UNSET, [1], UNSET]) == []


def test_key_0_fits_where_a_destroyed_object_was():
    assert (
        find_mismatches(
            parse("(ref<7>, ref<7>)"), [(0, 1)], Rules(CLASSES.get, dangling=True)
        )
        == []
    )
    assert find_mismatches(parse("ref<7>"), [2], Rules(CLASSES.get, dangling=True)) == [
        0
    ]


class PairData(Row, gc=False):
    pair: Any


class Names(References):
    def get_component(self, key: int, /) -> Any:
        return {0: None, 2: "a spear"}[key]


def test_a_destroyed_object_beside_a_wrong_one_is_not_reported_in_its_place():
    limited = {"pair": parse("(ref<7>, ref<7>)")}
    with pytest.raises(SaveError, match=r"object\.pair\[1\]` holds a str,"):
        check_references(object(), PairData((0, 2)), limited, Names(), CLASSES.get)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("list<ref<7>>", [1, 0]),
        ("set<ref<7>>", [0]),
        ("deque<ref<7>>", (None, [0])),
        ("dict<str, ref<7>>", {"a": 0}),
        ("dict<ref<7>, int>", {0: 1}),
        ("OrderedDict<str, ref<7>>", [("a", 0)]),
        ("Counter<ref<7>>", {0: 1}),
    ],
)
def test_key_0_in_a_container_fits_only_before_destroyed_objects_are_removed(
    text: str, cell: Any
) -> None:
    stored = parse(text)
    assert find_mismatches(stored, [cell], Rules(dangling=True)) == []
    assert find_mismatches(
        stored, [cell], Rules(dangling=True, dangling_members=False)
    ) == [0]


def test_a_recursive_record_may_be_as_deep_as_in_a_file():
    def node(depth: int) -> Any:
        return (1, node(depth - 1)) if depth else None

    assert find_mismatches(parse(NODE), [node(64)]) == []
    assert find_mismatches(parse(NODE), [node(63), node(200)]) == [1]


# -- any stored type


def oracle(stored: StoredType, cell: Any) -> bool:
    return find_mismatches(stored, [cell], Rules(CLASSES.get)) == []


@given(st.data(), stored_types())
def test_cells_of_a_type_fit_it_also_after_they_were_written_and_read(
    data: st.DataObject, stored: StoredType
) -> None:
    cells = cells_of(stored, [*CLASSES])
    assume(not cells.is_empty)  # no value is a record that must hold itself
    column = data.draw(st.lists(cells, max_size=4))
    assert find_mismatches(stored, column) == []
    types: list[StoredType] = []

    def number_of(each: StoredType) -> int:
        if each not in types:
            types.append(each)
        return types.index(each)

    written = [closed(stored, cell, number_of) for cell in column]
    through = decode_any(encode_any(written))
    read = [opened(stored, cell, types) for cell in through]
    assert find_mismatches(stored, read) == []
    again = [closed(stored, cell, number_of) for cell in read]
    assert encode_any(again) == encode_any(written)


_plain = st.recursive(
    st.sampled_from([None, True, 0, 1, 7, 1.5, "", "RED", b"", Level.LOW]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["a", 1]), inner, max_size=2),
    ),
    max_leaves=6,
)


@given(st.data(), stored_types())
def test_the_mismatches_of_a_column_are_those_of_its_cells(
    data: st.DataObject, stored: StoredType
) -> None:
    cells = st.one_of(cells_of(stored, [*CLASSES]), _plain)
    column = data.draw(st.lists(cells, max_size=5))
    expected = [n for n, cell in enumerate(column) if not oracle(stored, cell)]
    assert find_mismatches(stored, column, Rules(CLASSES.get)) == expected


@given(stored_types())
def test_a_filler_fits(stored: StoredType) -> None:
    try:
        made = filler(stored)
    except SaveCorruptError:
        assert any(part.name == "rec" for part in stored.walk())
        return
    empty = any(
        part.name in ("enum", "flag") and not part.names for part in stored.walk()
    )
    if not empty and not any(
        part.name in ("ndarray", "numpy") for part in stored.walk()
    ):
        assert find_mismatches(stored, [made], Rules(dangling=True)) == []


# -- keys


@given(st.data(), stored_types())
def test_keys_are_found_where_they_are_replaced(
    data: st.DataObject, stored: StoredType
) -> None:
    cells = cells_of(stored, [*CLASSES])
    assume(not cells.is_empty)
    cell = data.draw(cells)
    keys = keys_in(stored, [cell, UNSET])
    assert keys <= {*CLASSES} and (has_keys(stored) or not keys)
    shifted = remapped(stored, cell, {1: 10, 2: 20, 3: 30})
    assert keys_in(stored, [shifted]) == {key * 10 for key in keys}
    assert find_mismatches(stored, [shifted]) == []
    left = without(stored, cell, {1, 2})
    lost = keys - {1, 2} - keys_in(stored, [left])
    # A pair whose key is gone takes its value along.
    assert not lost or any(part.name in MAPPINGS for part in stored.walk())
    rules = Rules(dangling=True, dangling_members=False)
    assert find_mismatches(stored, [left], rules) == []


@pytest.mark.parametrize(
    ("text", "cell", "expected"),
    [
        ("ref<7>", 1, 0),
        ("optional<ref<7>>", 1, 0),
        ("list<ref<7>>", [1, 2, 0], [2, 0]),
        ("list<optional<ref<7>>>", [1, 2], [0, 2]),
        ("list<weak<ref<7>>>", [1, 2], [0, 2]),
        ("tuple<ref<7>>", (1, 2), (2,)),
        ("set<ref<7>>", [1, 2], [2]),
        ("deque<ref<7>>", (3, [1, 2]), (3, [2])),
        ("dict<str, ref<7>>", {"a": 1, "b": 2}, {"b": 2}),
        ("dict<ref<7>, int>", {1: 1, 2: 2}, {2: 2}),
        ("dict<str, optional<ref<7>>>", {"a": 1}, {"a": 0}),
        ("OrderedDict<ref<7>, int>", [(1, 1), (2, 2)], [(2, 2)]),
        ("Counter<ref<7>>", {1: 1, 2: 2}, {2: 2}),
        ("(ref<7>, int)", (1, 1), (0, 1)),
        ("list<(ref<7>, int)>", [(1, 1)], [(0, 1)]),
        ("value V{1 x: ref<7>}", (1,), (0,)),
        ("record O{1 x?: ref<7>, 2 y?: ref<7>}", ((1,), ()), ((0,), ())),
        ("list<union<ref<7> | int>>", [[0, 1, None], [1, None, 1]], [[1, None, 1]]),
        ("optional<union<ref<7> | int>>", [0, 1, None], None),
        ("codec V<list<ref<7>>>", [1, 2], [2]),
        ("any", (KEYS, ([1], 1)), (KEYS, ([], 0))),
        ("record N{1 k: ref<7>, 2 n: list<rec N>}", (1, [(2, [(1, [])])]), None),
        ("int", 1, 1),
    ],
)
def test_the_key_of_a_destroyed_object_is_removed_from_containers_and_is_0_elsewhere(
    text: str, cell: Any, expected: Any
) -> None:
    if "rec N" in text:
        expected = (0, [(2, [(0, [])])])
    assert without(parse(text), cell, {1}) == expected


def test_a_row_of_a_recursive_record_stays_a_row():
    stored = parse("record Node{1 value: ref<7>, 2 next: optional<rec Node>}")
    cell = NodeData(1, NodeData(2, None))
    assert keys_in(stored, [cell]) == {1, 2}
    assert remapped(stored, cell, {2: 5}) == NodeData(1, NodeData(5, None))


def test_keys_inside_a_record_within_a_record_are_found():
    stored = parse("record A{1 r: ref<7>, 2 b: list<record B{1 a: rec A}>}")
    assert keys_in(stored, [(1, [((2, []),)])]) == {1, 2}


def test_a_cell_of_a_type_without_keys_is_not_copied():
    cell: Any = [[1, 2]]
    stored = parse("list<list<int>>")
    assert not has_keys(stored)
    assert remapped(stored, cell, {1: 2}) is cell and without(stored, cell, {1}) is cell
    assert not keys_in(stored, [cell])


def test_a_value_in_a_field_that_declares_a_typed_dict_is_a_mismatch() -> None:
    bag, other = (
        parse(f"value {__name__}.{name}{{1 hp: int}}") for name in ("Bag", "Strange")
    )
    values = Values(
        [
            ValueEntry(bag.label, lambda: Bag, str(bag)),
            ValueEntry(other.label, lambda: Strange, str(other)),
        ]
    )
    assert mismatch_in(bag, (other, [1]), values)
    assert not mismatch_in(bag, (bag, [1]), values)
