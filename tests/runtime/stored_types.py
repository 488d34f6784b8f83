"""Stored types for hypothesis, and cells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from savegen.runtime.values.folds import renumbered
from savegen.runtime.values.libraries.arrays import dtype_of
from savegen.runtime.values.libraries.standard_types import (
    pack_date,
    pack_datetime,
    pack_decimal,
    pack_fraction,
)
from savegen.runtime.values.checks import ordered
from savegen.runtime.values.stored import ATOMS, NATIVE, StoredType, parse

SCALAR_ATOMS = sorted(ATOMS - {"any"})
NAMES = st.sampled_from(["hp", "Vec2", "mygame.shapes.Vec2", "größe", "_x", "Box[int]"])
_ARRAYS = st.one_of(NAMES, st.sampled_from(["int16", "integer"]))
NUMBERS = st.integers(-1, 2**31 - 1)
_SOME_NUMBERS = st.lists(NUMBERS, min_size=1, max_size=3, unique=True).map(tuple)
_SOME_NAMES = st.lists(NAMES, unique=True, max_size=3).map(tuple)
CONSTANTS = st.one_of(
    st.text(max_size=8),
    st.binary(max_size=4),
    st.integers(-(2**63), 2**64 - 1),  # the encoder refuses longer ones
    st.booleans(),
    st.none(),
).map(ascii)


def _leaves(open_names: tuple[str, ...]) -> st.SearchStrategy[StoredType]:
    leaves = [
        st.sampled_from(sorted(ATOMS)).map(StoredType),
        _ARRAYS.map(lambda name: StoredType("ndarray", label=name)),
        NAMES.map(lambda name: StoredType("numpy", label=name)),
        st.builds(StoredType, st.sampled_from(["ref", "class"]), numbers=_SOME_NUMBERS),
        _SOME_NUMBERS.map(
            lambda n: StoredType("weak", (StoredType("ref", numbers=n),))
        ),
        st.builds(
            lambda word, label, names: StoredType(word, label=label, names=names),
            st.sampled_from(["enum", "flag"]),
            NAMES,
            _SOME_NAMES.filter(bool),
        ),
        st.lists(CONSTANTS, min_size=1, max_size=4).map(
            lambda found: StoredType("literal", names=tuple(found))
        ),
    ]
    if open_names:
        leaves.append(
            st.sampled_from(open_names).map(lambda n: StoredType("rec", label=n))
        )
    return st.one_of(leaves)


@st.composite
def _record(
    draw: Callable[..., Any], depth: int, around: tuple[str, ...]
) -> StoredType:
    label = draw(NAMES)
    names = draw(_SOME_NAMES)
    numbers = draw(
        st.lists(NUMBERS, unique=True, min_size=len(names), max_size=len(names))
    )
    parts = [draw(stored_types(depth - 1, (*around, label))) for _ in names]
    absent = tuple(name for name in names if draw(st.booleans()))
    word = draw(st.sampled_from(["value", "record"]))
    return StoredType(word, tuple(parts), label, tuple(numbers), names, absent)


def stored_types(
    depth: int = 3, around: tuple[str, ...] = ()
) -> st.SearchStrategy[StoredType]:
    """Return a strategy of stored types, nested at most `depth` deep."""
    if not depth:
        return _leaves(around)
    inner = st.deferred(lambda: stored_types(depth - 1, around))
    one = ["list", "tuple", "set", "frozenset", "deque", "Counter"]
    return st.one_of(
        _leaves(around),
        st.builds(lambda w, t: StoredType(w, (t,)), st.sampled_from(one), inner),
        inner.filter(lambda t: t.name != "optional").map(
            lambda t: StoredType("optional", (t,))
        ),
        st.builds(
            lambda word, key, value: StoredType(word, (key, value)),
            st.sampled_from(["dict", "defaultdict", "OrderedDict"]),
            inner,
            inner,
        ),
        st.lists(inner, max_size=3).map(
            lambda found: StoredType("fixed", tuple(found))
        ),
        st.builds(lambda name, t: StoredType("codec", (t,), name), NAMES, inner),
        st.lists(inner, min_size=2, max_size=3).map(
            lambda found: StoredType("union", tuple(found))
        ),
        _record(depth, around),
    )


NATIVE_ATOMS = sorted(NATIVE)


# -- cells

_LEAF_CELLS: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int": st.integers(-(2**63), 2**64 - 1),
    "float": st.floats(),
    "bytes": st.binary(max_size=3),
    "bytearray": st.binary(max_size=3),
    "none": st.none(),
    "complex": st.tuples(st.floats(), st.floats()),
    "timedelta": st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
    "uuid": st.binary(min_size=16, max_size=16),
    "array": st.just(("d8", b"")),
    "random": st.integers(0, 3),
    "generator": st.integers(0, 3),
    "prefab": st.integers(0, 3),
    "decimal": st.decimals().map(pack_decimal),
    "fraction": st.fractions().map(pack_fraction),
    "date": st.dates().map(pack_date),
    "time": st.times().map(pack_datetime),
    "datetime": st.datetimes().map(pack_datetime),
    "count": st.integers(0, 3),
    "any": st.sampled_from(
        [
            (StoredType("none"), None),
            (StoredType("int"), 1),
            (StoredType("str"), "\udc80"),
            (StoredType("ref", numbers=(0,)), 1),
            (parse("(list<ref<0>>, any)"), ([2], (StoredType("int"), 2**70))),
        ]
    ),
}


def cells_of(
    stored: StoredType,
    keys: list[int],
    around: dict[str, StoredType] | None = None,
    depth: int = 4,
) -> st.SearchStrategy[Any]:
    """Return a strategy of cells that fit a stored type; nothing if it has none."""
    around = around or {}

    def cells(part: StoredType) -> st.SearchStrategy[Any]:
        return cells_of(part, keys, around, depth)

    name, parts = stored.name, stored.parts
    if name in _LEAF_CELLS:
        return _LEAF_CELLS[name]
    if name in ("ndarray", "numpy"):
        text = dtype_of(stored.label) or "<i8"
        if name == "numpy":
            return st.just((text, b""))
        whole = st.just((text, (0,), "C", b""))
        return st.one_of(whole, st.just(b"")) if dtype_of(stored.label) else whole
    if name in ("ref", "weak"):
        return st.sampled_from(keys)
    if name == "class":
        return st.sampled_from(stored.numbers)
    if name in ("enum", "flag"):
        return st.sampled_from(stored.names) if stored.names else st.nothing()
    if name == "literal":
        return st.sampled_from(stored.constants)
    if name == "optional":
        none = st.just(0 if parts[0].name == "ref" else None)
        return none if not depth else st.one_of(none, cells(parts[0]))
    if name in ("list", "tuple", "set", "frozenset"):
        members = _lists(cells(parts[0]), depth)
        return members.map(ordered) if name in ("set", "frozenset") else members
    if name == "deque":
        return st.tuples(st.none(), _lists(cells(parts[0]), depth))
    if name in ("dict", "defaultdict", "OrderedDict", "Counter"):
        value = st.integers(0, 9) if name == "Counter" else cells(parts[1])
        pairs = _lists(st.tuples(cells(parts[0]), value), depth)
        is_map = name != "OrderedDict" and parts[0].is_scalar
        return pairs.map(dict) if is_map else pairs
    if name in ("fixed", "value", "record"):
        return _record_cells(stored, keys, around, depth)
    if name == "rec":
        if not depth:
            return st.nothing()
        whole_record = around[stored.label]
        return st.deferred(lambda: cells_of(whole_record, keys, around, depth - 1))
    if name == "codec":
        return cells(parts[0])
    if name == "union":
        return _union_cells(stored, cells)
    return st.text(max_size=3)


def _lists(cells: st.SearchStrategy[Any], depth: int) -> st.SearchStrategy[Any]:
    if not depth or cells.is_empty:
        return st.builds(list)
    return st.lists(cells, max_size=3)


def _record_cells(
    stored: StoredType, keys: list[int], around: dict[str, StoredType], depth: int
) -> st.SearchStrategy[Any]:
    if stored.name != "fixed":
        around = {**around, stored.label: stored}
    made = [cells_of(part, keys, around, depth) for part in stored.parts]
    if stored.name != "fixed":
        made = [
            (
                st.one_of(st.just(()), cell.map(lambda c: (c,)))
                if f.may_be_absent
                else cell
            )
            for f, cell in zip(stored.fields, made)
        ]
    return st.tuples(*made)


def _union_cells(
    stored: StoredType, cells: Callable[[StoredType], st.SearchStrategy[Any]]
) -> st.SearchStrategy[Any]:
    if stored.is_native_union:
        return st.one_of([cells(part) for part in stored.parts])
    count = len(stored.parts)

    def placed(index: int) -> st.SearchStrategy[Any]:
        def whole(cell: Any) -> list[Any]:
            made: list[Any] = [index, *[None] * count]
            made[index + 1] = cell
            return made

        return cells(stored.parts[index]).map(whole)

    return st.one_of([placed(index) for index in range(count)])


def remapped(stored: StoredType, cell: Any, keys: Mapping[int, int]) -> Any:
    """Return a cell with its keys replaced; a key that is not in `keys` is unchanged."""
    return renumbered(stored, cell, lambda key: keys.get(key, key), lambda key: key)
