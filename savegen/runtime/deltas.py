"""Deltas between snapshots of a world: only the data that differs."""

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
from savegen.runtime.registry import ClassEntry
from savegen.runtime.rows import Key, Row
from savegen.runtime.keys import in_key_order
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table

MAPS = ("placements", "generators", "states", "tombstones")
"""The attributes of a snapshot, besides its tables, that are mappings."""


class Delta(NamedTuple):
    """The changes that turn one snapshot into another."""

    tables: dict[int, TableDelta]  # by class number
    maps: dict[str, dict[Any, Any]]  # by attribute of the snapshot
    slots: tuple[_Numbers, _Numbers] | None  # `None` if unchanged
    rest: Snapshot  # the snapshot without its tables, maps and slots


def delta_to(goal: Snapshot, start: Snapshot) -> Delta:
    """Return the changes that turn the snapshot `start` into `goal`."""
    tables: dict[int, TableDelta] = {}
    for number in goal.tables.keys() | start.tables:
        there, here = goal.tables.get(number), start.tables.get(number)
        some = there or here
        assert some is not None
        empty = Table(some.entry)
        delta = _table_delta(there or empty, here or empty)
        if delta is not None:
            tables[number] = delta
    maps = {n: _difference(getattr(goal, n), getattr(start, n)) for n in MAPS}
    slots = None
    if goal.slots != start.slots:
        first, second = map(_numbers, goal.slots, start.slots)
        slots = first, second
    blank: dict[str, Any] = dict.fromkeys(MAPS, {})
    rest = replace(goal, tables={}, slots=SlotState((), ()), _digest=None, **blank)
    return Delta(tables, {n: each for n, each in maps.items() if each}, slots, rest)


def applied(delta: Delta, start: Snapshot) -> Snapshot:
    """Return the snapshot that results from applying a delta to `start`."""
    tables = {**start.tables}
    for number, each in delta.tables.items():
        table = _table_applied(each, tables.pop(number, Table(each.entry)))
        if table.keys:
            tables[number] = table
    slots = start.slots
    if delta.slots is not None:
        slots = SlotState(*map(_numbers_applied, delta.slots, slots))
    maps: dict[str, Any] = {
        name: _map_applied(delta.maps.get(name, {}), getattr(start, name))
        for name in MAPS
    }
    ordered = dict(sorted(tables.items()))
    return replace(delta.rest, tables=ordered, slots=slots, **maps)


# -- the table of one class


class TableDelta(NamedTuple):
    """The changes that turn one table of a class into another."""

    entry: ClassEntry
    # Rows to add, and `UNSET` for rows to remove.
    rows: dict[Key, Row | UnsetType]
    # By cell name, positions in the new table and the new values there.
    cells: dict[str, tuple[array[int], tuple[Any, ...]]]
    mismatches: dict[Key, Any]
    recordings: dict[Key, Any]

    def changed_places(self) -> set[int]:
        """Return the positions of the rows that exist in both tables and differ."""
        return {*chain.from_iterable(places for places, _ in self.cells.values())}

    def places(self, goal: Table) -> list[int]:
        """Return the positions of new or changed rows in the resulting table, `goal`."""
        found = self.changed_places()
        keys = {*self.rows, *self.mismatches, *self.recordings}
        if keys:
            found.update(n for n, key in enumerate(goal.keys) if key in keys)
        return sorted(found)


def _table_delta(goal: Table, start: Table) -> TableDelta | None:
    if goal is start:
        return None
    rows: dict[Key, Any] = {}
    others: Sequence[Row | None] = start.rows
    if goal.keys != start.keys:
        known, wanted = dict(zip(start.keys, start.rows)), {*goal.keys}
        others = [*map(known.get, goal.keys)]
        rows = {key: UNSET for key in known if key not in wanted}
        rows |= {k: row for k, row in zip(goal.keys, goal.rows) if k not in known}
    pairs = enumerate(zip(goal.rows, others))
    changed = [
        n for n, (a, b) in pairs if a is not b and b is not None and differ(a, b)
    ]
    delta = TableDelta(
        goal.entry,
        rows,
        _changed_cells(goal.rows, others, changed),
        _difference(_by_key(goal, goal.mismatches), _by_key(start, start.mismatches)),
        _difference(_by_key(goal, goal.recordings), _by_key(start, start.recordings)),
    )
    return delta if any(delta[1:]) else None


def _changed_cells(
    rows: Sequence[Any], others: Sequence[Any], places: Sequence[int]
) -> dict[str, tuple[array[int], tuple[Any, ...]]]:
    """Return the positions and new values of the cells that differ, by cell name."""
    found = {}
    rows, others = [rows[n] for n in places], [others[n] for n in places]
    for cell in rows[0].__struct_fields__ if rows else ():
        get = attrgetter(cell)
        pairs = zip(map(get, rows), map(get, others))
        flags = [a is not b and differ(a, b) for a, b in pairs]
        if True in flags:
            values = tuple(compress(map(get, rows), flags))
            found[cell] = array("I", compress(places, flags)), values
    return found


def _table_applied(delta: TableDelta, start: Table) -> Table:
    keys, rows = start.keys, [*start.rows]
    if delta.rows:
        found = _map_applied(delta.rows, dict(zip(keys, rows)))
        keys = in_key_order(found)
        rows = [found[key] for key in keys]
    for place in delta.changed_places():
        rows[place] = copy(rows[place])
    for cell, (places, values) in delta.cells.items():
        for place, value in zip(places, values):
            setattr(rows[place], cell, value)
    table = Table(delta.entry, keys, rows)
    table.mismatches = _beside(table, start, start.mismatches, delta.mismatches)
    table.recordings = _beside(table, start, start.recordings, delta.recordings)
    return table


def _by_key(table: Table, beside: Mapping[int, Any]) -> dict[Key, Any]:
    return {table.keys[place]: each for place, each in beside.items()}


def _beside(
    table: Table, start: Table, known: Mapping[int, Any], delta: Mapping[Key, Any]
) -> dict[int, Any]:
    """Return the mismatches or recordings of a new table, by position."""
    found = _map_applied(delta, _by_key(start, known))
    if not found:
        return {}
    return {place: found[key] for place, key in enumerate(table.keys) if key in found}


# -- maps, and sequences of numbers


def _difference(goal: Mapping[Any, Any], start: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the changes that turn `start` into `goal`: `UNSET` for keys to remove.

    >>> _difference({"a": 1, "b": 2}, {"b": 2, "c": 3})
    {'a': 1, 'c': UNSET}
    """
    found = {
        key: each
        for key, each in goal.items()
        if each is not (other := start.get(key, UNSET)) and differ(each, other)
    }
    return found | {key: UNSET for key in start if key not in goal}


def _map_applied(delta: Mapping[Any, Any], start: Mapping[Any, Any]) -> dict[Any, Any]:
    return {k: each for k, each in {**start, **delta}.items() if each is not UNSET}


class _Numbers(NamedTuple):
    """The changes that turn one sequence of numbers into another."""

    length: int
    changed: dict[int, int]  # by position


def _numbers(goal: Sequence[int], start: Sequence[int]) -> _Numbers:
    """Return the changes that turn the sequence `start` into `goal`.

    >>> _numbers([1, 2, 3], [1, 1])
    _Numbers(length=3, changed={1: 2, 2: 3})
    """
    pairs = enumerate(zip_longest(goal, start[: len(goal)]))
    return _Numbers(len(goal), {n: a for n, (a, b) in pairs if a != b})


def _numbers_applied(delta: _Numbers, start: Sequence[int]) -> tuple[int, ...]:
    found = [*start[: delta.length]]
    found += [0] * (delta.length - len(found))
    for place, number in delta.changed.items():
        found[place] = number
    return tuple(found)
