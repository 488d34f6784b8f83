"""Functions on cells of a given stored type: fillers, parts of cells, and the keys in them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain, cycle
from typing import Any

from msgspec import UNSET
from msgspec.structs import astuple

from savegen.runtime.values import tagged
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.values.checks import ordered
from savegen.runtime.values.generators import GENERATORS
from savegen.runtime.values.methods import LABEL
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.values.stored import (
    ARRAYS,
    ATOMS,
    FORMS,
    MAPPINGS,
    RECORDS,
    Field,
    StoredType,
)

# -- fillers


def filler(stored: StoredType) -> Any:
    """Return a cell that replaces a mismatch in a file. It stands for no value.

    >>> from savegen.runtime.values.stored import parse
    >>> filler(parse("(int, optional<date>, list<str>, enum Colour{RED GREEN})"))
    (0, None, [], 'RED')
    """
    try:
        return _filler(stored)
    except RecursionError:
        raise SaveCorruptError(
            f"the stored type {stored} contains itself, so that it has no finite values"
        ) from None


def _filler(stored: StoredType) -> Any:
    name, parts = stored.name, stored.inner
    if name in ATOMS or name == "numpy":
        return FORMS[name].blank
    if name in ARRAYS:
        return []
    if name in MAPPINGS:
        return {} if stored.is_map else []
    if name == "deque":
        return None, ()
    if name in ("ref", "weak", "optional"):
        return None if name == "optional" and parts[0].name != "ref" else 0
    if name == "fixed":
        return (*map(_filler, parts),)
    if name in RECORDS:
        fields = stored.inner_fields
        return tuple(() if f.may_be_absent else _filler(f.type) for f in fields)
    if name == "codec" or stored.is_native_union:
        return _filler(parts[0])
    if name == "union":
        return [0, _filler(parts[0]), *[None] * (len(parts) - 1)]
    choices = stored.constants if name == "literal" else stored.numbers or stored.names
    return choices[0] if choices else ""  # "" for an enum without members


# -- the parts of a cell


def parts_in(stored: StoredType, cell: Any) -> list[tuple[StoredType, Any]]:
    """Return the parts of a cell with their stored types; a mapping alternates keys and values.

    Raises `ValueError` or `TypeError` for a cell that is not of its type.

    >>> from savegen.runtime.values.stored import parse
    >>> parts_in(parse("dict<str, optional<int>>"), {"a": None})
    [(StoredType('str'), 'a'), (StoredType('optional<int>'), None)]
    """
    name, types = stored.name, types_of_parts(stored)
    if name == "optional":
        is_none = cell is None or (not cell and types[0].name == "ref")
        return [] if is_none else [(types[0], cell)]
    if name == "union":
        return [(types[cell[0]], cell[cell[0] + 1])]
    if name == "fixed":
        return [*zip(types, cell, strict=True)]
    if name in RECORDS:
        return [(field.type, inner) for field, inner in fields_in(stored, cell)]
    members = [cell] if name == "codec" else cell[1] if name == "deque" else cell
    if name in MAPPINGS:
        pairs = cell.items() if type(cell) is dict else cell
        members = chain.from_iterable((key, value) for key, value in pairs)
    return [*zip(cycle(types), members)]


def types_of_parts(stored: StoredType) -> tuple[StoredType, ...]:
    """Return the types of a cell's parts: one for all members, or one for keys and one for values.

    >>> from savegen.runtime.values.stored import parse
    >>> types_of_parts(parse("Counter<str>"))  # counts are ints
    (StoredType('str'), StoredType('int'))
    """
    return (*stored.parts, _INT) if stored.name == "Counter" else stored.inner


def cell_of_parts(
    stored: StoredType,
    parts: Iterable[Any],
    max_length: int | None = None,
    array: type = tuple,
) -> Any:
    """Return the cell of a container, a tuple or a codec that has the given parts.

    `max_length` is that of a deque. Arrays of fixed length become an `array`: a list, if the other
    cells were decoded. Raises `ValueError` for a mapping with an odd number of parts.

    >>> from savegen.runtime.values.stored import parse
    >>> cell_of_parts(parse("dict<str, int>"), ["a", 1]), cell_of_parts(parse("set<int>"), [2, 1])
    ({'a': 1}, [1, 2])
    """
    name = stored.name
    if name == "codec":
        (cell,) = parts
        return cell
    if name in MAPPINGS:
        remaining = iter(parts)
        pairs = zip(remaining, remaining, strict=True)
        return dict(pairs) if stored.is_map else [*map(array, pairs)]
    if name in ("set", "frozenset"):
        return ordered(parts)
    if name == "deque":
        return array((max_length, [*parts]))
    return array(parts) if name in ("tuple", "fixed") else [*parts]


def fields_in(stored: StoredType, cell: Any) -> Iterator[tuple[Field, Any]]:
    """Yield each field of a value or record that is present, with its cell."""
    for field, inner in zip(stored.inner_fields, record_cells(cell), strict=True):
        for present in inner if field.may_be_absent else (inner,):
            yield field, present


def innermost_parts(stored: StoredType, cell: Any) -> Iterator[tuple[StoredType, Any]]:
    """Yield the innermost parts of a cell, with their stored types."""
    if _is_innermost(stored):
        yield stored, cell
        return
    for part, inner in parts_in(stored, cell):
        yield from innermost_parts(part, inner)


def _is_innermost(stored: StoredType) -> bool:
    """Return whether the cells of a type have no parts of their own."""
    return not stored.parts or stored.name == "weak" or stored.is_native_union


def rebuild(stored: StoredType, cell: Any, parts: list[Any]) -> Any:
    """Return a cell with new parts; a part that is `REMOVED` is left out of its container.

    >>> from savegen.runtime.values.stored import parse
    >>> rebuild(parse("dict<str, int>"), {"a": 1, "b": 2}, ["c", 3, "b", REMOVED])
    {'c': 3}
    """
    name = stored.name
    if name in ("optional", "codec"):
        return parts[0] if parts and parts[0] is not REMOVED else None
    if name == "union":
        if parts[0] is REMOVED:
            return REMOVED
        return type(cell)(
            parts[0] if n == cell[0] + 1 else c for n, c in enumerate(cell)
        )
    if name in RECORDS:
        new = iter(parts)
        inner_cells = [
            type(inner)(next(new) for _ in inner) if field.may_be_absent else next(new)
            for field, inner in zip(stored.fields, record_cells(cell))
        ]
        is_row = isinstance(cell, Row)
        return type(cell)(*inner_cells) if is_row else type(cell)(inner_cells)
    if name in MAPPINGS:
        pairs = zip(parts[::2], parts[1::2])
        present = [pair for pair in pairs if pair[0] is not REMOVED is not pair[1]]
        parts = [*chain.from_iterable(present)]
    parts = [part for part in parts if part is not REMOVED]
    made = cell_of_parts(stored, parts, cell[0] if name == "deque" else None)
    return type(cell)(made)


_INT = StoredType("int")
REMOVED: Any = object()
"""Stands for the key of an object that no longer exists, until `rebuild` leaves it out."""


def record_cells(cell: Any) -> tuple[Any, ...]:
    """Return the cells of a record, which is a row if its class is recursive."""
    return astuple(cell) if isinstance(cell, Row) else cell


# -- keys

_WITH_KEYS = frozenset(["ref", "weak", "any"])
_WITH_NUMBERS = _WITH_KEYS.union(GENERATORS)


def has_keys(stored: StoredType) -> bool:
    """Return whether a cell of a stored type can hold a key."""
    return not _WITH_KEYS.isdisjoint(stored.names_inside)


def has_numbers(stored: StoredType) -> bool:
    """Return whether a cell of a stored type can hold a key, or that of a random generator."""
    return not _WITH_NUMBERS.isdisjoint(stored.names_inside)


def has_only_keys(stored: StoredType) -> bool:
    """Return whether the numbers in cells of a stored type are all those of objects."""
    return stored.names_inside.isdisjoint(("any", *GENERATORS))


def keys_of(stored: StoredType, cell: Any) -> Iterator[Key]:
    """Yield the keys in a cell, except 0, in the order in which the cell holds them.

    >>> from savegen.runtime.values.stored import parse
    >>> [*keys_of(parse("dict<str, list<ref<7>>>"), {"a": [1, 0], "b": [2]})]
    [1, 2]
    """
    if stored.name in ("ref", "weak"):
        yield from (cell,) if cell else ()
    elif stored.name == "any":
        yield from filter(None, tagged.keys_of(cell))
    elif has_keys(stored):
        for part, inner in parts_in(stored, cell):
            yield from keys_of(part, inner)


def methods_in(stored: StoredType, cell: Any) -> Iterator[tuple[Key, str]]:
    """Yield the key of the object and the name of each bound method in a cell."""
    if stored.label == LABEL:
        key, name = cell
        yield key, name
    elif has_keys(stored) and not _is_innermost(stored):
        for part, inner in parts_in(stored, cell):
            yield from methods_in(part, inner)


def keys_in(stored: StoredType, column: Iterable[Any]) -> set[Key]:
    """Return the keys in a column, except 0; `UNSET` cells are skipped.

    >>> from savegen.runtime.values.stored import parse
    >>> sorted(keys_in(parse("list<ref<1>>"), [[3, 0], UNSET, [-1]]))
    [-1, 3]
    """
    if not has_keys(stored):
        return set()
    inner = stored.parts[0] if stored.parts else stored
    if stored.name == "ref" or (stored.name == "optional" and inner.name == "ref"):
        return {*column} - {0, UNSET}
    cells = (cell for cell in column if cell is not UNSET)
    is_list = stored.name in ARRAYS and inner.name == "ref"
    keys = cells if is_list else (keys_of(stored, cell) for cell in cells)
    return {*chain.from_iterable(keys)} - {0}


def remap(stored: StoredType, cell: Any, keys: Mapping[Key, Key]) -> Any:
    """Return a cell with its keys replaced; a key that is not in `keys` is unchanged.

    >>> from savegen.runtime.values.stored import parse
    >>> remap(parse("set<ref<7>>"), [1, 2], {1: 9})
    [2, 9]
    """
    return _change_keys(stored, cell, lambda key, ref: keys.get(key, key))


def renumbered(
    stored: StoredType,
    cell: Any,
    key: Callable[[Key], Any],
    generator: Callable[[int], Any],
) -> Any:
    """Return a cell with other numbers for objects and random generators, for comparisons.

    >>> from savegen.runtime.values.stored import parse
    >>> renumbered(parse("(set<ref<7>>, random)"), ([1, 2], 3), lambda key: -key, str)
    ([-2, -1], '3')
    """
    name = stored.name
    if name in ("ref", "weak"):
        return key(cell) if cell else cell
    if name in GENERATORS:
        return generator(cell)
    if name == "any":
        return tagged.renumbered(cell, key, generator)
    if not has_numbers(stored):
        return cell
    if stored.label == LABEL:
        return key(cell[0]), cell[1]
    parts = [renumbered(*part, key, generator) for part in parts_in(stored, cell)]
    if name == "optional" and not parts:
        return cell
    return rebuild(stored, cell, parts)


def without(stored: StoredType, cell: Any, destroyed: Container[Key]) -> Any:
    """Return a cell without the keys of destroyed objects.

    Such a key is removed from a container whose members cannot be `None`; elsewhere it
    becomes 0.

    >>> from savegen.runtime.values.stored import parse
    >>> without(parse("list<ref<7>>"), [1, 2], {1}), without(parse("(ref<7>)"), (1,), {1})
    ([2], (0,))
    """
    return without_unfit(stored, cell, lambda key, ref: key not in destroyed)


def without_unfit(
    stored: StoredType, cell: Any, fits: Callable[[Key, StoredType], bool]
) -> Any:
    """Return a cell without the keys that do not fit their reference, like `without`.

    >>> from savegen.runtime.values.stored import parse
    >>> fits = lambda key, ref: 7 in ref.numbers
    >>> without_unfit(parse("(list<ref<8>>, ref<7>)"), ([1, 2], 2), fits)
    ([], 2)
    """
    return _change_keys(
        stored, cell, lambda key, ref: key if fits(key, ref) else REMOVED
    )


# Types whose cells can leave out a part.
_DROPS_REMOVED = ARRAYS | MAPPINGS | {"deque", "optional"}


def _change_keys(
    stored: StoredType,
    cell: Any,
    change: Callable[[Key, StoredType], Key],
    may_be_removed: bool = False,
) -> Any:
    """Return a cell with changed keys; if it `may_be_removed`, the result may be `REMOVED`.

    `change` gets a key and the type of its reference.
    """
    name = stored.name
    if name in ("ref", "weak"):
        ref = stored.parts[0] if name == "weak" else stored
        key = change(cell, ref) if cell else cell
        return key if key is not REMOVED or (may_be_removed and name == "ref") else 0
    if name == "any":
        return tagged.replace_keys(cell, lambda key: _change_keys(_KEY, key, change))
    if not has_keys(stored):
        return cell
    if stored.label == LABEL:
        key = _change_keys(_KEY, cell[0], change, may_be_removed)
        return key if key is REMOVED else type(cell)((key, cell[1]))
    if name == "optional" and stored.parts[0].name == "ref":
        return _change_keys(stored.parts[0], cell, change)
    part_may_be_removed = name in _DROPS_REMOVED or (name == "union" and may_be_removed)
    parts = [
        _change_keys(part, inner, change, part_may_be_removed)
        for part, inner in parts_in(stored, cell)
    ]
    return rebuild(stored, cell, parts)


_KEY = StoredType("ref", numbers=(0,))
