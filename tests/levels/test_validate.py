"""The rules from the schema and from the serializers find the same errors and references."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sample_game._savegen.prefab_info import PREFAB_INFO
from savegen.levels.schema import IdReference, Validator
from savegen.levels.rules import GameRules, SchemaRules
from savegen.runtime import SaveError
from savegen.runtime.prefabs.prefabs import FORMAT, PrefabInfo
from tests.levels.example import BOTH, BY_GAME, BY_SCHEMA, SCHEMA
from tests.soaking import examples

GENERATED = Path(__file__).parents[2] / "sample_game" / "_savegen"
SAMPLE_SCHEMA = json.loads((GENERATED / "level.schema.json").read_text("utf-8"))
SAMPLE = SchemaRules(SAMPLE_SCHEMA), GameRules(PREFAB_INFO)
TEMPLATE = json.loads((GENERATED / "template.lvl").read_text("utf-8"))["sprites"]
# What only the game can judge: a codec of its own, and which assets there are.
OF_THE_GAME = {"light", "sound"}

NUMBERS = (
    st.sampled_from([0, 0.5, 1, 1.0, 98.5, 99, 100, -1, 10**30, 10**400, 1e300])
    | st.integers(-3, 120)
    | st.floats(-3, 120)
)
TEXTS = st.sampled_from(
    ["", "a", "ab", "AB", "CALM", "ANGRY", "1", "01", "-0", "0.5", "1e3", "NaN", "x y"]
)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(TEXTS | st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)
SPOTS = st.fixed_dictionaries({"x": NUMBERS}, optional={"y": LEAVES, "z": LEAVES})
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "hp": LEAVES,
    "mood": LEAVES,
    "goal": LEAVES,
    "gates": st.lists(TEXTS | LEAVES, max_size=3),
    "known": st.dictionaries(TEXTS, LEAVES, max_size=2),
    "spots": st.dictionaries(TEXTS, st.lists(SPOTS, max_size=2), max_size=2),
    "either": LEAVES,
    "pair": st.tuples(LEAVES, SPOTS | LEAVES).map(list),
    "counts": st.dictionaries(TEXTS, LEAVES, max_size=2),
    "price": LEAVES,
    "code": LEAVES,
    "$id": TEXTS | LEAVES,
    "hq": LEAVES,
}
ENTRIES = st.fixed_dictionaries(
    {"$type": st.just("HeroSerializer")},
    optional={name: values | ANYTHING for name, values in VALUES.items()},
)


def wrong(rules: SchemaRules, entry: dict[str, Any]) -> set[Any]:
    """Return the wrong parameters of an entry."""
    return {fault.path[:1] for fault in rules.faults(entry)}


@given(ENTRIES)
@example({"$type": "HeroSerializer", "price": 10**400})
@example({"$type": "HeroSerializer", "price": "sNaN"})
@example({"$type": "HeroSerializer", "hp": 10**400})
@settings(max_examples=examples(400), deadline=None)
def test_schema_and_serializers_find_the_same_errors(entry: dict[str, Any]) -> None:
    assert [*BY_SCHEMA.faults(entry)] == [*BY_GAME.faults(entry)]


@given(ENTRIES)
@settings(max_examples=examples(100), deadline=None)
def test_errors_of_a_public_validator_are_found_here_too(
    entry: dict[str, Any],
) -> None:
    # It takes 1.0 for a whole number, and looks neither at formats nor at the size of numbers.
    allowed = {
        key: value
        for key, value in SCHEMA["$defs"]["HeroSerializer"].items()
        if key != "description"
    }
    public = jsonschema.Draft202012Validator({**allowed, "$defs": SCHEMA["$defs"]})
    if not public.is_valid(entry):
        assert wrong(BY_SCHEMA, entry)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside a value."""
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(entry: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    found = copy.deepcopy(entry)
    inside: Any = found
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return found


@pytest.mark.parametrize(
    "entry", TEMPLATE.values(), ids=[each["$type"] for each in TEMPLATE.values()]
)
def test_schema_and_serializers_agree_on_entries_of_the_sample_game(
    entry: dict[str, Any],
) -> None:
    schema, game = SAMPLE
    assert wrong(schema, entry) == wrong(game, entry) == set()
    found = [path for path in places(entry) if path[0] not in (*OF_THE_GAME, "$type")]

    @given(
        st.sampled_from([*found, ("nothing",), ("$id",)]),
        ANYTHING | st.sampled_from(["PT1S", "-P1D", "250", "LEFT", "ROPE", [], {}]),
    )
    @settings(max_examples=examples(25), deadline=None)
    def check(path: tuple[Any, ...], value: Any) -> None:
        other = changed(entry, path, value)
        assert wrong(schema, other) == wrong(game, other)

    check()


def test_the_example_and_the_sample_have_the_same_prefabs_in_both() -> None:
    for schema, game in (BOTH, SAMPLE):
        assert [*schema.prefabs] == [*game.prefabs]
        for tag, rule in schema.prefabs.items():
            assert rule.max_count == game.prefabs[tag].max_count


@pytest.mark.parametrize("rules", [*SAMPLE], ids=["schema", "game"])
def test_the_former_names_of_the_sample_game_are_known(rules: SchemaRules) -> None:
    found = rules.current({"$type": "LookoutSerializer", "zoom_level": 2})
    assert found.data == {"$type": "ViewSerializer", "zoom_level": 2}


@pytest.mark.parametrize("rules", [*SAMPLE], ids=["schema", "game"])
def test_references_of_the_sample_game_have_their_allowed_types(
    rules: SchemaRules,
) -> None:
    lever = {"$type": "LeverSerializer", "doors": ["a", "b"]}
    gate = frozenset(["GateSerializer"])
    assert [*rules.references(lever)] == [
        IdReference(("doors", 0), "a", gate),
        IdReference(("doors", 1), "b", gate),
    ]
    view = {"$type": "ViewSerializer", "target": "bat"}
    (reference,) = rules.references(view)
    assert {"CaveBatSerializer", "HeroSerializer"} <= reference.type_names
    assert "GateSerializer" not in reference.type_names
    assert not [*rules.references({**view, "target": None})]


@given(ENTRIES)
@settings(max_examples=examples(60), deadline=None)
def test_both_find_the_same_references(entry: dict[str, Any]) -> None:
    if not wrong(BY_SCHEMA, entry):
        assert [*BY_SCHEMA.references(entry)] == [*BY_GAME.references(entry)]


def test_an_entry_is_decoded_by_its_serializer() -> None:
    game = SAMPLE[1]
    made: Any = game.decoded({"$type": "GateSerializer", "open": True})
    assert made.open is True and type(made).__name__ == "GateSerializer"


def test_values_refused_by_classes_of_the_game_are_found_by_the_game_alone() -> None:
    entry = {"$type": "BatCaveSerializer", "light": "blue?", "sound": "nothing"}
    schema, game = SAMPLE
    assert not wrong(schema, entry)
    assert wrong(game, entry) == {("light",), ("sound",)}


def test_a_game_without_prefabs_has_no_serializers() -> None:
    assert PrefabInfo(FORMAT, ()).serializers == ()
    assert not SchemaRules({"$defs": {"any-prefab": {"not": {}}}}).prefabs


@pytest.mark.parametrize("schema", [{}, {"$defs": {}}, {"$defs": {"any-prefab": []}}])
def test_another_schema_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(SaveError, match="not a level.schema.json"):
        SchemaRules(schema)


@pytest.mark.parametrize(
    ("schema", "value", "wanted"),
    [
        ({"type": "integer"}, 1.0, "expected a whole number, got a number"),
        ({"type": "number"}, True, "expected a number, got true"),
        (
            {"type": "number"},
            10**400,
            "expected a number, got a number that is too large",
        ),
        ({"type": "string"}, 10**400, "expected a string, got a whole number"),
        (
            {"type": ["string", "number"]},
            [],
            "expected a string or a number, got a list",
        ),
        ({"enum": [1, "a"]}, True, "expected one of 1, 'a', got true"),
        ({"exclusiveMinimum": 0}, 0, "expected more than 0, got 0"),
        ({"exclusiveMaximum": 0}, 0, "expected less than 0, got 0"),
        ({"maximum": 1}, 2, "expected at most 1, got 2"),
        ({"minItems": 2}, [1], "has 1 element; at least 2 are required"),
        (
            {"type": "string", "format": "duration"},
            "3s",
            "'3s' is not a valid duration",
        ),
        ({"type": "string", "format": "uuid"}, "3s", "'3s' is not a valid uuid"),
        (
            {"type": "string", "contentEncoding": "base64"},
            "?",
            "'?' is not a valid base64 string",
        ),
        ({"not": {}}, 1, "no value is allowed here"),
        (
            {"anyOf": [{"type": "null"}, {"enum": ["a"]}]},
            3,
            "expected one of 'a', got a whole number",
        ),
        (
            {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]},
            0,
            "expected at least 1, got 0",
        ),
    ],
)
def test_errors_are_readable_sentences(
    schema: dict[str, Any], value: Any, wanted: str
) -> None:
    (fault,) = Validator({}).faults(value, schema)
    assert fault.reason.startswith(wanted)
