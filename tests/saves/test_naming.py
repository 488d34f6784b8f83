"""Names of the objects of a save, however many steps lead to them."""

from __future__ import annotations

from typing import Any

import pytest

from savegen.runtime.saves.document import Column, Document, Table, RECORDS
from savegen.runtime.saves.wire._any_nodes import pack_tree
from savegen.saves.differing import differences
from savegen.saves.naming import Names

MANY = 20_000


def chain(last: int) -> Document:
    """Return a list of nodes, each of which only the one before leads to."""
    following: list[Any] = [*range(1, MANY), None]
    values: list[Any] = [*range(MANY - 1), last]
    columns = [Column(16, "next", ["optional", "ref"]), Column(17, "value", "int")]
    nodes = Table(7, "Node", columns, MANY, [[following, values]])
    names = ("object", "index", "generation", "prefab", "placement", "level")
    forms: Any = ("ref", "int", "int", *(["optional", "str"] for _ in range(3)))
    about = [Column(16 + n, *each) for n, each in enumerate(zip(names, forms))]
    record: list[list[Any]] = [[0], [0], [1], [None], [None], [None]]
    return Document([nodes, Table(RECORDS, "records", about, 1, [record])])


def test_a_way_of_many_steps_has_a_short_name_of_its_own() -> None:
    names = Names(chain(1))
    found = [names.of(number) for number in names.numbers()]
    assert found[:3] == ["Node #0.1", "Node Node #0.1.next", "Node Node #0.1.next.next"]
    assert len({*found}) == MANY and max(map(len, found)) < 150


def test_what_differs_at_the_end_of_a_long_way_is_told_alone() -> None:
    (only,) = differences(chain(1), chain(2))
    assert (only.what, only.field, only.old, only.new) == ("changed", "value", 1, 2)


def of_form(form: Any, value: Any) -> Document:
    """Return a save of one object, whose field `value` holds a value."""
    document = chain(0)
    node = document.tables[0]
    node.columns[1] = Column(17, "value", form)
    node.count, node.pieces = 1, [[[None], [value]]]
    return document


@pytest.mark.parametrize(
    ("form", "old", "new", "found"),
    [
        (["foreign", "a.B"], ["tuple", 1, 2], ["tuple", 1, 3], [("value[1]", 2, 3)]),
        (["foreign", "a.B"], ["tuple", 1], ["list", 1], None),
        (["foreign", "a.B"], ["set", 1], ["frozenset", 1], None),
        ("any", ["record", "a:B", "x", 1], ["record", "a:C", "x", 1], None),
        (
            "any",
            ["record", "a:B", "x", 1],
            ["record", "a:B", "x", 2],
            [("value.x", 1, 2)],
        ),
        ("any", ["tuple", 1], 3, None),
    ],
)
def test_values_that_name_their_type_are_compared_by_their_parts(
    form: Any, old: Any, new: Any, found: Any
) -> None:
    documents = (of_form(form, pack_tree(each)) for each in (old, new))
    said = [(each.field, each.old, each.new) for each in differences(*documents)]
    assert said == (found or [("value", old, new)])
