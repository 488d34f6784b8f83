"""Forms, and wire values without a game: what a stranger's file can and cannot say."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, json, msgpack

from savegen.runtime import SaveError
from savegen.runtime.checks import Check
from savegen.runtime.errors import SaveCorruptError, SaveLimitError
from savegen.runtime.saves.wire import (
    LOST,
    Wires,
    check_form,
    decoder,
    from_plain,
    relink,
    scan,
    to_plain,
    type_of,
    used_shapes,
)
from savegen.runtime.saves.wire._leaf_nodes import LEAVES
from tests.saves.wire_things import NAMES, VALUES, Game, packed

SHAPES: Any = {
    "Node": [("hp", "int"), ("next", ["optional", ["record", "Node"]])],
    "Vec2": [("x", "float"), ("y", "float")],
    "Twice": [("a", "int"), ("a", "int")],
    "Lost": [("it", ["record", "Nowhere"])],
}


@pytest.mark.parametrize(
    "form",
    [
        "pickle",
        "",
        7,
        None,
        [],
        {},
        ["list"],
        ["list", "int", "int"],
        ["list", ["list"]],
        ["dict", "str"],
        ["union"],
        ["enum", "a:B"],
        ["enum", 1, []],
        ["enum", "a:B", [1]],
        ["literal", [1.5]],
        ["literal", [{"$x": 1}]],
        ["record"],
        ["record", ["Vec2"]],
        ["record", "Nowhere"],
        ["record", "Twice"],
        ["record", "Lost"],
        ["keys", 1],
        ["scalar", 1],
        ["foreign", 1],
        ["int", "int"],
        [["list"], "int"],
    ],
    ids=repr,
)
def test_a_form_that_makes_no_sense_is_refused(form: Any) -> None:
    with pytest.raises(SaveCorruptError):
        check_form(form, SHAPES)


def test_a_form_is_not_nested_deeper_than_values_can_be() -> None:
    form: Any = "int"
    for _ in range(63):
        form = ["list", form]
    check_form(form, {})
    with pytest.raises(SaveLimitError, match="the depth of a form"):
        check_form(["list", form], {})
    for _ in range(5000):
        form = ["list", form]
    with pytest.raises(SaveLimitError, match="the depth of a form"):
        check_form(form, {})


def test_shapes_in_shapes_are_not_nested_deeper_either() -> None:
    chain: Any = {f"S{n}": [("it", ["record", f"S{n + 1}"])] for n in range(200)}
    chain["S200"] = []
    check_form(["record", "S150"], chain)
    with pytest.raises(SaveLimitError, match="the depth of a form"):
        check_form(["record", "S0"], chain)
    with pytest.raises(SaveLimitError, match="the depth of a form"):  # bit by bit
        decoder([["record", f"S{n}"] for n in range(200, 0, -1)], chain)


def test_the_shapes_of_forms_are_found_through_others() -> None:
    shapes: Any = {**SHAPES, "A": [("v", ["list", ["record", "Vec2"]])]}
    assert [*used_shapes([["optional", ["record", "A"]], "int"], shapes)] == [
        "A",
        "Vec2",
    ]
    assert used_shapes(["int"], shapes) == {}


def test_a_value_that_leads_back_to_itself_is_read_level_by_level() -> None:
    assert type_of(["record", "Node"], SHAPES) is Raw
    deep: Any = None
    for hp in range(64):
        deep = [hp, deep]
    decode = decoder([["record", "Node"]], SHAPES)
    assert len(decode(msgpack.encode([[deep]]))) == 1
    with pytest.raises(SaveLimitError, match="the depth of a value"):
        decode(msgpack.encode([[[64, deep]]]))
    with pytest.raises(SaveLimitError, match="the depth of a value"):
        plain = {"hp": 64, "next": to_plain(["record", "Node"], SHAPES, [deep])[0]}
        from_plain(["record", "Node"], SHAPES, [plain])


def test_no_length_is_believed_that_the_bytes_do_not_back() -> None:
    for data in (
        b"\xdd\xff\xff\xff\xff",
        b"\x91\xdd\x7f\xff\xff\xff\x01",
        b"\xc6\xff\xff\xff\xff",
    ):
        for form in ("int", ["list", "int"], "any", ["record", "Node"]):
            with pytest.raises(SaveCorruptError, match="truncated"):
                decoder([form], SHAPES)(data)
    with pytest.raises(SaveLimitError):
        scan(b"\x91" * 100_000 + b"\0")


def test_a_piece_has_columns_of_one_length() -> None:
    decode = decoder(["int", "int"], {})
    assert decode(msgpack.encode([[1], [2]])) == [[1], [2]]
    wrong: list[Any] = [[[1], []], [[1]], [[1], [2], [3]], [1, 2], {}]
    for piece in wrong:
        with pytest.raises(SaveCorruptError):
            decode(msgpack.encode(piece))
    with pytest.raises(SaveLimitError, match="the number of rows is 1,001"):
        decode(msgpack.encode([[1] * 1001] * 2))


WRONG: list[tuple[Any, Any]] = [
    ("int", 1.5),
    ("bool", 1),
    ("str", b"a"),
    ("bytes", "a"),
    ("ref", -1),
    ("ref", "a"),
    (["enum", "a:B", ["X"]], 1),
    (["enum", "a:B", []], 0),
    (["literal", ["a"]], -1),
    (["maybe", "int"], [1, 2]),
    (["places", "int", "int"], [1]),
    (["record", "Vec2"], [1.0]),
    (["record", "Vec2"], [1.0, "a", 2]),
    (["union", "int", "str"], [2, 1]),
    (["union", "int", "str"], [1, 1]),
    (["union", "int", "str"], 1),
    (["dict", "int", "int"], {"a": 1}),
    (["dict", "str", "int"], {1: 1}),
    (["optional", "int"], []),
    ("timedelta", [1, 2]),
    ("any", 7),
]


@pytest.mark.parametrize(("form", "value"), WRONG, ids=repr)
def test_a_value_of_another_form_is_refused(form: Any, value: Any) -> None:
    with pytest.raises(SaveCorruptError):
        decoder([form], SHAPES)(msgpack.encode([[value]]))


@pytest.mark.parametrize(("check", "values"), VALUES, ids=NAMES)
def test_people_read_a_value_and_it_is_written_the_same(
    check: Check, values: list[Any]
) -> None:
    form, shapes, data = packed(check, values, Wires([check]))
    (column,) = decoder([form], shapes)(data)
    text = json.encode(to_plain(form, shapes, column))
    for plain in (json.decode(text), to_plain(form, shapes, column, natural=True)):
        assert msgpack.encode([from_plain(form, shapes, plain)]) == data


def test_people_read_names_numbers_and_texts() -> None:
    form: Any = ["dict", "int", ["record", "Vec2"]]
    assert to_plain(form, SHAPES, [[[3], [[1.5, 2]]]]) == [[[3, {"x": 1.5, "y": 2}]]]
    assert to_plain(["enum", "a:B", ["X", "Y"]], {}, [1]) == ["Y"]
    assert to_plain(["union", "int", "ref"], {}, [[0, 1], [1, 2]]) == [
        1,
        {"$is": 1, "value": {"$ref": 2}},
    ]
    assert to_plain("float", {}, [float("-inf"), 1.5]) == [{"$float": "-inf"}, 1.5]


def test_references_are_found_wherever_they_are() -> None:
    form: Any = ["dict", "ref", ["list", ["union", "ref", ["set", "ref"], "any"]]]
    column = [[[1], [[[0, 2], [1, [3, 4]], [2, msgpack.encode(["list", ["ref", 5]])]]]]]
    opened = relink(form, {}, column, lambda number: (number, "object"))
    assert "object" in repr(opened)
    closed = relink(form, {}, opened, lambda thing: 10 - thing[0])
    wanted = [[[9], [[[0, 8], [1, [6, 7]], [2, msgpack.encode(["list", ["ref", 5]])]]]]]
    assert closed == wanted
    nothing = relink(form, {}, column, lambda number: None)
    assert nothing[0][0] == [None]


# -- a stranger's file: nothing but a `SaveError` ever comes out

_COLUMNS = [(check, *packed(check, values, Wires([check]))) for check, values in VALUES]


def spoilt(data: bytes, places: list[int], bytes_: bytes) -> bytes:
    made = bytearray(data)
    for place, byte in zip(places, bytes_):
        made[place % len(made)] = byte
    return bytes(made)


@given(
    st.sampled_from(_COLUMNS),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=4),
    st.binary(min_size=4, max_size=4),
)
def test_spoilt_bytes_are_refused_or_read(
    column: Any, places: list[int], change: bytes
) -> None:
    check, form, shapes, data = column
    read_it(check, form, shapes, spoilt(data, places, change))


@given(st.sampled_from(_COLUMNS), st.binary(max_size=40))
def test_any_bytes_are_refused_or_read(column: Any, data: bytes) -> None:
    check, form, shapes, _ = column
    read_it(check, form, shapes, b"\x91\x91" + data)


def read_it(check: Check, form: Any, shapes: Any, data: bytes) -> None:
    try:
        (column,) = decoder([form], shapes)(data)
        to_plain(form, shapes, column)
        relink(form, shapes, column, lambda number: number)
        found = Wires([check]).of(check).reader(form, shapes)(column, Game())
    except SaveError:
        return
    assert len(found) == len(column)
    assert not any(each is LOST for each in found)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["$is", "value", "$ref", "$int", "$float", "$str", "$bytes"])
        | st.sampled_from(["hp", "left", "x", "y", "$maxlen", "items", "$factory"]),
        inner,
        max_size=2,
    ),
    max_leaves=8,
)


@given(st.sampled_from(_COLUMNS), _JSON)
def test_any_json_is_refused_or_read(column: Any, plain: Any) -> None:
    check, form, shapes, _ = column
    try:
        found = from_plain(form, shapes, [plain])
        data = msgpack.encode([found])
    except SaveError:
        return
    read_it(check, form, shapes, data)


def test_a_deep_text_is_refused_by_name() -> None:
    plain: Any = []
    for _ in range(50_000):
        plain = [plain]
    for form in ("any", ["list", "any"], "int", ["record", "Node"]):
        with pytest.raises(SaveError):
            from_plain(form, SHAPES, [plain])


def test_no_union_has_a_limit_beside_a_tuple_of_fixed_length() -> None:
    for word, leaf in LEAVES.items():  # msgspec 0.22 would read wild memory
        parts = get_args(leaf.type)
        tuples = [each for each in parts if get_origin(each) is tuple]
        limited = [each for each in parts if get_origin(each) is Annotated]
        is_union = get_origin(leaf.type) in (Union, UnionType)
        assert not (is_union and tuples and limited), word
