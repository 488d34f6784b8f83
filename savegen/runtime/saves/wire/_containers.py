"""Containers: of one type, with members of any kind."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import is_
from typing import Any

from savegen.runtime.checks import Items, Places
from savegen.runtime.copying import Unhashed
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    LOST,
    has_lost,
    Column,
    Names,
    Reader,
    Readings,
    Things,
    Unfit,
    Wire,
)
from savegen.runtime.saves.wire._container_nodes import (
    DequeNode,
    ListNode,
    MaybeNode,
    PlacesNode,
    SetNode,
    TupleNode,
    all_in_order,
    flat,
    parted,
)
from savegen.runtime.saves.wire._leaves import ScalarWire
from savegen.runtime.saves.wire._node import DEPTH, Node
from savegen.runtime.saves.wire._record_nodes import RecordNode
from savegen.runtime.saves.wire._scalars import NO_TYPES

_SETS = (set, frozenset)
_KEPT = (list, tuple)  # may be written as they are


class ItemsWire(Wire):
    """A container whose members are all alike."""

    check: Items

    @property
    def _item(self) -> Wire:
        return self.wires.of(self.check.item)

    @property
    def _is_set(self) -> bool:
        return self.check.cls in _SETS

    def _formed(self) -> Form:
        return [self.check.cls.__name__, self._item.form]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not {*map(type, values)} <= {self.check.cls}:
            if not all(map(self.check.fits, values)):
                raise self.refuse(values)
        if self.check.cls in _KEPT and is_as_it_is(self._item, values):
            return values
        members = flat(values)
        try:
            made = self._item.pack(members, names, depth)
        except Unfit as error:
            place, index = where(values, error.place)
            raise error.within(
                place, f"[{index}]" if self.check.is_ordered else "{}"
            ) from None
        if self._is_set:
            sets = values if made is members else parted(made, values)
            return all_in_order(sets, made)
        if self.check.cls is deque:
            lists = parted(made, values)
            return [[each.maxlen, made] for each, made in zip(values, lists)]
        return values if made is members else [*parted(made, values)]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if isinstance(node, DequeNode) and not self._is_set:
            inner = self._of_lists(node.items.parts[0], readings)
            return self._of_deques(inner)
        is_set = isinstance(node, SetNode)
        if (
            not isinstance(node, ListNode)
            or isinstance(node, MaybeNode)
            or is_set != self._is_set
        ):
            return None
        decoded = tuple if isinstance(node, TupleNode) else list
        return self._of_lists(node.parts[0], readings, self.check.cls is decoded)

    def _of_lists(
        self, part: Node, readings: Readings, is_as_decoded: bool = False
    ) -> Reader:
        item = readings.of(self._item, part)
        cls, make = self.check.cls, self._making

        def read(values: Column, things: Things) -> Column:
            members = flat(values)
            made = item.read(members, things)
            if made is members and {*map(type, values)} <= {cls}:
                return values
            lists = values if made is members else [*parted(made, values)]
            if item.gives_lost and things.may_be_lost and has_lost(made):
                lists = [*map(_kept, lists)]
            return (
                lists
                if cls is list is type(next(iter(lists), []))
                else [*map(make, lists)]
            )

        passes_exact = is_as_decoded and item.passes_exact
        return Reader(read, item.loses, passes_exact=passes_exact)

    @property
    def _making(self) -> Callable[[Any], Any]:
        cls: Any = self.check.cls
        if self._is_set and self.check.item.refers:
            return lambda members: Unhashed(cls, members)
        return cls  # type: ignore[no-any-return]

    def _of_deques(self, inner: Reader) -> Reader:
        is_deque = self.check.cls is deque

        def read(values: Column, things: Things) -> Column:
            made = inner.read([value[1] for value in values], things)
            if not is_deque:
                return made
            limits = [value[0] for value in values]
            return [deque(each, limit) for each, limit in zip(made, limits)]

        return Reader(read, inner.loses)


def _kept(members: Iterable[Any]) -> list[Any]:
    return [each for each in members if each is not LOST]


def where(values: Iterable[Any], flat_place: int) -> tuple[int, int]:
    """Return where a flat place is: in which value, and the index there."""
    ends = [*accumulate(map(len, values))]
    place = bisect_right(ends, flat_place)
    return place, flat_place - (ends[place - 1] if place else 0)


class PlacesWire(Wire):
    """A tuple of a fixed length."""

    check: Places

    @property
    def _parts(self) -> list[Wire]:
        return [*map(self.wires.of, self.check.places)]

    def _formed(self) -> Form:
        return ["places", *(part.form for part in self._parts)]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        width = len(self.check.places)
        if not ({*map(type, values)} <= {tuple} and {*map(len, values)} <= {width}):
            raise self.refuse(values)
        if not (values and width):
            return values
        if len({*map(id, self._parts)}) == 1 and is_as_it_is(self._parts[0], values):
            return values
        columns = [*zip(*values)]
        steps = [f"[{index}]" for index in range(len(columns))]
        made = packed_columns([*columns], self._parts, steps, names, depth)
        return values if all(map(is_, made, columns)) else [*zip(*made)]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, PlacesNode) or isinstance(node, RecordNode):
            return None
        parts = self._parts
        if len(node.parts) != len(parts):
            return None
        readers = [readings.of(wire, part) for wire, part in zip(parts, node.parts)]
        return reader_of_rows(readers, tuple)


def is_as_it_is(wire: Wire, rows: Column) -> bool:
    """Tell whether rows are just what is written, if all their places are of one wire."""
    return type(wire) is ScalarWire and wire.takes(rows)


def packed_columns(
    columns: list[Column],
    wires: list[Wire],
    steps: Sequence[str],
    names: Names,
    depth: int,
) -> list[Column]:
    """Return columns as they are written, each packed by its wire."""
    made = []
    for wire, step, column in zip(wires, steps, columns, strict=True):
        try:
            made.append(wire.pack(column, names, depth))
        except Unfit as error:
            raise error.within(error.place, step) from None
    return made


def reader_of_rows(readers: list[Reader], make: Callable[[Any], Any]) -> Reader:
    """Return what reads rows with a reader for each column, and makes something of each."""
    odd = _odd(readers)
    loses = any(reader.loses for reader in readers)

    def read(values: Column, things: Things) -> Column:
        if not values:
            return values
        if odd is not None and odd.isdisjoint(map(type, chain.from_iterable(values))):
            if make is tuple and {*map(type, values)} == {tuple}:
                return values
            return [*map(make, values)]
        columns = zip(readers, zip(*values), strict=True)
        made = zip(*(reader.without_lost(column, things) for reader, column in columns))
        return [*made] if make is tuple else [*map(make, made)]

    if not readers:
        return Reader(lambda values, things: [make(()) for _ in values])
    passes_exact = make is tuple and all(reader.passes_exact for reader in readers)
    return Reader(read, loses, passes_exact=passes_exact)


def _odd(readers: list[Reader]) -> frozenset[type] | None:
    """Return the types without which all values of all columns are the values themselves."""
    found = {reader.odd for reader in readers}
    if None in found:
        return None
    some = found - {NO_TYPES}
    return some.pop() if len(some) == 1 else (None if some else NO_TYPES)
