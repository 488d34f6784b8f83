"""Columns that one value tells come back as they were, type for type; nobody can lie with one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from savegen.runtime.errors import SaveCorruptError, SaveLimitError
from savegen.runtime.saves import Metadata
from savegen.runtime.saves.container import container, runs
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.document import Column, Document, Form, Table
from savegen.runtime.saves.wire.forms import decoder

FORMS: dict[str, Any] = {
    "int": st.integers(-(2**63), 2**64 - 1) | st.booleans(),
    "ref": st.none() | st.integers(0, 2**40),
    "bool": st.booleans(),
    "float": st.floats(allow_nan=False) | st.integers(-3, 3) | st.booleans(),
    "str": st.text(max_size=3),
}


@st.composite
def columns(draw: Any) -> tuple[Form, list[Any]]:
    """Draw columns that are runs, or nearly."""
    word = draw(st.sampled_from([*FORMS]))
    form = ["optional", word] if draw(st.booleans()) else word
    values = FORMS[word] | st.none() if form != word else FORMS[word]
    first, rows = draw(values), draw(st.integers(1, 20))
    if type(first) is int and word in ("int", "ref") and draw(st.booleans()):
        first = min(first, 2**64 - 21)
        column = [*range(first, first + rows)]
    else:
        column = [first] * rows
    for place, value in draw(
        st.lists(st.tuples(st.integers(0, rows - 1), values), max_size=2)
    ):
        column[place] = value
    return form, column


def come_back(form: Form, values: list[Any]) -> tuple[list[Any], bool]:
    data = runs.encoded(form, values)
    read = decoder([form], {})
    if not runs.is_run(data):
        return read(data)[0], False
    (firsts,) = read(runs.first_of(data))
    return runs.values_of(form, data, firsts[0], len(values)), True


@given(columns())
def test_a_column_comes_back_type_for_type(column: tuple[Form, list[Any]]) -> None:
    form, values = column
    found, _ = come_back(form, values)
    assert [*map(repr, found)] == [*map(repr, values)]


@pytest.mark.parametrize(
    ("form", "values", "is_run"),
    [
        ("int", [5] * 1000, True),
        ("int", [*range(990, 1990)], True),
        ("int", [0, True, 2], False),
        ("int", [True, 1, True], False),
        ("float", [1.0, 1, 1.0], False),
        ("float", [0.0, -0.0, 0.0], False),
        ("float", [1.0, 2.0, 3.0], False),
        ("str", ["a", "b", "a"], False),
        ("str", ["as long as one likes"] * 3, True),
        (["optional", "str"], [None, None], True),
        (["optional", "str"], [None, "a"], False),
        (["list", "int"], [[1], [1]], False),  # each is a list of its own
        ("int", [hex(2**70)] * 2, False),  # an int would be made for each row
        (["optional", "float"], [hex(2**70)] * 2, False),
        ("str", [("\\ud800",)] * 2, False),
        ("bytes", [b"a", b"a"], True),
        ("int", [7], False),
        ("int", [], False),
    ],
)
def test_only_what_is_the_same_is_a_run(
    form: Form, values: list[Any], is_run: bool
) -> None:
    found, was_run = come_back(form, values)
    assert was_run == is_run
    assert [*map(repr, found)] == [*map(repr, values)]


@pytest.mark.parametrize(
    ("form", "data", "first"),
    [
        (["list", "int"], b"\x92\x90\x00", []),  # one list would be in all rows
        ("any", b"\x92\xc4\x00\x00", b""),
        ("int", b"\x92\x05\x02", 5),
        ("str", b"\x92\xa1a\x01", "a"),
        ("int", b"\x92\xc3\x01", True),
        ("float", b"\x92\x05\x01", 5),
        (["optional", "int"], b"\x92\x05\x01", 5),
        ("int", b"\x92\xa1a\x00", "0x10000000000000000"),  # made anew for each row
        (["optional", "float"], b"\x92\xa1a\x00", "0x10000000000000000"),
        ("str", b"\x92\x91\xa1a\x00", ("\\ud800",)),
    ],
)
def test_what_is_no_run_is_refused(form: Form, data: bytes, first: Any) -> None:
    with pytest.raises(SaveCorruptError):
        runs.values_of(form, data, first, 3)


def test_a_run_holds_no_more_than_the_list_of_its_values() -> None:
    table = Table(7, "Wall", [Column(16, "name", "str")], 1000, [[["four"] * 1000]])
    document = Document([table])
    with pytest.raises(SaveLimitError, match="the size of Wall.name"):
        b"".join(container.write(document, Metadata(), limits=Limits(column=4999)))
    data = b"".join(container.write(document, Metadata(), limits=Limits(column=5000)))
    with pytest.raises(SaveLimitError, match="the size of a column of Wall"):
        container.read(data, Limits(column=4999))
    assert [*container.read(data, Limits(column=5000))[1].tables[0].rows()]
