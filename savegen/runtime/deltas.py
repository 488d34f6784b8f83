"""Deltas: the changes that turn one snapshot into another, how to compute and to apply them.

`History` keeps deltas in memory, and an autosave appends them to a journal.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import chain, compress, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from savegen.runtime.checks import differ
from savegen.runtime.entries import ClassEntry
from savegen.runtime.rows import Key, Row
from savegen.runtime.keys import in_key_order
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table

MAPPINGS = ("placements", "generators", "states", "tombstones")
"""The attributes of a snapshot, besides its tables, that are mappings."""


class Delta(NamedTuple):
    """The changes that turn one snapshot into another."""

    tables: dict[int, TableDelta]  # by class number
    mappings: dict[str, dict[Any, Any]]  # by attribute of the snapshot
    slots: tuple[_NumbersDelta, _NumbersDelta] | None  # `None` if unchanged
    remainder: Snapshot  # the target snapshot without its tables, mappings and slots


def delta_between(source: Snapshot, target: Snapshot) -> Delta:
    """Return the changes that turn the snapshot `source` into `target`."""
    tables: dict[int, TableDelta] = {}
    for number in target.tables.keys() | source.tables:
        present_in = target if number in target.tables else source
        empty = Table(present_in.tables[number].entry)
        delta = _table_delta(
            source.tables.get(number, empty), target.tables.get(number, empty)
        )
        if delta is not None:
            tables[number] = delta
    mappings = {n: _diff(getattr(source, n), getattr(target, n)) for n in MAPPINGS}
    slots = None
    if target.slots != source.slots:
        generations, free = map(_numbers_delta, source.slots, target.slots)
        slots = generations, free
    empty_mappings: dict[str, Any] = dict.fromkeys(MAPPINGS, {})
    remainder = replace(
        target, tables={}, slots=SlotState((), ()), _digest=None, **empty_mappings
    )
    changed_mappings = {n: changes for n, changes in mappings.items() if changes}
    return Delta(tables, changed_mappings, slots, remainder)


def apply_delta(delta: Delta, source: Snapshot) -> Snapshot:
    """Return the snapshot that results from applying a delta to `source`."""
    tables = {**source.tables}
    for number, table_delta in delta.tables.items():
        source_table = tables.pop(number, Table(table_delta.entry))
        table = _apply_to_table(table_delta, source_table)
        if table.keys:
            tables[number] = table
    slots = source.slots
    if delta.slots is not None:
        slots = SlotState(*map(_apply_to_numbers, delta.slots, slots))
    mappings: dict[str, Any] = {
        name: _apply_diff(delta.mappings.get(name, {}), getattr(source, name))
        for name in MAPPINGS
    }
    ordered = dict(sorted(tables.items()))
    return replace(delta.remainder, tables=ordered, slots=slots, **mappings)


# -- the table of one class


class TableDelta(NamedTuple):
    """The changes that turn one table of a class into another."""

    entry: ClassEntry
    # Rows to add, and `UNSET` for rows to remove.
    rows: dict[Key, Row | UnsetType]
    # By cell name, positions in the target table and the values there.
    cells: dict[str, tuple[array[int], tuple[Any, ...]]]
    mismatches: dict[Key, Any]
    recordings: dict[Key, Any]

    def changed_places(self) -> set[int]:
        """Return the positions of the rows that exist in both tables and differ."""
        return {*chain.from_iterable(places for places, _ in self.cells.values())}

    def places(self, target: Table) -> list[int]:
        """Return the positions of new and changed rows in `target`, the resulting table."""
        places = self.changed_places()
        keys = {*self.rows, *self.mismatches, *self.recordings}
        if keys:
            places.update(n for n, key in enumerate(target.keys) if key in keys)
        return sorted(places)


def _table_delta(source: Table, target: Table) -> TableDelta | None:
    if target is source:
        return None
    rows: dict[Key, Any] = {}
    source_rows: Sequence[Row | None] = source.rows
    if target.keys != source.keys:
        row_of, target_keys = dict(zip(source.keys, source.rows)), {*target.keys}
        source_rows = [*map(row_of.get, target.keys)]
        rows = {key: UNSET for key in row_of if key not in target_keys}
        rows |= {k: row for k, row in zip(target.keys, target.rows) if k not in row_of}
    pairs = enumerate(zip(target.rows, source_rows))
    places = [n for n, (a, b) in pairs if a is not b and b is not None and differ(a, b)]
    delta = TableDelta(
        target.entry,
        rows,
        _changed_cells(source_rows, target.rows, places),
        _diff(_by_key(source, source.mismatches), _by_key(target, target.mismatches)),
        _diff(_by_key(source, source.recordings), _by_key(target, target.recordings)),
    )
    return delta if any(delta[1:]) else None


def _changed_cells(
    source_rows: Sequence[Any], rows: Sequence[Any], places: Sequence[int]
) -> dict[str, tuple[array[int], tuple[Any, ...]]]:
    """Return the positions and new values of the cells that differ, by cell name."""
    changed = {}
    rows, source_rows = [rows[n] for n in places], [source_rows[n] for n in places]
    for cell in rows[0].__struct_fields__ if rows else ():
        get = attrgetter(cell)
        pairs = zip(map(get, rows), map(get, source_rows))
        flags = [a is not b and differ(a, b) for a, b in pairs]
        if True in flags:
            values = tuple(compress(map(get, rows), flags))
            changed[cell] = array("I", compress(places, flags)), values
    return changed


def _apply_to_table(delta: TableDelta, source: Table) -> Table:
    keys, rows = source.keys, [*source.rows]
    if delta.rows:
        row_of = _apply_diff(delta.rows, dict(zip(keys, rows)))
        keys = in_key_order(row_of)
        rows = [row_of[key] for key in keys]
    for place in delta.changed_places():
        rows[place] = copy(rows[place])
    for cell, (places, values) in delta.cells.items():
        for place, value in zip(places, values):
            setattr(rows[place], cell, value)
    table = Table(delta.entry, keys, rows)
    table.mismatches = _apply_by_key(table, source, source.mismatches, delta.mismatches)
    table.recordings = _apply_by_key(table, source, source.recordings, delta.recordings)
    return table


def _by_key(table: Table, by_place: Mapping[int, Any]) -> dict[Key, Any]:
    return {table.keys[place]: value for place, value in by_place.items()}


def _apply_by_key(
    table: Table, source: Table, by_place: Mapping[int, Any], delta: Mapping[Key, Any]
) -> dict[int, Any]:
    """Return the mismatches or recordings of the resulting table, by position."""
    by_key = _apply_diff(delta, _by_key(source, by_place))
    if not by_key:
        return {}
    return {place: by_key[key] for place, key in enumerate(table.keys) if key in by_key}


# -- mappings, and sequences of numbers


def _diff(source: Mapping[Any, Any], target: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the changes that turn `source` into `target`: `UNSET` for keys to remove.

    >>> _diff({"b": 2, "c": 3}, {"a": 1, "b": 2})
    {'a': 1, 'c': UNSET}
    """
    changed = {
        key: value
        for key, value in target.items()
        if value is not (other := source.get(key, UNSET)) and differ(value, other)
    }
    return changed | {key: UNSET for key in source if key not in target}


def _apply_diff(delta: Mapping[Any, Any], source: Mapping[Any, Any]) -> dict[Any, Any]:
    return {k: value for k, value in {**source, **delta}.items() if value is not UNSET}


class _NumbersDelta(NamedTuple):
    """The changes that turn one sequence of numbers into another."""

    length: int
    changed: dict[int, int]  # by position


def _numbers_delta(source: Sequence[int], target: Sequence[int]) -> _NumbersDelta:
    """Return the changes that turn the sequence `source` into `target`.

    >>> _numbers_delta([1, 1], [1, 2, 3])
    _NumbersDelta(length=3, changed={1: 2, 2: 3})
    """
    pairs = enumerate(zip_longest(target, source[: len(target)]))
    return _NumbersDelta(len(target), {n: a for n, (a, b) in pairs if a != b})


def _apply_to_numbers(delta: _NumbersDelta, source: Sequence[int]) -> tuple[int, ...]:
    numbers = [*source[: delta.length]]
    numbers += [0] * (delta.length - len(numbers))
    for place, number in delta.changed.items():
        numbers[place] = number
    return tuple(numbers)
