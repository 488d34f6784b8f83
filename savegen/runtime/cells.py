"""What is done with cells whose type is known: fill one in, and find or replace its keys."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec import UNSET
from msgspec.structs import astuple

from savegen.runtime import tagged
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.packing import ordered
from savegen.runtime.rows import Key, Row
from savegen.runtime.stored import ARRAYS, BLANKS, MAPPINGS, RECORDS, Field, Stored

# -- a cell for nothing


def filler(stored: Stored) -> Any:
    """Return a cell that can be written and read, but stands for no value.

    It takes the place of a mismatch in a file.

    >>> from savegen.runtime.stored import parse
    >>> filler(parse("(int, optional<date>, list<str>, enum Colour{RED GREEN})"))
    (0, None, [], 'RED')
    """
    try:
        return _filler(stored)
    except RecursionError:
        raise SaveCorruptError(f"no value can be of the stored type {stored}") from None


def _filler(stored: Stored) -> Any:
    name, parts = stored.name, stored.inner
    if name in BLANKS:
        return BLANKS[name]
    if name in ARRAYS:
        return []
    if name in MAPPINGS:
        return {} if stored.is_map else []
    if name == "deque":
        return None, ()
    if name in ("ref", "weak", "optional"):
        return None if name == "optional" and parts[0].name != "ref" else 0
    if name == "fixed" or name in RECORDS:
        pairs = zip(parts, _absences(stored))
        return tuple(() if absent else _filler(part) for part, absent in pairs)
    if name == "codec" or stored.is_native_union:
        return _filler(parts[0])
    if name == "union":
        return [0, _filler(parts[0]), *[None] * (len(parts) - 1)]
    choices = stored.constants if name == "literal" else stored.numbers or stored.names
    return choices[0] if choices else ""  # of an enum without members


# -- keys

_KEYED = frozenset(["ref", "weak", "any"])


@lru_cache(4096)
def has_keys(stored: Stored) -> bool:
    """Return whether a cell of a stored type can hold a key."""
    return any(part.name in _KEYED for part in stored.walk())


def keys_in(stored: Stored, column: Iterable[Any]) -> set[Key]:
    """Return the keys in a column of cells; `UNSET` cells have none.

    >>> from savegen.runtime.stored import parse
    >>> sorted(keys_in(parse("dict<str, list<ref<7>>>"), [{"a": [1, 0], "b": [2]}, {}]))
    [1, 2]
    """
    found: set[Key] = set()
    if has_keys(stored):
        cells = (cell for cell in column if cell is not UNSET)
        found.update(*_key_columns(stored, cells))
    found.discard(0)
    return found


def keys_of(stored: Stored, cell: Any) -> list[Key]:
    """Return the keys in one cell, in an order that depends on nothing but the cell."""
    return [*filter(None, chain.from_iterable(_key_columns(stored, [cell])))]


def links(
    stored: Stored, owners: Iterable[Key], column: Iterable[Any]
) -> Iterable[tuple[Key, Key]]:
    """Return the keys in a column of cells, each behind the key of its owner.

    >>> from savegen.runtime.stored import parse
    >>> [*links(parse("list<ref<1>>"), [7, 8, 9], [[3, 0], UNSET, [-1]])]
    [(7, 3), (7, 0), (9, -1)]
    """
    if stored.name == "ref" or (
        stored.name == "optional" and stored.parts[0].name == "ref"
    ):
        return zip(owners, (0 if cell is UNSET else cell for cell in column))
    is_list = stored.name in ARRAYS and stored.parts[0].name == "ref"
    return (
        (owner, key)
        for owner, cell in zip(owners, column)
        if cell is not UNSET
        for key in (cell if is_list else keys_of(stored, cell))
    )


def _key_columns(stored: Stored, cells: Iterable[Any]) -> Iterator[Iterable[Key]]:
    """Yield the keys in a column of cells, many at a time."""
    if stored.name in ("ref", "weak"):
        yield cells
    elif stored.name == "any":
        yield chain.from_iterable(map(tagged.keys_of, cells))
    elif has_keys(stored):
        for part, column in _columns_in(stored, cells):
            yield from _key_columns(part, column)


def _columns_in(
    stored: Stored, cells: Iterable[Any]
) -> Iterator[tuple[Stored, Iterable[Any]]]:
    """Yield each part of a type, and what stands there in all cells of a column."""
    name, parts = stored.name, stored.inner
    if name == "codec":
        yield parts[0], cells
    elif name == "optional":
        is_key = parts[0].name == "ref"  # then 0 is `None`
        yield parts[0], cells if is_key else (c for c in cells if c is not None)
    elif name in ARRAYS:
        yield parts[0], chain.from_iterable(cells)
    elif name == "deque":
        yield parts[0], chain.from_iterable(members for _, members in cells)
    elif name == "union":
        chosen = [*cells]
        for n, part in enumerate(parts):
            yield part, [cell[n + 1] for cell in chosen if cell[0] == n]
    elif name == "fixed" or name in RECORDS:
        columns = zip(*map(_places, cells))
        for part, is_optional, column in zip(parts, _absences(stored), columns):
            yield part, chain.from_iterable(column) if is_optional else column
    else:
        yield from zip(parts, zip(*chain.from_iterable(map(_pairs, cells))))


def parts_in(stored: Stored, cell: Any) -> list[tuple[Stored, Any]]:
    """Return what is in one cell, each with its type: keys and values in turn.

    Raises `ValueError` or `TypeError` for a cell that is not of its type.

    >>> from savegen.runtime.stored import parse
    >>> parts_in(parse("dict<str, optional<int>>"), {"a": None})
    [(Stored('str'), 'a'), (Stored('optional<int>'), None)]
    """
    name, parts = stored.name, stored.inner
    if name == "codec":
        return [(parts[0], cell)]
    if name == "optional":
        is_none = cell is None or (not cell and parts[0].name == "ref")
        return [] if is_none else [(parts[0], cell)]
    if name == "union":
        return [(parts[cell[0]], cell[cell[0] + 1])]
    if name == "fixed":
        return [*zip(parts, cell, strict=True)]
    if name in RECORDS:
        return [(field.type, each) for field, each in fields_in(stored, cell)]
    if name in MAPPINGS:
        types = (*parts, _INT)[:2]
        pairs = (zip(types, pair, strict=True) for pair in _pairs(cell))
        return [*chain.from_iterable(pairs)]
    return [(parts[0], each) for each in (cell[1] if name == "deque" else cell)]


def fields_in(stored: Stored, cell: Any) -> Iterator[tuple[Field, Any]]:
    """Yield the fields of a value or a record that are not absent, and their cells."""
    for field, each in zip(stored.inner_fields, _places(cell), strict=True):
        for there in each if field.may_be_absent else (each,):
            yield field, there


def _places(cell: Any) -> tuple[Any, ...]:
    """Return the cells of a value, which is a row if it is part of itself."""
    return astuple(cell) if isinstance(cell, Row) else cell


def _pairs(cell: Any) -> Iterable[tuple[Any, Any]]:
    return cell.items() if type(cell) is dict else cell


def _absences(stored: Stored) -> list[bool]:
    """Return which parts stand in an array of their own, because they may be absent."""
    if stored.name == "fixed":
        return [False] * len(stored.parts)
    return [field.may_be_absent for field in stored.fields]


def remap(stored: Stored, cell: Any, keys: Mapping[Key, Key]) -> Any:
    """Return a cell with other keys; a key that is not in `keys` stays as it is.

    >>> from savegen.runtime.stored import parse
    >>> remap(parse("set<ref<7>>"), [1, 2], {1: 9})
    [2, 9]
    """
    if not has_keys(stored):
        return cell
    return _Rewriter(lambda key: keys.get(key, key)).cell(stored, cell)


def without(stored: Stored, cell: Any, dead: Container[Key]) -> Any:
    """Return a cell without the keys of objects that are gone.

    A container whose members cannot be `None` loses such a member; elsewhere the key becomes 0.

    >>> from savegen.runtime.stored import parse
    >>> without(parse("list<ref<7>>"), [1, 2], {1}), without(parse("(ref<7>)"), (1,), {1})
    ([2], (0,))
    """
    if not has_keys(stored):
        return cell
    return _Rewriter(lambda key: GONE if key in dead else key).cell(stored, cell)


GONE: Any = object()
"""Stands for the key of an object that is gone; a member of a container leaves it."""


class _Rewriter:
    """Makes cells with changed keys."""

    def __init__(self, change: Callable[[Key], Key]) -> None:
        """`change` may return `GONE`."""
        self._change = change

    def cell(self, stored: Stored, cell: Any, is_member: bool = False) -> Any:
        """Return a changed cell; `GONE` for a member of a container that should leave it."""
        name = stored.name
        if name == "ref":
            return self._member(cell) if is_member else self._key(cell)
        if name == "weak":
            return self._key(cell)
        if name == "any":
            return tagged.replace_keys(cell, self._key)
        if not has_keys(stored):
            return cell
        if name == "optional":
            return self._optional(stored.parts[0], cell)
        if name == "union":
            return self._union(stored, cell, is_member)
        if name == "codec":
            return self.cell(stored.parts[0], cell)
        if name == "fixed" or name in RECORDS:
            return self._record(stored, cell)
        return self._container(stored, cell)

    def _member(self, key: Key) -> Key:
        return self._change(key) if key else key

    def _key(self, key: Key) -> Key:
        found = self._member(key)
        return 0 if found is GONE else found

    def _optional(self, part: Stored, cell: Any) -> Any:
        if part.name == "ref":
            return self._key(cell)
        found = None if cell is None else self.cell(part, cell, True)
        return None if found is GONE else found

    def _union(self, stored: Stored, cell: Any, is_member: bool) -> Any:
        index, *cells = cell
        made = self.cell(stored.parts[index], cells[index], is_member)
        if made is GONE:
            return GONE
        cells[index] = made
        return type(cell)([index, *cells])

    def _record(self, stored: Stored, cell: Any) -> Any:
        made = [
            (
                type(each)(self.cell(part, inner) for inner in each)
                if is_optional
                else self.cell(part, each)
            )
            for part, is_optional, each in zip(
                stored.inner, _absences(stored), _places(cell)
            )
        ]
        return type(cell)(*made) if isinstance(cell, Row) else type(cell)(made)

    def _container(self, stored: Stored, cell: Any) -> Any:
        name, parts = stored.name, stored.parts
        if name == "deque":
            limit, members = cell
            return type(cell)((limit, self._members(parts[0], members)))
        if name in ARRAYS:
            made = self._members(parts[0], cell)
            is_set = name in ("set", "frozenset")
            return type(cell)(ordered(made) if is_set else made)
        key, value = (*parts, _INT)[:2]
        made = [
            (self.cell(key, k, True), self.cell(value, v, True))
            for k, v in _pairs(cell)
        ]
        pairs = [pair for pair in made if pair[0] is not GONE is not pair[1]]
        return dict(pairs) if type(cell) is dict else pairs

    def _members(self, part: Stored, cells: Iterable[Any]) -> list[Any]:
        made = (self.cell(part, each, True) for each in cells)
        return [each for each in made if each is not GONE]


_INT = Stored("int")  # what a `Counter` counts with
