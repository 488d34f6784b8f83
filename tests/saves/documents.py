"""Random documents: tables of every kind of column, as a game may have them or not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from msgspec import msgpack

from savegen.runtime.saves.document import (
    GAME_OBJECTS,
    ROWS_OF_A_PIECE,
    STATES,
    SYSTEM,
    Column,
    Document,
    Form,
    Piece,
    Table,
)

SHAPES: dict[str, list[tuple[str, Form]]] = {
    "game:Point": [("x", "float"), ("y", "float")],
    "game:Node": [("name", "str"), ("next", ["optional", ["record", "game:Node"]])],
}

_ints = st.integers(-(2**63), 2**64 - 1) | st.integers(-40, 300)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_nodes = st.recursive(
    st.tuples(_texts, st.none()).map(list),
    lambda inner: st.tuples(_texts, inner).map(list),
    max_leaves=4,
)
LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "int": _ints,
    "float": st.floats(),
    "bool": st.booleans(),
    "str": _texts,
    "bytes": st.binary(max_size=20),
    "ref": st.none() | st.integers(0, 3000),
    "any": st.recursive(
        _ints | _texts, lambda t: st.lists(t, max_size=3).map(lambda v: ["list", *v])
    ).map(msgpack.encode),
}


def _made(inner: st.SearchStrategy[Form]) -> st.SearchStrategy[Form]:
    one = inner.map(lambda form: ["list", form])
    optional = inner.map(lambda form: ["optional", form])
    pair = st.tuples(inner, inner).map(lambda forms: ["places", *forms])
    table = inner.map(lambda form: ["dict", "str", form])
    either = st.tuples(inner, inner).map(lambda forms: ["union", *forms])
    return st.one_of(one, optional, pair, table, either)


_records = st.sampled_from([["record", name] for name in SHAPES])
forms = st.recursive(st.sampled_from([*LEAVES]) | _records, _made, max_leaves=3)


def values(form: Form) -> st.SearchStrategy[Any]:
    """Return wire values of a form."""
    if isinstance(form, str):
        return LEAVES[form]
    word, *parts = form
    match word:
        case "list":
            return st.lists(values(parts[0]), max_size=5)
        case "optional":
            return st.none() | values(parts[0])
        case "places":
            return st.tuples(*map(values, parts)).map(list)
        case "dict":
            return st.dictionaries(_texts, values(parts[1]), max_size=4)
        case "union":
            chosen = [_member(place, part) for place, part in enumerate(parts)]
            return st.one_of(chosen)
    if parts[0] == "game:Node":
        return _nodes
    return st.tuples(st.floats(), st.floats()).map(list)


def _member(place: int, form: Form) -> st.SearchStrategy[Any]:
    return values(form).map(lambda value: [place, value])


@st.composite
def pieces(draw: st.DrawFn, columns: list[Column], count: int) -> list[Piece]:
    """Draw few values for many rows."""
    found = [draw(st.lists(values(c.form), min_size=1, max_size=4)) for c in columns]
    made, start = [], 0
    while start < count:
        rows = min(ROWS_OF_A_PIECE, count - start)
        made.append(
            [[v[n % len(v)] for n in range(start, start + rows)] for v in found]
        )
        start += rows
    return made


@st.composite
def tables(draw: st.DrawFn, number: int) -> Table:
    count = draw(st.sampled_from([0, 1, 2, 3, 5, 8, 40, 1100]))
    if number in SYSTEM:
        columns = [*SYSTEM[number]]
    else:
        drawn = draw(st.lists(forms, max_size=4))
        columns = [Column(16 + n, f"field_{n}", form) for n, form in enumerate(drawn)]
    found = draw(pieces(columns, count)) if columns else []
    return Table(number, draw(_texts), columns, count, found)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    numbers = draw(st.lists(st.integers(1, 50), unique=True, max_size=3))
    every = [GAME_OBJECTS, *numbers, STATES] if numbers else []
    return Document(
        [draw(tables(number)) for number in every],
        draw(st.integers(0, 100)),
        SHAPES,
        draw(st.integers(0, 9)),
    )


def same(one: Document, other: Document) -> bool:
    """Tell whether two documents say the same, NaN and -0.0 and 1 and True told apart."""
    return said(one) == said(other)


def said(document: Document) -> bytes:
    tables = [
        [
            t.number,
            t.name,
            [(c.number, c.name, c.form) for c in t.columns],
            t.count,
            [*t.rows()],
        ]
        for t in document.tables
    ]
    rest = (document.save_version, document.shapes, document.dangling)
    return msgpack.encode([tables, rest])


def walls(count: int) -> Document:
    """Return a plain document of one class."""
    columns = [Column(16, "height", "int"), Column(17, "name", "str")]
    heights = [n % 300 for n in range(count)]
    found: list[Piece] = [
        [
            heights[start : start + 1000],
            [f"wall {n}" for n in heights[start : start + 1000]],
        ]
        for start in range(0, count, 1000)
    ]
    return Document([Table(7, "Wall", columns, count, found)])
