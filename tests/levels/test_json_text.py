"""The fast and the slow JSON reader agree, and errors have their line and column."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.findings import Span
from savegen.levels import json_text
from savegen.levels.findings import DuplicateKey, NotJson
from savegen.levels.json_text import JsonText
from tests.soaking import examples

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner),
    max_leaves=12,
)


def walked(data: bytes) -> json_text._SlowReader:
    return json_text._SlowReader(data)


@given(VALUES, st.sampled_from([None, 0, 3]), st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_both_readers_agree_on_valid_json(
    value: Any, indent: int | None, ascii: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii).encode()
    walk = walked(data)
    assert walk.faults == [] and JsonText(data).read() == (value, [])
    assert repr(walk.value) == repr(value)


@given(VALUES, st.sampled_from([None, 1]))
@settings(max_examples=examples(50), deadline=None)
def test_each_span_contains_its_value(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    found = JsonText(text.encode())
    for path in walked(text.encode()).values:
        inside = value
        for step in path:
            inside = inside[step]
        span = found.span(path)
        line = text.split("\n")[span.line - 1]
        if indent is None:
            assert json.loads(line[span.column - 1 : span.end_column - 1]) == inside
        else:
            wanted = json.dumps(inside, indent=indent, ensure_ascii=False)
            assert line[span.column - 1 :].startswith(wanted.split("\n")[0])


@given(
    st.binary(max_size=30) | st.text('[]{}",:0-9.eEtrunlfas\\\ud800 \n', max_size=30)
)
@settings(max_examples=examples(200), deadline=None)
def test_any_bytes_are_read_or_reported(data: bytes | str) -> None:
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    value, faults = JsonText(data).read()
    try:
        strict = json.loads(data.decode(), parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        assert faults
    else:
        assert value == strict or faults
    lines = data.count(b"\n") + 1
    assert all(1 <= fault.span.line <= fault.span.end_line <= lines for fault in faults)


@pytest.mark.parametrize(
    ("text", "value", "faults"),
    [
        (
            "\ufeff{}",
            {},
            ["1:1 the file begins with a byte order mark; save it without one"],
        ),
        ('{"a": NaN}', {"a": None}, ["1:7 NaN is not allowed"]),
        ("[-Infinity, 1]", [None, 1], ["1:2 -Infinity is not allowed"]),
        ("[1,\n 2,\n]", [1, 2], ["2:3 there is a comma after the last item"]),
        ('{"a": 1,}', {"a": 1}, ["1:8 there is a comma after the last item"]),
        (
            '{"a": 1,\n"b": 2,\n"a": 3}',
            {"a": 3, "b": 2},
            ["3:1 the key 'a' appears twice, first in line 1"],
        ),
        ("[01]", [1], ["1:2 a number must not begin with 0"]),
        ("[1e999]", [None], ["1:2 this number is too large"]),
        ("[" + "1" * 5000 + "]", [None], ["1:2 this number is too long"]),
        (
            r'["\ud800"]',
            ["\ufffd"],
            ["1:2 this `\\u` escape is only half of a character"],
        ),
        (r'["\x"]', [r"\x"], ["1:2 unknown `\\` escape"]),
        (
            '["a\tb"]',
            ["a\tb"],
            [r"1:4 write line breaks and tabs in a string as `\n` and `\t`"],
        ),
        ("[1] 2", [1], ["1:5 there is text after the end"]),
        ("", None, ["1:1 the file ends too early"]),
        ('{"a": 1', None, ["1:8 the file ends too early"]),
        ('["a]', None, ["1:2 a string has no closing quote"]),
        ("{a: 1}", None, ["1:2 a key in double quotes is missing"]),
        ('{"a" 1}', None, ["1:6 a colon is missing"]),
        ("[1 2]", None, ["1:4 a comma or `]` is missing"]),
        ("[True]", None, ["1:2 `True` is not a JSON value"]),
        ("[// no\n]", None, ["1:2 a value is missing"]),
        (
            "[" + "0," * 300_000,
            None,
            ["1:524288 there are more than 262,144 values before this one"],
        ),
        ("[" * 100_000, None, ["1:66 objects and lists are nested too deeply"]),
    ],
)
def test_errors_are_reported_with_their_place(
    text: str, value: Any, faults: list[str]
) -> None:
    read = JsonText(text.encode())
    found, findings = read.read()
    assert [
        f"{each.span.line}:{each.span.column} "
        + each.message.removeprefix("this is not valid JSON: ")
        for each in findings
    ] == faults
    assert found == value


def test_all_errors_after_which_reading_can_continue_are_reported() -> None:
    read = JsonText(b'\xef\xbb\xbf{"a": NaN, "a": 1, "b": [01,], "b": Infinity,}')
    assert len(read.read()[1]) == 8


def test_a_repeated_key_has_the_line_of_the_first() -> None:
    (fault,) = JsonText(b'{"a": 1,\n "a": 2}').read()[1]
    assert isinstance(fault, DuplicateKey) and (fault.key, fault.line) == ("a", 1)
    assert fault.span == Span("", 2, 2, 2, 5)


def test_utf_16_is_read_and_reported() -> None:
    value, faults = JsonText("\ufeff[1]".encode("utf-16-le")).read()
    assert value == [1] and [each.message for each in faults] == [
        "this is not valid JSON: the file is UTF-16; save it as UTF-8"
    ]


def test_bytes_that_are_not_utf_8_are_reported_with_their_line() -> None:
    read = JsonText(b'{"a":\n "\xff"}')
    value, (fault,) = read.read()
    assert isinstance(fault, NotJson) and value == {"a": "\ufffd"}
    assert fault.reason == "this character is not UTF-8"
    assert (fault.span.line, fault.span.column) == (2, 3)


def test_numbers_keep_their_type_and_value() -> None:
    value, faults = JsonText(b"[1, 1.0, 1e2, -0, 12345678901234567890123]").read()
    assert not faults and [type(each) for each in value] == [
        int,
        float,
        float,
        int,
        int,
    ]
    assert math.copysign(1, walked(b"-0.0").value) == -1


@pytest.mark.parametrize("depth", [60, 63, 64, 200])
def test_too_deep_nesting_is_reported_where_it_begins(depth: int) -> None:
    inside = '{"a": ' * depth + "1" + "}" * depth
    found = JsonText(f'{{"hp": 5, "name": {inside}, "more": 1}}'.encode())
    _, faults = found.read()
    reasons = [fault.message for fault in faults]
    too_deep = "this is not valid JSON: objects and lists are nested too deeply"
    assert reasons == ([] if depth < 64 else [too_deep])
    assert found.span(("name",)).column == 19
    assert found.span(("name",), of_key=True) == Span("", 1, 11, 1, 17)


@pytest.mark.parametrize("depth", [64, 65])
def test_both_readers_have_the_same_limit_of_nesting(depth: int) -> None:
    inside = "[" * depth + "1" + "]" * depth
    reasons = [
        [fault.message for fault in JsonText(text.encode()).read()[1]]
        for text in (inside, f"{inside} ,")
    ]
    assert [any("too deeply" in reason for reason in each) for each in reasons] == [
        depth > 64
    ] * 2
