"""Deltas: the changes that turn one snapshot into another, how to compute and to apply them.

`History` keeps deltas in memory, and an autosave appends them to a journal.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import chain, compress, islice
from operator import attrgetter, ne
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from savegen.runtime.values.checks import differ
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table

MAPPINGS = ("placements", "generators", "states", "tombstones")
"""The attributes of a snapshot, besides its tables, that are mappings."""

Pause: TypeAlias = Callable[[], object]
_COMPARED_AT_ONCE = 500  # rows or cells between two pauses


class Delta(NamedTuple):
    """The changes that turn one snapshot into another."""

    tables: dict[int, TableDelta]  # by class number
    mappings: dict[str, dict[Any, Any]]  # by attribute of the snapshot
    slots: tuple[NumbersDelta, NumbersDelta] | None  # `None` if unchanged
    remainder: Snapshot  # the target snapshot without its tables, mappings and slots


def delta_between(
    source: Snapshot, target: Snapshot, pause: Pause = lambda: None
) -> Delta:
    """Return the changes that turn the snapshot `source` into `target`.

    `pause` is called every few hundred rows, so that another thread can run.
    """
    tables: dict[int, TableDelta] = {}
    for number in target.tables.keys() | source.tables:
        present_in = target if number in target.tables else source
        empty = Table(present_in.tables[number].entry)
        old, new = source.tables.get(number, empty), target.tables.get(number, empty)
        delta = _table_delta(old, new, pause)
        if delta is not None:
            tables[number] = delta
    mappings = {n: _diff(getattr(source, n), getattr(target, n)) for n in MAPPINGS}
    slots = None
    if target.slots != source.slots:
        generations, free = map(_numbers_delta, source.slots, target.slots)
        slots = generations, free
    changed_mappings = {n: changes for n, changes in mappings.items() if changes}
    return Delta(tables, changed_mappings, slots, _remainder_of(target))


class DeltaWalk:
    """Applies one delta after another to a snapshot, of which it changes only a copy.

    A step takes time for what it changes, however many objects there are.
    """

    def __init__(self, source: Snapshot) -> None:
        self._source = source
        self._tables: dict[int, _TableWalk] = {}
        self._mappings: dict[str, Any] = {n: getattr(source, n) for n in MAPPINGS}
        self._copied: set[str] = set()  # the mappings that are copies
        self._slots = [*map(list, source.slots)]
        self._remainder = _remainder_of(source)

    def apply(self, delta: Delta) -> Delta:
        """Apply a delta; return the one that leads back."""
        tables = {
            n: self._table(n, each).apply(each) for n, each in delta.tables.items()
        }
        mappings = {n: self._change(n, each) for n, each in delta.mappings.items()}
        slots = None
        if delta.slots is not None:
            generations, free = map(_change_numbers, self._slots, delta.slots)
            slots = generations, free
        back = Delta(tables, mappings, slots, self._remainder)
        self._remainder = delta.remainder
        return back

    def snapshot(self) -> Snapshot:
        """Return the resulting snapshot."""
        tables = {**self._source.tables}
        for number, walk in self._tables.items():
            tables[number] = walk.table()
        tables = {n: table for n, table in tables.items() if table.keys}
        return replace(
            self._remainder,
            tables=dict(sorted(tables.items())),
            slots=SlotState(*map(tuple, self._slots)),
            **self._mappings,
        )

    def _table(self, number: int, delta: TableDelta) -> _TableWalk:
        walk = self._tables.get(number)
        if walk is None:
            table = self._source.tables.get(number, Table(delta.entry))
            walk = self._tables[number] = _TableWalk(table)
        return walk

    def _change(self, name: str, changes: Mapping[Any, Any]) -> dict[Any, Any]:
        if name not in self._copied:
            self._copied.add(name)
            self._mappings[name] = {**self._mappings[name]}
        return _change(self._mappings[name], changes)


def _remainder_of(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot without its tables, mappings and slots."""
    empty: dict[str, Any] = dict.fromkeys(MAPPINGS, {})
    return replace(snapshot, tables={}, slots=SlotState((), ()), _digest=None, **empty)


# -- the table of one class


class TableDelta(NamedTuple):
    """The changes that turn one table of a class into another."""

    entry: ClassEntry
    # Rows to add, and `UNSET` for rows to remove.
    rows: dict[Key, Row | UnsetType]
    # By cell name, positions in the target table and the values there.
    cells: dict[str, tuple[array[int], tuple[Any, ...]]]
    extras: dict[Key, Any]
    recordings: dict[Key, Any]

    def changed_places(self) -> set[int]:
        """Return the positions of the rows that exist in both tables and differ."""
        return {*chain.from_iterable(places for places, _ in self.cells.values())}

    def places(self, target: Table) -> list[int]:
        """Return the positions of new and changed rows in `target`, the resulting table."""
        places = self.changed_places()
        keys = {*self.rows, *self.extras, *self.recordings}
        if keys:
            places.update(n for n, key in enumerate(target.keys) if key in keys)
        return sorted(places)


def _table_delta(source: Table, target: Table, pause: Pause) -> TableDelta | None:
    if target is source:
        return None
    rows: dict[Key, Any] = {}
    source_rows: Sequence[Row] = source.rows
    if target.keys != source.keys:
        row_of, target_keys = dict(zip(source.keys, source.rows)), {*target.keys}
        source_rows = [*map(row_of.get, target.keys, target.rows)]  # itself, if new
        rows = {key: UNSET for key in row_of if key not in target_keys}
        rows |= {k: row for k, row in zip(target.keys, target.rows) if k not in row_of}
    places = _differing(source_rows, target.rows, pause)
    delta = TableDelta(
        target.entry,
        rows,
        _changed_cells(source_rows, target.rows, places, pause),
        _diff(_by_key(source, source.extras), _by_key(target, target.extras)),
        _diff(_by_key(source, source.recordings), _by_key(target, target.recordings)),
    )
    return delta if any(delta[1:]) else None


def _changed_cells(
    source_rows: Sequence[Any],
    rows: Sequence[Any],
    places: Sequence[int],
    pause: Pause,
) -> dict[str, tuple[array[int], tuple[Any, ...]]]:
    """Return the positions and new values of the cells that differ, by cell name."""
    changed = {}
    rows, source_rows = [rows[n] for n in places], [source_rows[n] for n in places]
    for cell in rows[0].__struct_fields__ if rows else ():
        get = attrgetter(cell)
        cells = [*map(get, rows)]
        if found := _differing(map(get, source_rows), cells, pause):
            values = tuple(map(cells.__getitem__, found))
            changed[cell] = array("I", map(places.__getitem__, found)), values
    return changed


def _differing(source: Iterable[Any], target: Sequence[Any], pause: Pause) -> list[int]:
    """Return the positions at which two sequences of rows, or of cells, differ."""
    pairs = enumerate(zip(target, source))
    places = _next_differing(pairs)
    for _ in range(_COMPARED_AT_ONCE, len(target), _COMPARED_AT_ONCE):
        pause()
        places += _next_differing(pairs)
    return places


def _next_differing(pairs: Iterable[tuple[int, Any]]) -> list[int]:
    some = islice(pairs, _COMPARED_AT_ONCE)
    return [n for n, (a, b) in some if a is not b and differ(a, b)]


class _TableWalk:
    """A copy of a table, to which deltas are applied one after another."""

    def __init__(self, source: Table) -> None:
        self._entry = source.entry
        self._keys, self._rows = source.keys, [*source.rows]
        self._extras = _by_key(source, source.extras)
        self._recordings = _by_key(source, source.recordings)
        self._copied: set[int] = set()  # the `id` of each row that is a copy

    def apply(self, delta: TableDelta) -> TableDelta:
        """Apply a delta; return the one that leads back."""
        old_keys, rows = self._keys, dict[Key, Any]()
        if delta.rows:
            row_of = dict(zip(self._keys, self._rows))
            rows = _change(row_of, delta.rows)
            self._keys = in_key_order(row_of)
            self._rows = [*map(row_of.__getitem__, self._keys)]
        for place in delta.changed_places():
            if id(self._rows[place]) not in self._copied:
                self._rows[place] = copy(self._rows[place])
                self._copied.add(id(self._rows[place]))
        cells = {}
        for cell, (places, values) in delta.cells.items():
            changed = [self._rows[place] for place in places]
            cells[cell] = places, tuple(map(attrgetter(cell), changed))
            for row, value in zip(changed, values):
                setattr(row, cell, value)
        if delta.rows and cells:
            old_places = {key: place for place, key in enumerate(old_keys)}
            cells = {
                cell: (array("I", (old_places[self._keys[n]] for n in places)), values)
                for cell, (places, values) in cells.items()
            }
        extras = _change(self._extras, delta.extras)
        recordings = _change(self._recordings, delta.recordings)
        return TableDelta(self._entry, rows, cells, extras, recordings)

    def table(self) -> Table:
        """Return the resulting table, after which no delta may be applied."""
        table = Table(self._entry, self._keys, self._rows)
        for place, key in enumerate(self._keys if self._extras else ()):
            if key in self._extras:
                table.extras[place] = self._extras[key]
        for place, key in enumerate(self._keys if self._recordings else ()):
            if key in self._recordings:
                table.recordings[place] = self._recordings[key]
        return table


def _by_key(table: Table, by_place: Mapping[int, Any]) -> dict[Key, Any]:
    return {table.keys[place]: value for place, value in by_place.items()}


# -- mappings, and sequences of numbers


def _diff(source: Mapping[Any, Any], target: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the changes that turn `source` into `target`: `UNSET` for keys to remove.

    >>> _diff({"b": 2, "c": 3}, {"a": 1, "b": 2})
    {'a': 1, 'c': UNSET}
    """
    if source is target:
        return {}
    changed = {
        key: value
        for key, value in target.items()
        if value is not (other := source.get(key, UNSET)) and differ(value, other)
    }
    return changed | {key: UNSET for key in source if key not in target}


def _change(target: dict[Any, Any], changes: Mapping[Any, Any]) -> dict[Any, Any]:
    """Change a mapping; return the changes that lead back.

    >>> target = {"a": 1, "b": 2}
    >>> _change(target, {"b": UNSET, "c": 3}), target
    ({'b': 2, 'c': UNSET}, {'a': 1, 'c': 3})
    """
    back = {key: target.get(key, UNSET) for key in changes}
    for key, value in changes.items():
        if value is UNSET:
            target.pop(key, None)
        else:
            target[key] = value
    return back


class NumbersDelta(NamedTuple):
    """The changes that turn one sequence of numbers into another."""

    length: int
    changed: dict[int, int]  # by position


def _numbers_delta(source: Sequence[int], target: Sequence[int]) -> NumbersDelta:
    """Return the changes that turn the sequence `source` into `target`.

    >>> _numbers_delta([1, 1], [1, 2, 3])
    NumbersDelta(length=3, changed={1: 2, 2: 3})
    """
    common = min(len(source), len(target))
    differing = compress(range(common), map(ne, source, target))
    places = chain(differing, range(common, len(target)))
    return NumbersDelta(len(target), {place: target[place] for place in places})


def _change_numbers(numbers: list[int], delta: NumbersDelta) -> NumbersDelta:
    """Change a sequence of numbers; return the changes that lead back.

    >>> numbers = [1, 1]
    >>> _change_numbers(numbers, NumbersDelta(3, {1: 2, 2: 3})), numbers
    (NumbersDelta(length=2, changed={1: 1}), [1, 2, 3])
    """
    length = len(numbers)
    changed = (place for place in delta.changed if place < length)
    places = chain(changed, range(delta.length, length))
    back = NumbersDelta(length, {place: numbers[place] for place in places})
    del numbers[delta.length :]
    numbers += [0] * (delta.length - length)
    for place, number in delta.changed.items():
        numbers[place] = number
    return back
