"""Lists, tuples, sets and deques."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate, chain, count
from operator import is_not
from typing import Any

from savegen.runtime.values.checks import ordered
from savegen.runtime.values.kinds.kind import (
    ARRAY_TYPES,
    KINDS,
    REMOVED,
    Change,
    Column,
    Composite,
    IsLost,
    NameOf,
    Owners,
    Packing,
    Typed,
    enter,
    have_types,
    is_array,
)
from savegen.runtime.values.kinds.choices import is_any, type_of, typed, unified
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType, has_keys

_MAX_FIXED = 8  # members of a tuple that has a type for each of them


class Items(Composite):
    """A list, or a tuple of any length."""

    blank: Any = []
    is_container = is_flat = has_content = is_factory = True

    def __init__(self, cls: type, template: str) -> None:
        self.cls, self._template = cls, template
        self.is_mutable = self.may_be_shared = cls not in (tuple, frozenset)

    def filler(self, stored: StoredType) -> Any:
        return []

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        return have_types(ARRAY_TYPES, column)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return is_array(cell)

    def members(self, cell: Any) -> Any:
        return cell

    def members_of_all(self, column: Column) -> Column:
        return column

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        members = self.members_of_all(column)
        cells = [*chain.from_iterable(members)]
        yield stored.parts[0], cells, partial(owners, members)

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        part = stored.parts[0]
        return [(part, member) for member in self.members(cell)]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return type(cell)([part for part in parts if part is not REMOVED])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not self.cls:
            raise Misfit(value)
        part, cells = stored.parts[0], list[Any]()
        token = packing.enter(value, stored)
        pack = KINDS[part.name].pack
        try:
            for member in value:
                cells.append(pack(part, member, packing))
        except Misfit as misfit:
            raise misfit.inside(self.step(len(cells)))
        finally:
            packing.leave(token)
        return self.cell_of(value, cells)

    def typed(self, value: Any, packing: Packing) -> Typed:
        members = typed_members(value, packing)
        part, cells = unified(members)
        if self.cls is tuple and part.name == "any" and len(cells) <= _MAX_FIXED:
            if cells and not any(is_any(each) for each, _ in members):
                types, cells = zip(*members)  # type: ignore[assignment]
                return type_of("fixed", *types), cells
        return type_of(self.name, part), self.cell_of(value, cells)

    def cell_of(self, value: Any, cells: list[Any]) -> Any:
        """Return the cell of a value whose members have these cells."""
        return tuple(cells) if self.cls is tuple else cells

    def step(self, place: int) -> str:
        return f"[{place}]"

    def steps(self, stored: StoredType, cell: Any) -> Iterable[str]:
        return map(self.step, count())

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        return self.cls(values)

    def values(self, stored: StoredType, cell: Any, references: Any) -> list[Any]:
        part = stored.parts[0]
        unpack = KINDS[part.name].unpack
        return [unpack(part, each, references) for each in self.members(cell)]

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        part = stored.parts[0]
        texts = [KINDS[part.name].text(part, m, name_of) for m in self.members(cell)]
        comma = "," * (self.cls is tuple and len(texts) == 1)
        return self._template.format(", ".join(texts) + comma)

    def held(self, value: Any) -> list[Any]:
        return [*self.cls.__iter__(value)]

    def refilled(self, value: Any, change: Change, is_lost: IsLost) -> Any:
        old = self.held(value)
        members = [*map(change, old)]
        if not any(map(is_not, members, old)):
            return value
        if self.cls is tuple:
            return tuple.__new__(type(value), members)
        for place, member in enumerate(members):
            self.cls.__setitem__(value, place, member)
        return value

    def content(self, value: Any) -> Any:
        return self.cls(self.held(value))

    def made(self, cls: Any, content: Any) -> Any:
        if self.cls is tuple:
            return tuple.__new__(cls, content)
        made = list.__new__(cls)
        list.extend(made, content)
        return made


class Set(Items):
    """A set or a frozenset: its members in the order of their cells."""

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return type(cell)(ordered(part for part in parts if part is not REMOVED))

    def cell_of(self, value: Any, cells: list[Any]) -> Any:
        return ordered(cells)

    def step(self, place: int) -> str:
        return "{}"

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        if self.cls is set and has_keys(stored):
            made = set[Any]()

            def fill() -> None:
                made.update(self.values(stored, cell, references))

            references._when_filled(fill)
            return made
        return super().unpack(stored, cell, references)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return super().text(stored, cell, name_of) if cell else f"{stored.name}()"

    def refilled(self, value: Any, change: Change, is_lost: IsLost) -> Any:
        old = self.held(value)
        members = [*map(change, old)]
        if not (any(map(is_not, members, old)) or is_lost(members)):
            return value
        if self.cls is frozenset:
            return frozenset.__new__(type(value), members)
        set.clear(value)
        set.update(value, members)
        return value

    def made(self, cls: Any, content: Any) -> Any:
        if self.cls is frozenset:
            return frozenset.__new__(cls, content)
        made = set.__new__(cls)
        set.update(made, content)
        return made


class Deque(Items):
    """A deque: its maximum length, and its members."""

    is_flat = False

    def filler(self, stored: StoredType) -> Any:
        return [None, []]

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        return False

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        if not is_array(cell) or len(cell) != 2 or not is_array(cell[1]):
            return False
        limit = cell[0]
        return limit is None or (type(limit) is int and 0 <= limit <= sys.maxsize)

    def members(self, cell: Any) -> Any:
        return cell[1]

    def members_of_all(self, column: Column) -> Column:
        return [cell[1] for cell in column]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        members = [part for part in parts if part is not REMOVED]
        return type(cell)((cell[0], members))

    def cell_of(self, value: Any, cells: list[Any]) -> Any:
        # A migration may give a list.
        return getattr(value, "maxlen", None), cells

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        return deque(values, cell[0])

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        inner = super().text(stored, cell, name_of)
        limit = "" if cell[0] is None else f", maxlen={cell[0]}"
        return f"deque({inner}{limit})"

    def content(self, value: Any) -> Any:
        limit = vars(deque)["maxlen"].__get__(value)
        return deque(self.held(value), limit)

    def made(self, cls: Any, content: Any) -> Any:
        made: Any = deque.__new__(cls)
        deque.__init__(made, content, content.maxlen)
        return made


class Fixed(Composite):
    """A tuple with a type for each member."""

    is_flat, may_be_shared = True, False

    def filler(self, stored: StoredType) -> Any:
        return tuple(KINDS[part.name].filler(part) for part in stored.inner)

    def has_shapes(self, stored: StoredType, column: Column) -> bool:
        return have_types(ARRAY_TYPES, column) and {*map(len, column)} <= {
            len(stored.parts)
        }

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return is_array(cell) and len(cell) == len(stored.parts)

    def columns(
        self, stored: StoredType, column: Column
    ) -> Iterator[tuple[StoredType, Column, Owners]]:
        for part, cells in zip(stored.inner, zip(*column)):
            yield part, cells, iter

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        return [*zip(stored.inner, cell, strict=True)]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return type(cell)(parts)

    def steps(self, stored: StoredType, cell: Any) -> Iterable[str]:
        return map("[{}]".format, count())

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not tuple or len(value) != len(stored.parts):
            raise Misfit(value)
        token, cells = packing.enter(value, stored), list[Any]()
        try:
            for part, member in zip(stored.inner, value):
                cells.append(packing.cell(part, member))
        except Misfit as misfit:
            raise misfit.inside(f"[{len(cells)}]")
        finally:
            packing.leave(token)
        return tuple(cells)

    def of_parts(self, stored: StoredType, cell: Any, values: list[Any]) -> Any:
        return tuple(values)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        texts = self.texts(stored, cell, name_of)
        return f"({', '.join(texts)}{',' * (len(texts) == 1)})"

    def content(self, value: Any) -> Any:
        return tuple(tuple.__iter__(value))

    def made(self, cls: Any, content: Any) -> Any:
        return tuple.__new__(cls, content)


def owners(column: Column, places: list[int]) -> Iterable[int]:
    """Return the positions of the arrays or maps that contain the members at `places`."""
    ends = [*accumulate(map(len, column))]
    return (bisect_right(ends, place) for place in places)


def typed_members(value: Any, packing: Packing) -> list[Typed]:
    token = packing.enter(value)
    try:
        return [typed(member, packing) for member in value]
    finally:
        packing.leave(token)


enter(Items(list, "[{}]"), "list")
enter(Items(tuple, "({})"), "tuple")
enter(Set(set, "{{{}}}"), "set")
enter(Set(frozenset, "frozenset({{{}}})"), "frozenset")
enter(Deque(deque, "[{}]"), "deque")
enter(Fixed(), "fixed")
