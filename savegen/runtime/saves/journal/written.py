"""A world as it was written last: what the next record is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, NamedTuple

import msgspec

from savegen.runtime import snapshot as snapshots
from savegen.runtime.saves.container import layout
from savegen.runtime.saves.journal import delta
from savegen.runtime.saves.document import Column, Document, Form, Table
from savegen.runtime.saves.world.order import Numbered
from savegen.runtime.saves.world.pack import Packing, Pieces
from savegen.runtime.saves.world.surroundings import slot_map, states_table, tombstones
from savegen.runtime.snapshot import Snapshot

Numbers = dict[int, int | None]  # of objects, by identity

_encode = msgspec.msgpack.Encoder().encode


class Renumbered(Packing):
    """A snapshot on its way, in which objects have the numbers that they had before."""

    def __init__(self, snapshot: Snapshot, before: Written | None) -> None:
        super().__init__(snapshot)
        self.groups = {group.number: group for group in self._order.classes}
        self._before = before
        self.slot_map: list[Table] = []
        if before is None:
            self.next_number = len(self._order.numbers) - 1  # `None` has none
        else:
            self.next_number = before.next_number
            self._order.renumber(self._numbered(before))

    def _numbered(self, before: Written) -> Numbers:
        now, then = self.groups, before.groups
        if now.keys() == then.keys():
            if all(are_same(then[n].objects, now[n].objects) for n in now):
                return before.numbers
        tokens = [*self._order.numbers]
        known = before.numbers
        numbers: Numbers = dict(zip(tokens, map(known.get, tokens), strict=True))
        for token in tokens:
            if numbers[token] is None and token != id(None):
                numbers[token] = self.next_number
                self.next_number += 1
        return numbers

    def _surroundings(self) -> list[Table]:
        snapshot, before = self._snapshot, self._before
        if before is None or not self._has_slots_of(before):
            tables = slot_map(snapshot, self._attic, self._order)
        else:
            tables = before.slot_map
        self.slot_map = tables
        states = states_table(
            snapshot, self._attic, self._order, self._wires.dynamic, self
        )
        return [*tables, tombstones(snapshot), states]

    def _has_slots_of(self, before: Written) -> bool:
        """Tell whether the same objects are in the same slots."""
        old, new = before.snapshot, self._snapshot
        is_alone = not self._attic.records and before.numbers is self.numbers
        same_records = is_alone and are_same(old.records, new.records)
        return same_records and old.indices == new.indices

    def told_before(self, table: Table) -> Plain | Rows | Seal | None:
        """Return what a table was that is the very same as before."""
        before = self._before
        if before is None or self.slot_map is not before.slot_map:
            return None
        return before.tables.get(table.number)

    @property
    def numbers(self) -> Numbers:
        return self._order.numbers

    def keys(self, group: Numbered) -> list[Any]:
        return [*map(self.numbers.__getitem__, map(id, group.objects))]

    def is_plain(self, table: Table) -> bool:
        """Tell whether what a class holds says itself whether it has changed."""
        if table.number not in self._known or not isinstance(table.pieces, Pieces):
            return False
        fields = [field.column for field in self._known[table.number]]
        fields.sort(key=lambda column: column.number)
        return fields == table.columns and not any(_is_open(f.form) for f in fields)

    def cells(self, group: Numbered, places: Sequence[int]) -> list[Sequence[Any]]:
        """Return the values of some rows, column by column, in the order of their numbers."""
        assert group.table is not None and group.table.rows is not None
        rows, width = group.table.rows, group.table.width
        owner = type(group.objects[0]).__qualname__
        cells = {
            field.column.number: self._packed(
                owner, field, [rows[place * width + at] for place in places]
            )
            for at, field in enumerate(self._known[group.number])
        }
        return [cells[number] for number in sorted(cells)]


def _is_open(form: Form) -> bool:
    """Tell whether there are values in it that may be written otherwise and be the same."""
    if not isinstance(form, list):
        return form == "any"
    return form[:1] == ["foreign"] or any(map(_is_open, form))


class Plain(NamedTuple):
    """A class that is compared in memory."""

    columns: list[Column]
    table: snapshots.Table


class Rows(NamedTuple):
    """A table whose rows say themselves which ones they are."""

    columns: list[Column]
    values: list[list[Any]]


class Seal(NamedTuple):
    """Of all others: what they were, as a digest."""

    columns: list[Column]
    digest: bytes


class Written:
    """A world as it was written."""

    def __init__(
        self, snapshot: Snapshot, packing: Renumbered, document: Document
    ) -> None:
        self.snapshot = snapshot  # holds the objects: their identity stays theirs
        self.numbers = packing.numbers
        self.next_number = packing.next_number
        self.about = (document.save_version, document.dangling)
        self.shapes = document.shapes
        self.groups = packing.groups
        self.slot_map = packing.slot_map
        self.tables: dict[int, Plain | Rows | Seal] = {}
        for table in document.tables:
            self.tables[table.number] = self._told(table, packing)

    def _told(self, table: Table, packing: Renumbered) -> Plain | Rows | Seal:
        if table.number in delta.KEYED:
            before = packing.told_before(table)
            return before or Rows(table.columns, table.all_values())
        if packing.is_plain(table):
            held = packing.groups[table.number].table
            assert held is not None
            return Plain(table.columns, held)
        table.pieces = [*table.pieces]
        keys: list[Any] = []
        if table.is_of_class:
            keys = packing.keys(packing.groups[table.number])
        return Seal(table.columns, layout.digest(_encode([keys, table.pieces])))


def are_same(old: list[Any], new: list[Any]) -> bool:
    return len(old) == len(new) and all(map(is_, old, new))
