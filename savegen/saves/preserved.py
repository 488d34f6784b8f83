"""Data in a save that this version of the game does not know, kept as bytes for the next save.

Preserved are objects of classes and prefabs that the game does not have, fields that a class no
longer has, cells that the game can load only in part, because they refer to a preserved
object, and what a `Recorder` saved with behaviours that are gone.

Preserved fields are in an additional table of their class. For a cell that was loaded in part,
field `n` of that table is the original cell, and field `-n`, of the type `any`, the value that
the game loaded. The original is written again if the game has not changed the loaded value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw, msgpack

from savegen.runtime.values.folds import keys_in, without
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.world.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.values.kinds.kind import Typed
from savegen.runtime.values.rows import Key, cells_of
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.stored import StoredType, has_keys, has_only_keys, parse
from savegen.saves.body import SavedField, RawRow, RawTable, Types
from savegen.saves.encoding import encode
from savegen.saves.reports import add_to_report
from savegen.saves.typed import is_same, recorded

_GAME_OBJECT = int(GAME_OBJECT.save_type)
_STORED = dict(zip(GameObjectFields, (stored for _, stored in GAME_OBJECT.fields)))


class PreservedTable(NamedTuple):
    """Preserved rows of a class: either whole objects, or single fields of live objects."""

    number: int
    name: str
    fields: tuple[SavedField, ...]
    rows: list[RawRow]
    is_whole: bool  # whether whole objects are preserved
    title: str = (
        ""  # the class or the field in reports; "" if they do not count these rows
    )


class PreservedPart(NamedTuple):
    """A preserved component or child of a live `GameObject`, with its position."""

    owner: Key
    field: int  # of `GameObject`
    place: int
    item: Any  # a key, or the number and the key of a component

    @property
    def key(self) -> Key:
        key: Key = self.item if self.field == _CHILDREN else self.item[1]
        return key


_CHILDREN = int(GameObjectFields.CHILDREN_REF)


class Preserved(msgspec.Struct, frozen=True, eq=False, dict=True):
    """All preserved data of one save.

    >>> gone = PreservedTable(7, "mygame.Gone", (), [RawRow(4, {})], True, "Gone")
    >>> preserved = Preserved([gone])
    >>> preserved.added_keys(), preserved.counts
    ([4], {'Gone': 1})
    """

    tables: Sequence[PreservedTable] = ()
    parts: Sequence[PreservedPart] = ()
    placements: dict[Key, Placement] = {}
    all_generators: dict[int, Any] = {}  # of the save

    @cached_property
    def generators(self) -> dict[int, Any]:
        """All generators of the save, if preserved rows may refer to some of them."""
        types = {parse(field.stored) for table in self.tables for field in table.fields}
        rows = (row for table in self.tables for row in table.rows)
        types.update(stored for row in rows for stored, _ in row.extras.values())
        return {} if all(map(has_only_keys, types)) else self.all_generators

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of preserved objects by class, and of preserved values by field."""
        counts: dict[str, int] = {}
        for table in self.tables:
            if table.title:
                counts[table.title] = counts.get(table.title, 0) + len(table.rows)
        return counts

    @cached_property
    def keys(self) -> frozenset[Key]:
        """The keys of preserved objects."""
        whole = (table for table in self.tables if table.is_whole)
        return frozenset(row.key for table in whole for row in table.rows)

    @cached_property
    def partly_loaded(self) -> frozenset[tuple[Key, int]]:
        """The keys of live objects and the fields of them that the game loaded only in part."""
        rows = (
            row for table in self.tables if not table.is_whole for row in table.rows
        )
        return frozenset((row.key, -n) for row in rows for n in _conditions(row))

    def added_keys(self) -> list[Key]:
        """Return the keys of preserved objects that were added to the world."""
        return in_key_order(key for key in self.keys if key > 0)

    def referred_reached_keys(self) -> list[Key]:
        """Return the keys of reached objects that preserved rows refer to.

        Reached objects that are preserved themselves are left out.
        """
        keys = {key for key in self._referred_keys if key < 0} - self.keys
        return sorted(keys, reverse=True)

    @cached_property
    def _referred_keys(self) -> frozenset[Key]:
        keys: set[Key] = set()
        for table in self.tables:
            for number, stored in _fields_with_keys(table):
                rows = (row for row in table.rows if number in row.cells)
                keys |= keys_in(stored, [msgpack.decode(r.cells[number]) for r in rows])
            for row in table.rows:
                for stored, cell in _values(row):
                    keys |= keys_in(stored, [cell])
        return frozenset(keys)

    # -- saving

    def tables_to_save(
        self, snapshot: Snapshot, types: Types
    ) -> tuple[list[RawTable], dict[str, int]]:
        """Return the additional tables for a save, and the numbers of their rows by title."""
        tables_of_world = snapshot.tables.values()
        existing = {key for table in tables_of_world for key in table.keys} | self.keys
        missing = self._referred_keys - existing
        current = _SnapshotCells(snapshot)
        tables, counts = [], dict[str, int]()
        for table in self.tables:
            rows = table.rows
            if not table.is_whole:
                in_world = (row for row in rows if row.key in existing)
                unchanged = (current.without_changed(table, row) for row in in_world)
                rows = [row for row in unchanged if row is not None]
            if missing:
                rows = [_without_keys(table, row, missing) for row in rows]
            if rows:
                raw = RawTable(table.number, table.name, table.fields, types)
                tables.append(raw.add(rows))
                counts[table.title] = counts.get(table.title, 0) + len(rows)
        counts.pop("", None)
        return tables + self._tables_of_parts(current, types), counts

    def _tables_of_parts(self, current: _SnapshotCells, types: Types) -> list[RawTable]:
        """Return tables with the current components and children and the preserved ones."""
        rows: dict[int, list[RawRow]] = {}  # by field
        parts = sorted(self.parts, key=attrgetter("field", "owner", "place"))
        for (number, owner), group in groupby(parts, attrgetter("field", "owner")):
            loaded = current.value(_GAME_OBJECT, owner, number)
            if loaded is None:
                continue
            joined = [*loaded[1]]
            for part in group:
                joined.insert(part.place, part.item)
            cells = {number: Raw(encode(joined))}
            row = RawRow(owner, cells, {-number: (ANY, loaded)})
            rows.setdefault(number, []).append(row)
        return [
            RawTable(_GAME_OBJECT, "GameObject", _fields(number), types).add(found)
            for number, found in rows.items()
        ]


NOTHING = Preserved()


def preserve_recordings(snapshot: Snapshot) -> None:
    """Preserve what a `Recorder` saved with behaviours that its class does not have.

    Behaviours that it has are loaded. All share the saved values, which are preserved, too, for
    the behaviours that it lacks; the report has a note on those.
    """
    tables, notes = list[PreservedTable](), dict[str, None]()
    for table in snapshot.tables.values():
        if not table.recordings:
            continue
        behaviors, name = table.entry.behaviors, table.entry.display_name
        rows = []
        for place, recording in [*table.recordings.items()]:
            if unknown := [key for key in recording.dirty if key not in behaviors]:
                known = tuple(key for key in recording.dirty if key in behaviors)
                removed = recording._replace(dirty=(*unknown,))
                rows.append(RawRow(table.keys[place], {}, recorded(removed)))
                if known:
                    table.recordings[place] = recording._replace(dirty=known)
                else:
                    del table.recordings[place]
                notes |= {
                    f"{name} has no deserializer for `{n}`": None for n in unknown
                }
        if rows:
            title = f"{name} (recorded)"
            tables.append(PreservedTable(table.number, name, (), rows, False, title))
    if notes:
        old = snapshot.preserved or NOTHING
        snapshot.preserved = preserved = Preserved(
            [*old.tables, *tables], old.parts, old.placements, old.all_generators
        )
        add_to_report(snapshot, preserved.counts, notes)


ANY = StoredType("any")


def condition_of(field: SavedField) -> SavedField:
    """Return the field `-n`, under which a row has what the game loaded for field `n`."""
    return SavedField(-field.number, field.name, str(ANY))


def _fields(number: int) -> tuple[SavedField, SavedField]:
    name = GameObjectFields(number).name.removesuffix("_REF").lower()
    field = SavedField(number, name, _STORED[GameObjectFields(number)])
    return field, condition_of(field)


class _SnapshotCells:

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._places: dict[int, dict[Key, int]] = {}

    def value(self, number: int, key: Key, field: int) -> Typed | None:
        """Return the value of a field; `None` if the row or the field does not exist."""
        table = self._snapshot.tables.get(number)
        if table is None:
            return None
        place = self._place(table, key)
        name = cells_of(table.entry.row).get(field)
        if place is None or name is None:
            return None
        cell = getattr(table.rows[place], name)
        if cell is UNSET:
            return table.extras.get(place, {}).get(name)
        return table.entry.stored_by_cell[name], cell

    def _place(self, table: Table, key: Key) -> int | None:
        """Return the position of an object in its table."""
        places = self._places.get(table.number)
        if places is None:
            places = {key: n for n, key in enumerate(table.keys)}
            self._places[table.number] = places
        return places.get(key)

    def without_changed(self, table: PreservedTable, row: RawRow) -> RawRow | None:
        """Return a preserved row without fields that the game has changed; `None` if all are."""
        cells, extras = dict(row.cells), dict(row.extras)
        for number in _conditions(row):
            current = self.value(table.number, row.key, -number)
            if current is None or not is_same(current, extras[number][1]):
                del extras[number]
                cells.pop(-number, None)
                extras.pop(-number, None)
        return RawRow(row.key, cells, extras) if cells or extras else None


def _conditions(row: RawRow) -> list[int]:
    return [n for n in row.extras if isinstance(n, int) and n < 0]


def _fields_with_keys(table: PreservedTable) -> Iterator[tuple[int, StoredType]]:
    """Yield the number and the stored type of the fields that can hold keys."""
    for number, _, text in table.fields:
        stored = parse(text)
        if has_keys(stored):
            yield number, stored


def _values(row: RawRow) -> Iterator[Typed]:
    """Yield the values beside a row, without the conditions."""
    conditions = _conditions(row)
    yield from (each for n, each in row.extras.items() if n not in conditions)


def _without_keys(
    table: PreservedTable, row: RawRow, missing: frozenset[Key]
) -> RawRow:
    cells = {
        number: Raw(encode(without(stored, msgpack.decode(row.cells[number]), missing)))
        for number, stored in _fields_with_keys(table)
        if number in row.cells
    }
    conditions = _conditions(row)
    extras = {
        n: each if n in conditions else (each[0], without(*each, missing))
        for n, each in row.extras.items()
    }
    return RawRow(row.key, row.cells | cells, extras)
