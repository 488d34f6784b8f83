"""Stored types: one text for each, and typed errors for every other text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.values.stored import ATOMS, StoredType, parse
from tests.runtime.stored_types import stored_types


@given(stored_types())
def test_the_text_of_a_stored_type_says_it_again(stored: StoredType) -> None:
    assert parse(str(stored)) == stored
    assert str(parse(str(stored))) == str(stored)


@pytest.mark.parametrize(
    "text",
    [
        *sorted(ATOMS),
        "optional<str>",
        "dict<str, list<(float, float)>>",
        "()",
        "(int)",
        "ref<0>",
        "weak<ref<7 9 -1>>",
        "class<7>",
        "enum mygame.Colour{RED GREEN}",
        "flag mygame.Way{}",
        r"literal{'a b' b'\x00' 7 -7 True None '}' '\ud800'}",
        "value shapes.Vec2{12 x: float, 13 y: float}",
        "value Nothing{}",
        "record mygame.Options{1 sound?: bool, 2 keys: dict<str, int>}",
        "record Node{1 next: optional<rec Node>}",
        "codec pygame.Vector2<(float, float)>",
        "union<int | list<int> | none>",
        "ndarray<int64>",
        "numpy<float32>",
    ],
)
def test_a_text_in_canonical_form_comes_back_as_it_is(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at character 0: missing word or number"),
        ("text", "at character 0: unknown type 'text'"),
        ("int ", "at character 3: unexpected text"),
        ("list<int", "at character 8: missing '>'"),
        ("list", "missing '<'"),
        ("list<>", "missing word or number"),
        ("dict<str,int>", "missing ', '"),
        ("dict<str>", "missing ', '"),
        ("optional<optional<int>>", "`optional` cannot contain `optional`"),
        ("weak<int>", "`weak` cannot contain `int`"),
        ("ref<>", "missing word or number"),
        ("ref<07>", "missing ' '"),
        ("rec Node", "`rec Node` is not inside `Node`"),
        ("(record Node{}, rec Node)", "`rec Node` is not inside `Node`"),
        ("value V{1 x: int, 1 y: int}", "has two members with one name or number"),
        ("value V{1 x: int, 2 x: int}", "has two members with one name or number"),
        ("enum E{A A}", "has two members with one name or number"),
        ("enum {A}", "missing word or number"),
        ("literal{}", "missing word or number"),
        ("literal{foo}", "missing word or number"),
        ("literal{'\\x'}", "invalid constant"),
        ("union<int>", "at character 9: missing ' | '"),
        ("numpy", "unknown type 'numpy'"),
        ("list<" * 64 + "int" + ">" * 64, "nested more than 64 deep"),
        ("(" * 100_000, "nested more than 64 deep"),
    ],
)
def test_any_other_text_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(SaveCorruptError, match="^invalid stored type ") as caught:
        parse(text)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.text("list<optionrfde(,: {}|)1 '\\", max_size=30))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        assert str(parse(text)) == text or "'" in text
    except SaveCorruptError:
        pass


def test_a_deep_type_is_within_the_limit():
    text = "list<" * 63 + "int" + ">" * 63
    assert str(parse(text)) == text
