"""Values of the game's own classes: enumerations, records, and dicts with known keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import repeat
from operator import attrgetter, is_
from typing import Any

from savegen.runtime.checks import Check, Keys, UserType
from savegen.runtime.copying import default_of
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._base import (
    Column,
    Names,
    NoConversion,
    Reader,
    Readings,
    Things,
    Unfit,
    Wire,
)
from savegen.runtime.saves.wire._containers import (
    is_as_it_is,
    packed_columns,
    reader_of_rows,
)
from savegen.runtime.saves.wire._enums import full_name
from savegen.runtime.saves.wire._making import maker
from savegen.runtime.saves.wire._node import DEPTH, Node, go_deeper
from savegen.runtime.saves.wire._record_nodes import KeysNode, RecordNode, order_of


class FieldsWire(Wire):
    """Something with named fields, each of a check of its own."""

    check: UserType | Keys

    @cached_property
    def _fields(self) -> dict[str, Wire]:
        checks = self.check.fields.items()
        return {name: self.wires.of(check) for name, check in checks}

    @cached_property
    def _is_recursive(self) -> bool:
        return is_recursive(self.check)

    def _names(self, saved: Sequence[str]) -> list[str]:
        """Return today's names of saved fields; where a save has both, its own counts."""
        former = self.check.former
        names = [former.get(n, n) if n not in self._fields else n for n in saved]
        return [
            old if new != old and (new in saved or names.count(new) > 1) else new
            for old, new in zip(saved, names, strict=True)
        ]


class RecordWire(FieldsWire):
    """Plain data that is known by its fields."""

    check: UserType

    def _formed(self) -> Form:
        return self.wires.named(
            "record", self.check, full_name(self.check), self._shape
        )

    def _shape(self) -> list[tuple[str, Form]]:
        return [(name, wire.form) for name, wire in self._fields.items()]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not values:
            return values
        types = {*map(type, values)}
        if not all(map(self.check.fits, values if len(types) > 1 else values[:1])):
            raise self.refuse(values)
        if self._is_recursive:
            depth = go_deeper(depth)
        fields = self._fields
        is_tuple = all(issubclass(cls, tuple) for cls in types)
        if is_tuple and len({*map(id, fields.values())}) == 1:
            if is_as_it_is(next(iter(fields.values())), values):
                return values
        columns = self._columns(values)
        steps = [f".{name}" for name in fields]
        made = packed_columns(columns, [*fields.values()], steps, names, depth)
        if is_tuple and all(map(is_, made, columns)):
            return values
        return [*zip(*made)] if made else [()] * len(values)

    def _columns(self, values: Column) -> list[Column]:
        try:
            return [[*map(attrgetter(name), values)] for name in self._fields]
        except AttributeError:
            raise self.refuse(values) from None

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, RecordNode) or isinstance(node, KeysNode):
            return None
        cls, names = self.check.game_class(), self._names(node.names)
        saved = dict(zip(names, node.parts))
        readers = {
            name: part_reader(readings, wire, saved[name], self.check, name)
            for name, wire in self._fields.items()
            if name in saved
        }
        new = {name: _default(cls, name) for name in self._fields if name not in saved}
        lost = saved.keys() - readers.keys()
        make = maker(cls, [*self._fields])
        if [*readers] == names and not new and issubclass(cls, tuple):
            return reader_of_rows([*readers.values()], partial(tuple.__new__, cls))

        def read(values: Column, things: Things) -> Column:
            if not values:  # the end of what leads back to itself
                return []
            found = dict(zip(names, zip(*values)))
            columns: list[Iterable[Any]] = [
                (
                    readers[name].without_lost(found[name], things)
                    if name in readers
                    else [new[name]() for _ in values]
                )
                for name in self._fields
            ]
            return make(columns, len(values))

        return Reader(read, bool(lost) or any(r.loses for r in readers.values()))


def part_reader(
    readings: Readings, wire: Wire, node: Node, owner: Check, name: str
) -> Reader:
    """Return what reads a part of a value. Raises `NoConversion` that names the part."""
    try:
        return readings.of(wire, node)
    except NoConversion as error:
        raise NoConversion(f"of `{owner.wanted}.{name}` {error.said}") from None


def _default(cls: Any, name: str) -> Callable[[], Any]:
    found = default_of(cls, name)
    if found is None:
        raise NoConversion(
            f"`{cls.__qualname__}` has a new field `{name}` without a default"
        )
    return found


def is_recursive(check: Check) -> bool:
    """Tell whether a value can have another one of its check inside."""
    seen: set[int] = set()
    waiting = [*check.checks()]
    while waiting:
        inner = waiting.pop()
        if inner is check:
            return True
        if id(inner) not in seen:
            seen.add(id(inner))
            waiting += inner.checks()
    return False


# -- dicts with known keys


class KeysWire(FieldsWire):
    """A `TypedDict`."""

    check: Keys

    def _formed(self) -> Form:
        return self.wires.named("keys", self.check, self.check.wanted, self._shape)

    def _shape(self) -> list[tuple[str, Form]]:
        return [
            (name, wire.form if name in self.check.required else ["maybe", wire.form])
            for name, wire in self._fields.items()
        ]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not values:
            return values
        required, fields = self.check.required.keys(), self._fields
        for value in values:
            if type(value) is not dict or not required <= value.keys() <= fields.keys():
                raise self.refuse(values)
        if self._is_recursive:
            depth = go_deeper(depth)
        columns = [
            self._column(name, wire, values, names, depth)
            for name, wire in fields.items()
        ]
        order = [*fields]
        return [
            [order_of(value, order), *row]
            for value, row in zip(values, zip(*columns) if columns else repeat(()))
        ]

    def _column(
        self, name: str, wire: Wire, values: Column, names: Names, depth: int
    ) -> Column:
        places = [place for place, value in enumerate(values) if name in value]
        try:
            made = wire.pack([values[place][name] for place in places], names, depth)
        except Unfit as error:
            raise Unfit(places[error.place], error.fault.below(f"[{name!r}]")) from None
        if name in self.check.required:
            return made
        found: list[list[Any]] = [[] for _ in values]
        for place, each in zip(places, made, strict=True):
            found[place].append(each)
        return found

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, KeysNode):
            return None
        names = self._names(node.names)
        saved = dict(zip(names, node.parts))
        for name in self.check.required:
            if name not in saved or node.is_maybe(names.index(name)):
                raise NoConversion(f"`{self.check.wanted}` needs a key {name!r}")
        readers = {
            name: part_reader(
                readings,
                self._fields[name],
                part.parts[0] if node.is_maybe(n) else part,
                self.check,
                name,
            )
            for n, (name, part) in enumerate(saved.items())
            if name in self._fields
        }

        def read(values: Column, things: Things) -> Column:
            if not values:
                return []
            made: list[dict[str, Any]] = [{} for _ in values]
            cells = {
                name: self._cells(node, n, values, readers.get(name), things)
                for n, name in enumerate(names)
            }
            for place, value in enumerate(values):
                for n in range(len(node.names)) if value[0] is None else value[0]:
                    name = names[n]
                    if place in cells[name]:
                        made[place][name] = cells[name][place]
            return made

        lost = saved.keys() - readers.keys()
        return Reader(read, bool(lost) or any(r.loses for r in readers.values()))

    def _cells(
        self,
        node: KeysNode,
        number: int,
        values: Column,
        reader: Reader | None,
        things: Things,
    ) -> dict[int, Any]:
        """Return the values of a key, by the place of the dict that has it."""
        if reader is None:
            return {}
        column = [value[number + 1] for value in values]
        if not node.is_maybe(number):
            return dict(enumerate(reader.without_lost(column, things)))
        places = [place for place, cell in enumerate(column) if cell]
        made = reader.without_lost([column[place][0] for place in places], things)
        return dict(zip(places, made, strict=True))
