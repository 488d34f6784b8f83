"""What becomes of a cell whose field has another stored type: rule by rule."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from savegen.runtime.values.folds import Rules, filler, fits
from savegen.runtime.values.stored import StoredField, StoredType, parse
from savegen.saves.older.conversion import UnconvertibleError, conversion

BASE, SUBCLASS = "value m.A{1 x: int}", "value m.B{1 x: int, 2 y: int}"


def converted(old: str, new: str, cell: Any, **options: Any) -> Any:
    """Return what a cell becomes; assert that it fits, before and after."""
    assert fits(parse(old), cell, Rules(dangling=True))
    made = conversion(parse(old), parse(new), **options)(cell)
    assert fits(parse(new), made, Rules(dangling=True))
    return made


def verdict(old: StoredType, new: StoredType, *options: Any) -> str | None:
    """Return why old values need a converter or a migration; `None` if they do not."""
    found = conversion(old, new, *options)
    return found.failure_reason or found.partial_failure_reason or None


def a_default(record: StoredType, field: StoredField) -> Any:
    """Know a default of every field but one called `bare`."""
    return None if field.name == "bare" else lambda: filler(field.type)


@pytest.mark.parametrize(
    ("old", "new", "cell", "expected"),
    [
        ("int", "int", 3, 3),
        ("bool", "int", True, 1),
        ("bool", "float", True, 1.0),
        ("bool", "decimal", True, "1"),
        ("int", "float", 3, 3.0),
        ("int", "complex", 3, [3.0, 0.0]),
        ("int", "decimal", -3, "-3"),
        ("int", "fraction", 3, "3/1"),
        ("float", "complex", 0.5, [0.5, 0.0]),
        ("bytes", "bytearray", b"a", b"a"),
        ("int", "optional<int>", 3, 3),
        ("int", "optional<float>", 3, 3.0),
        ("none", "optional<int>", None, None),
        ("none", "optional<ref<7>>", None, 0),
        ("ref<7>", "optional<ref<7>>", 5, 5),
        ("optional<ref<7>>", "optional<ref<7 8>>", 0, 0),
        ("optional<ref<7>>", "union<ref<7> | int | none>", 0, [2, None, None, None]),
        ("optional<ref<7>>", "union<ref<7> | int | none>", 5, [0, 5, None, None]),
        (
            "union<ref<7> | int | none>",
            "optional<union<ref<7> | int>>",
            [2, *[None] * 3],
            None,
        ),
        ("optional<int>", "optional<float>", None, None),
        ("optional<int>", "union<str | none | float>", 3, 3.0),
        ("optional<int>", "union<str | none | float>", None, None),
        ("str", "union<int | str>", "a", "a"),
        ("int", "union<float | int>", 3, 3),
        ("bool", "union<float | int>", True, 1.0),
        ("union<int | str>", "union<str | float>", 3, 3.0),
        ("union<int | str>", "union<date | str | int>", 3, [2, None, None, 3]),
        ("union<bool | int>", "float", True, 1.0),
        (
            "union<date | list<int>>",
            "union<list<float> | date>",
            [1, None, [3]],
            [0, [3.0], None],
        ),
        ("list<int>", "tuple<float>", [1, 2], [1.0, 2.0]),
        ("list<int>", "deque<int>", [1], [None, [1]]),
        ("deque<int>", "list<int>", [3, [1]], [1]),
        ("deque<int>", "deque<float>", [3, [1]], [3, [1.0]]),
        ("set<int>", "frozenset<float>", [1, 2], [1.0, 2.0]),
        ("dict<str, int>", "OrderedDict<str, float>", {"a": 1}, [["a", 1.0]]),
        ("OrderedDict<str, int>", "dict<str, int>", [["a", 1]], {"a": 1}),
        ("dict<str, bool>", "Counter<str>", {"a": True}, {"a": 1}),
        ("Counter<str>", "defaultdict<str, float>", {"a": 1}, {"a": 1.0}),
        ("dict<int, str>", "dict<complex, str>", {1: "a"}, [[[1.0, 0.0], "a"]]),
        ("(int, str)", "(float, optional<str>)", [1, "a"], [1.0, "a"]),
        ("literal{'a' 1}", "literal{1 'b' 'a'}", "a", "a"),
        ("literal{'a' 'b'}", "str", "b", "b"),
        ("literal{'a' None}", "optional<str>", None, None),
        ("literal{'a' None}", "optional<literal{'a'}>", None, None),
        ("literal{'a' None}", "optional<literal{'b' 'a'}>", "a", "a"),
        ("optional<literal{'a'}>", "literal{None 'a'}", None, None),
        ("optional<literal{'a'}>", "literal{None 'a'}", "a", "a"),
        ("list<literal{1 None}>", "tuple<optional<float>>", [1, None], [1.0, None]),
        ("literal{None}", "none", None, None),
        ("none", "literal{None 2}", None, None),
        (
            "codec builtins.method<(ref<0>, str)>",
            "optional<codec builtins.method<(ref<0>, str)>>",
            [1, "a"],
            [1, "a"],
        ),
        ("optional<literal{'a' None}>", "optional<literal{'a'}>", None, None),
        ("optional<literal{'a' None}>", "optional<literal{'a'}>", "a", "a"),
        ("literal{'a' None 1}", "union<float | str | none>", 1, 1.0),
        ("enum Mood{CALM}", "enum other.Mood{WILD CALM}", "CALM", "CALM"),
        ("flag Way{N}", "flag Way{N E}", "N|0x4", "N|0x4"),
        ("numpy<float32>", "numpy<floating>", ["<f4", b""], ["<f4", b""]),
        ("ndarray<int64>", "ndarray", ["<i8", [0], "C", b""], ["<i8", [0], "C", b""]),
        ("ndarray<int64>", "ndarray<int64>", b"", b""),
        ("ndarray<int16>", "ndarray", b"abcd", ("<i2", (2,), "C", b"abcd")),
        ("ndarray<int16>", "ndarray<integer>", b"ab", ("<i2", (1,), "C", b"ab")),
        ("ndarray<float32>", "ndarray<single>", b"abcd", ("<f4", (1,), "C", b"abcd")),
        ("ndarray<single>", "ndarray<float32>", ["<f4", [1], "C", b"abcd"], b"abcd"),
        (
            "ndarray<single>",
            "ndarray<float32>",
            [">f4", [0], "C", b""],
            [">f4", [0], "C", b""],
        ),
        ("codec a.V<(int, int)>", "codec b.V<(float, int)>", [1, 2], [1.0, 2]),
        ("ref<7>", "weak<ref<7>>", 5, 5),
        ("weak<ref<7>>", "optional<ref<7>>", 0, 0),
        ("any", "any", (StoredType("int"), 3), (StoredType("int"), 3)),
        ("list<int>", "subclass m.Deck<list<int>>", [3], [3]),
        ("subclass m.Deck<list<int>>", "list<float>", [3], [3.0]),
        ("subclass m.Deck<list<int>>", "subclass m.Deck<list<float>>", [3], [3.0]),
        ("subclass m.Deck<list<int>>", "subclass m.Pile<list<int>>", [3], [3]),
        (
            "subclass m.Deck<list<int>>",
            "union<list<int> | subclass m.Deck<list<int>>>",
            [3],
            [1, None, [3]],
        ),
        (
            "list<int>",
            "union<subclass m.Deck<list<int>> | list<int>>",
            [3],
            [1, None, [3]],
        ),
        ("value m.A{1 x: int}", f"union<{BASE} | {SUBCLASS}>", [3], [0, [3], None]),
        (SUBCLASS, f"union<{BASE} | {SUBCLASS}>", [3, 4], [1, None, [3, 4]]),
        (
            f"union<{BASE} | {SUBCLASS}>",
            f"union<{BASE} | {SUBCLASS} | value m.C{{1 x: int, 3 z: int}}>",
            [1, None, [3, 4]],
            [1, None, [3, 4], None],
        ),
    ],
)
def test_a_value_becomes_what_can_hold_it(
    old: str, new: str, cell: Any, expected: Any
) -> None:
    made = converted(old, new, cell)
    assert made == expected and repr(made) == repr(expected)
    assert verdict(parse(old), parse(new)) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float", "int"),
        ("datetime", "date"),
        ("list<datetime>", "set<date>"),
        ("int", "bool"),
        ("str", "int"),
        ("int", "str"),
        ("optional<int>", "int"),
        ("optional<ref<7>>", "ref<7>"),
        ("union<int | str>", "int"),
        ("union<int | str>", "union<int | bytes>"),
        ("list<int>", "set<int>"),
        ("set<int>", "list<int>"),
        ("list<float>", "list<int>"),
        ("dict<str, int>", "list<str>"),
        ("dict<str, float>", "Counter<str>"),
        ("(int, str)", "(int)"),
        ("(int, str)", "list<int>"),
        ("literal{'a' 1}", "str"),
        ("numpy<float32>", "numpy<float64>"),
        ("ndarray", "array"),
        ("ndarray<int64>", "ndarray<float64>"),
        ("value Vec2{1 x: float, 2 y: float}", "(float, float)"),
        ("codec a.Rect<any>", "codec a.Color<any>"),
        ("ref<7>", "class<7>"),
        ("ref<7>", "int"),
        ("int", "any"),
        ("any", "int"),
        ("value A{1 x: int}", "value B{2 y: int}"),
        ("enum Mood{CALM}", "flag Mood{CALM}"),
        ("random", "generator"),
        ("none", "ref<7>"),
    ],
)
def test_a_value_does_not_become_what_cannot_hold_it(old: str, new: str) -> None:
    found = conversion(parse(old), parse(new), a_default)
    assert re.match("its type was .+ and is ", found.failure_reason)
    assert verdict(parse(old), parse(new), a_default) == found.failure_reason


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("optional<int>", "int", "its type was int | None and is int now"),
        (
            "value a.Vec2{1 x: float, 2 y: float}",
            "(float, float)",
            "its type was Vec2 and is tuple[float, float] now",
        ),
        (
            "enum a.Mood{CALM}",
            "flag a.Mood{CALM}",
            "its type was enum a.Mood{CALM} and is flag a.Mood{CALM} now",
        ),
    ],
)
def test_a_reason_names_types_as_python_does_if_that_shows_the_difference(
    old: str, new: str, reason: str
) -> None:
    assert conversion(parse(old), parse(new), a_default).failure_reason == reason


# -- values that cannot be converted, although the type can


@pytest.mark.parametrize(
    ("old", "new", "good", "bad", "said"),
    [
        ("enum M{A B}", "enum M{A}", "A", "B", "`M` has no member `B` any more"),
        ("flag m.M{A B}", "flag m.M{A}", "A", "A|B", "`M` has no member `B` any more"),
        ("literal{1 2}", "literal{1}", 1, 2, "2 is not one of its constants any more"),
        ("literal{1 True}", "literal{1}", 1, True, "True is not one of its"),
        ("list<enum M{A B}>", "tuple<enum M{A}>", ["A"], ["A", "B"], "no member `B`"),
        (
            "ndarray",
            "ndarray<int8>",
            ["|i1", [], "C", b"a"],
            ["<f8", [0], "C", b""],
            "its dtype is <f8, which is not `int8`",
        ),
        (
            "ndarray<floating>",
            "ndarray<float64>",
            ["<f8", [2, 0], "C", b""],
            ["<f4", [0], "C", b""],
            "its dtype is <f4, which is not `float64`",
        ),
    ],
)
def test_a_value_that_is_gone_is_refused_when_it_is_partial(
    old: str, new: str, good: Any, bad: Any, said: str
) -> None:
    assert converted(old, new, good) == good
    with pytest.raises(UnconvertibleError, match=said) as caught:
        converted(old, new, bad)
    assert not caught.value.as_mismatch
    assert verdict(parse(old), parse(new))


def test_an_int_that_no_float_is_stays_what_it_is():
    assert converted("list<int>", "list<float>", [2**60 + 1, 2]) == [2**60 + 1, 2.0]
    assert type(converted("int", "float", 2**60)) is float
    with pytest.raises(UnconvertibleError) as caught:
        converted("int", "complex", 2**60 + 1)
    assert caught.value.as_mismatch
    assert verdict(parse("int"), parse("complex")) is None


@pytest.mark.parametrize(
    ("old", "new", "classes", "fits"),
    [
        ("ref<7>", "ref<7 8>", None, True),
        ("ref<7 8>", "ref<7>", None, False),
        (
            "ref<7 8>",
            "ref<7>",
            {7},
            True,
        ),  # the class 8 is gone: its objects are preserved
        ("ref<7>", "ref<0>", None, True),
        ("ref<0>", "ref<7>", None, False),
        ("list<ref<7>>", "tuple<ref<8>>", None, False),
        ("class<7 8>", "class<7>", None, False),
        ("class<7 8>", "class<7>", {7}, False),
        ("weak<ref<8>>", "ref<7>", None, False),
        ("ref<7>", "union<ref<7> | int>", None, True),
        ("ref<7 8>", "union<ref<7> | int>", None, False),
        ("dict<ref<7>, int>", "dict<ref<7 9>, int>", None, True),
    ],
)
def test_references_fit_as_far_as_their_classes_do(
    old: str, new: str, classes: Any, fits: bool
) -> None:
    found = conversion(parse(old), parse(new), classes=classes)
    assert bool(found.partial_failure_reason) == (not fits)


# -- values and records


def test_fields_are_matched_by_number():
    old = "value Stats{1 hp: int, 2 mana: int}"
    new = "record Powers{2 magic: float, 1 hp: int}"
    assert converted(old, new, [3, 4]) == [4.0, 3]


def test_a_new_field_takes_its_default():
    old, new = (
        "value S{1 hp: int}",
        "value S{1 hp: int, 2 mana: float, 3 tags: list<str>}",
    )
    made = converted(old, new, [3], defaults=a_default)
    assert made == [3, 0.0, []]
    assert made[2] is not converted(old, new, [3], defaults=a_default)[2]


def test_a_new_field_without_a_default_is_no_conversion():
    old, new = (
        parse("value m.S{1 hp: int}"),
        parse("value m.S{1 hp: int, 2 bare: int}"),
    )
    found = conversion(old, new, a_default)
    assert found.failure_reason == "`S` has a new field `bare` without a default"
    for around in ("list<{}>", "optional<{}>", "(int, {})"):
        one, other = (parse(around.format(each)) for each in (old, new))
        assert "new field `bare`" in str(verdict(one, other, a_default))


def test_a_lost_field_is_a_loss_but_no_obstacle():
    old, new = "value S{1 hp: int, 2 mana: int}", "value S{1 hp: int}"
    for around in ("{}", "list<{}>", "optional<{}>", "union<{} | int>"):
        one, other = (parse(around.format(each)) for each in (old, new))
        found = conversion(one, other)
        assert found.lost_fields and not found.partial_failure_reason
    assert converted(old, new, [3, 4]) == [3]


def test_a_changed_field_is_named():
    old, new = "value m.Stats{1 mana: int}", "value m.Stats{1 mana: str}"
    said = "`Stats.mana`: its type was int and is str now"
    assert verdict(parse(old), parse(new)) == said
    assert verdict(parse(f"list<{old}>"), parse(f"tuple<{new}>")) == said
    assert (
        verdict(parse(f"value A{{1 b: {old}}}"), parse(f"value A{{1 b: {new}}}"))
        == said
    )


def test_a_known_key_may_come_and_go():
    old = "record Bag{1 coins: int, 2 name?: str}"
    new = "record Bag{1 coins: float, 2 name?: str, 3 more?: int}"
    assert converted(old, new, [1, []]) == [1.0, [], []]
    assert converted(old, new, [1, ["a"]]) == [1.0, ["a"], []]
    optional = "record Bag{1 coins?: float, 2 name?: str}"
    assert converted(old, optional, [1, ["a"]]) == [[1.0], ["a"]]
    strict = parse("record Bag{1 coins: int, 2 name: str}")
    assert verdict(parse(old), strict) == "`Bag` needs a key 'name' now"
    assert conversion(parse(new), parse("record Bag{1 coins: float}")).lost_fields


# -- classes and their subclasses

EFFECT, POISON, FROST = (
    f"record m.{name}{{1 turns: int}}" for name in ("Effect", "Poison", "Frost")
)


@pytest.mark.parametrize(
    ("old", "new", "cell", "expected"),
    [
        (EFFECT, f"union<{EFFECT} | {POISON}>", [3], [0, [3], None]),
        (EFFECT, f"union<{POISON} | {EFFECT}>", [3], [1, None, [3]]),
        (  # a union that grows: the class decides, not its fields
            f"union<{EFFECT} | {POISON}>",
            f"union<{EFFECT} | {FROST} | {POISON}>",
            [1, None, [3]],
            [2, None, None, [3]],
        ),
        (  # a module that was renamed
            f"union<{EFFECT} | {POISON}>",
            f"union<{EFFECT} | {POISON}>".replace("m.", "effects."),
            [1, None, [3]],
            [1, None, [3]],
        ),
        (  # a class that was renamed
            f"union<{EFFECT} | {POISON}>",
            f"union<{EFFECT} | {FROST}>",
            [1, None, [3]],
            [1, None, [3]],
        ),
    ],
)
def test_an_object_stays_one_of_its_class(old, new, cell, expected):
    assert converted(old, new, cell) == expected


@pytest.mark.parametrize("new", [EFFECT, f"union<{EFFECT} | int>"])
def test_an_object_of_a_removed_class_does_not_become_one_of_its_base(new):
    found = conversion(parse(f"union<{EFFECT} | {POISON}>"), parse(new))
    assert found.failure_reason == "" and "m.Poison" in found.partial_failure_reason
    assert found([0, [3], None]) in ([3], [0, [3], None])
    with pytest.raises(UnconvertibleError, match="m.Poison"):
        found([1, None, [3]])


def test_a_subclass_has_the_cells_of_its_content():
    deck, hand = "subclass m.Deck<list<int>>", "subclass m.Hand<list<float>>"
    for old, new in (("list<int>", deck), (deck, "list<int>"), (deck, hand)):
        found = conversion(parse(old), parse(new))
        assert found.failure_reason == "" and found([1, 2]) == [1, 2]
    assert conversion(parse(deck), parse("int")).failure_reason


# -- records within themselves


def test_what_leads_back_to_itself_is_converted_at_every_level():
    old = "record Leaf{1 hp: bool, 2 more: list<rec Leaf>}"
    new = "record Leaf{1 hp: int, 2 more: tuple<optional<rec Leaf>>}"
    cell = [True, [[False, []], [True, [[True, []]]]]]
    assert converted(old, new, cell) == [1, [[0, []], [1, [[1, []]]]]]


def test_a_record_within_itself_that_did_not_change_stays_as_it_is():
    text = "record Leaf{1 hp: bool, 2 more: list<rec Leaf>}"
    assert conversion(parse(text), parse(text)).convert is None
    assert conversion(parse(text), parse(f"optional<{text}>")).convert is None


def test_no_level_is_converted_by_what_cannot_hold_it():
    """`Bough` is tried first, and has no value for its `bare`; `Leaf` holds boughs."""
    old = "record Leaf{1 hp: int, 2 more: list<rec Leaf>}"
    bough = "record Bough{1 hp: int, 2 more: list<rec Bough>, 3 bare: int}"
    new = f"union<{bough} | record Leaf{{1 hp: int, 2 more: list<{bough}>}}>"
    assert verdict(parse(old), parse(new), a_default) is not None


def test_a_recursive_record_may_be_unrolled():
    old = "record N{1 next: optional<rec N>}"
    new = "record N{1 next: optional<record M{1 next: optional<rec N>}>}"
    assert converted(old, new, [[[None]]]) == [[[None]]]


# -- every kind into every kind

KINDS: dict[str, list[Any]] = {
    "bool": [True, False],
    "int": [0, 7, 2**63 - 1],
    "float": [0.5, 3.0],
    "complex": [[0.5, 1.0]],
    "str": ["", "a"],
    "bytes": [b"a"],
    "bytearray": [b"a"],
    "none": [None],
    "decimal": ["1.5"],
    "fraction": ["1/3"],
    "date": ["2024-01-01"],
    "time": ["10:00:00"],
    "datetime": ["2024-01-01T00:00:00"],
    "timedelta": [[1, 2, 3]],
    "uuid": [bytes(16)],
    "path": ["a/b"],
    "array": [["d8", b""]],
    "ndarray": [["<i8", [0], "C", b""], ["<f8", [0], "C", b""]],
    "ndarray<int64>": [["<i8", [0], "C", b""], bytes(8)],
    "ndarray<integer>": [["<i8", [0], "C", b""], ["<i2", [0], "C", b""]],
    "numpy<float32>": [["<f4", bytes(4)]],
    "random": [1],
    "generator": [1],
    "prefab": [3],
    "asset": ["sword"],
    "any": [(StoredType("none"), None), (StoredType("int"), 1)],
    "ref<7>": [1],
    "ref<8>": [2],
    "ref<7 8>": [1, 2],
    "weak<ref<7>>": [1, 0],
    "class<7>": [7],
    "enum E{A B}": ["A", "B"],
    "enum E{A}": ["A"],
    "flag F{A}": ["A", "0x0"],
    "literal{'a' 1}": ["a", 1],
    "literal{'a'}": ["a"],
    "literal{'a' None}": ["a", None],
    "value V{1 x: int}": [[3]],
    "value V{1 x: float, 2 y: int}": [[3.5, 4]],
    "value V{1 x: int, 3 bare: int}": [[3, 4]],
    "record V{1 x?: int}": [[[]], [[3]]],
    "record N{1 next: optional<rec N>}": [[None], [[None]]],
    "codec a.V<(int)>": [[3]],
    "list<int>": [[], [1]],
    "list<str>": [["a"]],
    "tuple<int>": [[1]],
    "set<int>": [[1]],
    "frozenset<int>": [[1]],
    "deque<int>": [[None, [1]]],
    "(int)": [[1]],
    "(int, int)": [[1, 2]],
    "dict<str, int>": [{"a": 1}],
    "dict<int, int>": [{1: 1}],
    "defaultdict<str, int>": [{"a": 1}],
    "OrderedDict<str, int>": [[["a", 1]]],
    "Counter<str>": [{"a": 1}],
    "union<int | str>": [1, "a"],
    "union<int | list<int>>": [[0, 1, None], [1, None, [1]]],
}
AROUND = {
    "bare": ("{}", lambda cell: cell),
    "optional": ("optional<{}>", lambda cell: cell),
    "in a list": ("list<{}>", lambda cell: [cell, cell]),
    "a dict value": ("dict<str, {}>", lambda cell: {"a": cell}),
    "in a tuple": ("(int, {})", lambda cell: [1, cell]),
}
OBJECTS = {1: 7, 2: 8}.get


def _outcome(old: StoredType, new: StoredType, cell: Any) -> str:
    """Return what a load makes of one cell: "fine", or why not."""
    found = conversion(old, new, a_default)
    if found.failure_reason:
        return found.failure_reason
    try:
        made = found(cell)
    except UnconvertibleError as error:
        return "fine" if error.as_mismatch else str(error)
    wrong = not fits(new, made, Rules(OBJECTS, dangling=True))
    return "it leads to an object of another class" if wrong else "fine"


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("old", KINDS)
def test_the_verdict_on_a_change_is_what_a_load_does(old: str, around: str) -> None:
    pattern, wrap = AROUND[around]
    for new in KINDS:
        pair = parse(pattern.format(old)), parse(pattern.format(new))
        cells = [*map(wrap, KINDS[old])]
        assert all(fits(pair[0], each, Rules(OBJECTS, dangling=True)) for each in cells)
        outcomes = {_outcome(*pair, cell) for cell in cells}
        is_fine = verdict(*pair, a_default) is None
        assert is_fine == (outcomes == {"fine"}), (*map(str, pair), outcomes)


def test_nothing_becomes_a_value_that_means_something_else():
    """No chain of conversions leads back to a type with another cell."""
    for one, other in itertools.permutations(KINDS, 2):
        there, back = parse(one), parse(other)
        if verdict(there, back, a_default) or verdict(back, there, a_default):
            continue
        for cell in KINDS[one]:
            try:
                made = conversion(there, back, a_default)(cell)
                again = conversion(back, there, a_default)(made)
            except UnconvertibleError:
                continue
            loses = conversion(there, back, a_default).lost_fields
            assert again == cell or loses or "bare" in one + other, (one, other, cell)
