"""Names of the objects of a save, however many steps lead to them."""

from __future__ import annotations

from typing import Any

from savegen.runtime.saves.document import Column, Document, Table, RECORDS
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
