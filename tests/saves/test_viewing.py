"""Saves as people see them: names of objects, values as Python prints them, what differs."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw, msgpack
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.runtime.values.stored import annotation, parse
from savegen.saves import decode, encode
from savegen.saves.body import Body, SavedField, RawRow, RawTable, Types, WorldPart
from savegen.saves.consistency import faults
from savegen.saves.coding import read
from savegen.saves.differing import Difference, differences
from savegen.saves.limits import Guard, Limits
from savegen.saves.text import export
from savegen.saves.viewing import View
from tests.saves.rows_game import BAG, REGISTRY, actor, bag, rich, snapshot
from tests.saves.test_file import saved

MANY = 20_000


def guard() -> Guard:
    return Guard(Limits(), 0)


def of(stored: str, *cells: Any) -> Body:
    """Return a save with objects that have one field, `value`."""
    types = Types()
    table = RawTable(7, "game.Node", (SavedField(17, "value", stored),), types)
    rows = [
        (
            RawRow(n, {}, {17: cell})
            if stored == "any"
            else RawRow(n, {17: Raw(msgpack.encode(cell))})
        )
        for n, cell in enumerate(cells, 1)
    ]
    table.add(rows)
    return Body(WorldPart(slots=[1, len(rows)]), types, [table])


def typed(stored: str, cell: Any) -> Any:
    return parse(stored), cell


def view_of(stored: str, cell: Any) -> View:
    return View(of(stored, cell), guard())


UUID = bytes.fromhex("12345678123456781234567812345678")


@pytest.mark.parametrize(
    ("stored", "cell", "text", "json"),
    [
        ("str", "it's", '"it\'s"', "it's"),
        ("bool", True, "True", True),
        ("optional<int>", None, "None", None),
        ("float", float("inf"), "inf", "inf"),
        ("bytes", b"ab", "b'ab'", "b'ab'"),
        ("tuple<float>", [672.5, 80.0], "(672.5, 80.0)", [672.5, 80.0]),
        ("(int)", [1], "(1,)", [1]),
        ("set<int>", [1, 2], "{1, 2}", [1, 2]),
        ("set<int>", [], "set()", []),
        ("list<enum game.Mood{CALM}>", ["CALM"], "[Mood.CALM]", ["CALM"]),
        ("dict<int, str>", {1: "a"}, "{1: 'a'}", "{1: 'a'}"),
        ("dict<str, (int)>", {"a": [1]}, "{'a': (1,)}", {"a": [1]}),
        ("value game.V{12 x: int}", [1], "V(x=1)", {"x": 1}),
        ("union<date | int>", [1, None, 7], "7", 7),
        ("Counter<int>", {1: 2}, "Counter({1: 2})", "Counter({1: 2})"),
        ("defaultdict<str, int>", {"a": 1}, "defaultdict(int, {'a': 1})", {"a": 1}),
        ("deque<int>", [3, [1]], "deque([1], maxlen=3)", "deque([1], maxlen=3)"),
        ("decimal", "1.50", "Decimal('1.50')", "Decimal('1.50')"),
        ("timedelta", [1, 0, 0], "datetime.timedelta(days=1)", None),
        ("uuid", UUID, "UUID('12345678-1234-5678-1234-567812345678')", None),
        ("ref<7>", 1, "<Node #1>", "Node #1"),
        ("ref<7>", 0, "None", None),
        ("weak<ref<7>>", 0, "weakref(None)", None),
        (
            "any",
            typed("tuple<any>", [typed("int", 1), typed("set<int>", [2])]),
            "(1, {2})",
            [1, [2]],
        ),
        ("codec a.B<(float, int)>", [1.5, 2], "B((1.5, 2))", "B((1.5, 2))"),
        ("random", 3, "<random 3>", "<random 3>"),
        ("decimal", 7, "'7'", "7"),
        ("list<(int)>", [3], "'[3]'", "[3]"),
        ("date", "soon", "<date 'soon'>", None),
    ],
)
def test_a_value_is_printed_by_its_type(
    stored: str, cell: Any, text: str, json: Any
) -> None:
    view = view_of(stored, cell)
    value = view.values[1][17]
    assert view.text(value) == text
    assert view.plain(value) == (text if json is None and text[0] not in "Nw" else json)


def test_a_long_value_is_cut() -> None:
    view = view_of("str", "x" * 100)
    assert len(view.shown(view.values[1][17])) == 48


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("list<ref<7>>", "list[ref]"),
        ("optional<value game.Vec2{12 x: float}>", "Vec2 | None"),
        ("union<int | str>", "int | str"),
        (
            "dict<str, (int, ndarray<float64>)>",
            "dict[str, tuple[int, NDArray[float64]]]",
        ),
        ("literal{'a' 1}", "Literal['a', 1]"),
        ("weak<ref<7>>", "weak[ref]"),
    ],
)
def test_a_type_is_shown_like_an_annotation(stored: str, text: str) -> None:
    assert annotation(parse(stored)) == text


# -- names


def chain(last: int) -> Body:
    """Return a list of nodes, each of which only the one before leads to."""
    fields, types = (
        SavedField(16, "next", "ref<7>"),
        SavedField(17, "value", "int"),
    ), Types()
    table = RawTable(7, "Node", fields, types)
    following = [1, *range(-1, -MANY, -1)]
    table.add(
        [
            RawRow(
                key,
                {16: Raw(msgpack.encode(after)), 17: Raw(msgpack.encode(value))},
            )
            for key, after, value in zip(
                following, [*following[1:], 0], [*range(MANY - 1), last]
            )
        ]
    )
    return Body(WorldPart(next_reached=MANY, slots=[1, 1]), types, [table])


def test_a_path_of_many_steps_has_a_short_name_of_its_own() -> None:
    view = View(chain(1), guard())
    found = [view.name(key) for key in view.values]
    assert found[:3] == ["Node #1", "Node Node #1.next", "Node Node #1.next.next"]
    assert len({*found}) == MANY and max(map(len, found)) < 150


def test_what_differs_at_the_end_of_a_long_path_is_told_alone() -> None:
    (only,) = differences(View(chain(1), guard()), View(chain(2), guard()))
    assert (only.what, only.field, only.old, only.new) == ("changed", "value", "1", "2")


# -- what differs


@pytest.mark.parametrize(
    ("stored", "old", "new", "found"),
    [
        ("codec a.B<(int, int)>", [1, 2], [1, 3], [("value[1]", "2", "3")]),
        (
            "any",
            typed("tuple<int>", [1]),
            typed("list<int>", [1]),
            [("value", "(1,)", "[1]")],
        ),
        (
            "any",
            typed("value a.B{1 x: int}", [1]),
            typed("value a.C{1 x: int}", [1]),
            [("value", "B(x=1)", "C(x=1)")],
        ),
        (
            "any",
            typed("value a.B{1 x: int}", [1]),
            typed("value a.B{1 x: any}", [typed("int", 2)]),
            [("value.x", "1", "2")],
        ),
        ("any", typed("tuple<int>", [1]), typed("int", 3), [("value", "(1,)", "3")]),
        ("float", 0.0, -0.0, [("value", "0.0", "-0.0")]),
        ("union<bool | int>", False, 0, [("value", "False", "0")]),
        ("list<int>", [1, 2], [1], [("value[1]", "2", "–")]),
        (
            "dict<str, int>",
            {"a": 1},
            {"b": 1},
            [("value.a", "1", "–"), ("value.b", "–", "1")],
        ),
        ("dict<int, int>", {1: 1}, {1: 2}, [("value[1]", "1", "2")]),
        (
            "dict<str, int>",
            {"a": 1, "b": 2},
            {"b": 2, "a": 1},
            [("value", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}")],
        ),
        ("list<int>", [1], [1], []),
    ],
)
def test_values_are_compared_by_their_parts(
    stored: str, old: Any, new: Any, found: Any
) -> None:
    said = differences(view_of(stored, old), view_of(stored, new))
    assert [(each.field, each.old, each.new) for each in said] == found


def test_a_renamed_field_is_compared_by_its_number() -> None:
    old, new = of("int", 70), of("int", 7)
    new.tables[0].fields = (SavedField(17, "coins", "int"),)
    found = differences(View(old, guard()), View(new, guard()))
    assert [(each.field, each.old, each.new) for each in found] == [
        ("coins", "70", "7")
    ]


def test_cells_of_arrays_that_differ_are_counted() -> None:
    cells = (["<i2", [2, 2], "C", bytes(8)], ["<i2", [2, 2], "C", b"\1" * 3 + bytes(5)])
    (found,) = differences(*(view_of("ndarray<int16>", each) for each in cells))
    assert found.field == "value (2 of 4 cells)"
    (found,) = differences(*(view_of("ndarray<int16>", x) for x in (b"abcd", b"abdd")))
    assert found.field == "value (1 of 2 cells)"
    arrays = (["h2", bytes(6)], ["h2", b"\1" + bytes(5)])
    (found,) = differences(*(view_of("array", each) for each in arrays))
    assert found.field == "value (1 of 3 cells)"
    others = (["h2", bytes(6)], ["h2", bytes(4)])
    (found,) = differences(*(view_of("array", each) for each in others))
    assert found.field == "value"


def test_generators_states_and_destroyed_objects_are_compared() -> None:
    one, two = (View(read(saved(rich())).body, guard()) for _ in range(2))
    assert differences(one, two) == []
    two.body.generators[1] = ["random", 3, b"", None]
    two.states["rng"] = typed("tuple<float>", [1, 3])
    two.body.tombstones["camp 4"] = "valley"
    found = differences(one, two)
    assert found[0][:4] == ("changed", "state rng", "value[1]", "2.5")
    assert found[1][:3] == ("changed", "generator 1", "state")
    assert found[2] == Difference("added", "destroyed camp 4")


def test_an_object_that_came_is_told_with_its_name() -> None:
    few = View(read(saved(snapshot([actor(0)]))).body, guard())
    more = View(read(saved(snapshot([actor(0), actor(1)]))).body, guard())
    assert [each[:2] for each in differences(few, more)] == [("added", "Actor #2")]
    assert [each[:2] for each in differences(more, few)] == [("removed", "Actor #2")]


def test_mismatches_and_missing_values_are_shown() -> None:
    found = View(read(saved(snapshot([actor(0, x="here", hp=print)]))).body, guard())
    values = found.named(1)
    assert (found.text(values["x"]), found.text(values["hp"])) == ("'here'", "–")
    assert found.plain(values["hp"]) is None


def test_recordings_and_placements_are_compared() -> None:
    one, two = rich(), rich()
    two.tables[9].recordings[1].values["n"] = typed("int", 8)
    two.placements.pop(4)
    found = differences(*(View(read(saved(each)).body, guard()) for each in (one, two)))
    assert {each.field for each in found} == {"recorded n", "its placement"} | {
        "its prefab",
        "its level",
    } or {each.field for each in found} == {"recorded n", "its placement"}


# -- what contradicts itself


def test_a_good_save_has_no_faults() -> None:
    for found in (rich(), snapshot([actor(0)], [bag(depth=3)])):
        assert [*faults(read(saved(found)).body, guard())] == []


@pytest.mark.parametrize(
    ("stored", "cell", "message"),
    [
        (
            "int",
            "x",
            "`game.Node.value` of object #1 does not fit its type `int`",
        ),
        ("ref<7>", 9, "does not fit its type `ref<7>`"),
        ("enum game.Mood{CALM}", "SAD", "does not fit its type"),
    ],
)
def test_cells_that_do_not_fit_are_faults(stored: str, cell: Any, message: str) -> None:
    (fault,) = faults(of(stored, cell), guard())
    assert message in fault


def test_a_cell_that_is_no_message_pack_is_a_typed_error() -> None:
    body = of("str", "a")
    body.tables[0].parts.clear()
    body.tables[0].add([RawRow(1, {17: Raw(b"\xa1\xff")})])
    with pytest.raises(SaveCorruptError, match="a cell cannot be read"):
        View(body, guard())
    with pytest.raises(SaveCorruptError, match="a cell cannot be read"):
        export(replace(read(saved(rich())), body=body))


def test_slots_that_contradict_the_rows_are_faults() -> None:
    body = of("int", 1, 2)
    body.world.slots = [1, 1]
    assert "the slots" in [*faults(body, guard())][0]
    body = of("int", 1)
    body.placements[9] = snapshot([]).placements.get(9) or rich().placements[1]
    assert "is placed, but is not in the save" in [*faults(body, guard())][0]


def test_a_second_table_has_keys_of_the_first() -> None:
    body = of("int", 1, 2)
    second = RawTable(7, "game.Node", (SavedField(18, "mod", "str"),), body.types)
    second.add([RawRow(2, {18: Raw(msgpack.encode("kept"))})])
    body.tables.append(second)
    assert [*faults(body, guard())] == []
    view = View(body, guard())
    shown = {name: view.text(each) for name, each in view.named(2).items()}
    assert shown == {"value": "2", "mod": "'kept'"}


def test_what_is_preserved_of_a_cell_is_shown_as_the_whole() -> None:
    made = snapshot([actor()], [bag(refs=[1, 2]), bag(refs=[2])])
    data = encode(made, registry=REGISTRY)
    smaller = Registry(FORMAT, (BAG,), save_version=3)
    again = encode(decode(data, smaller), registry=smaller)
    views = [View(read(each).body, guard()) for each in (data, again)]
    assert views[0].values == views[1].values
    shown = [each.text(each.named(2)["refs"]) for each in views]
    assert shown == ["[<Actor #1>, <Bag #2>]"] * 2
    assert [*differences(*views)] == []
