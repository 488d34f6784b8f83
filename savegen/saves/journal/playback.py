"""A save and its journal as one save: without the game, from the bytes of rows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Recording
from savegen.runtime.keys import in_key_order
from savegen.saves.body import Body, Field, RawTable, RowsPart, pieces, rows_section
from savegen.saves.file import Section
from savegen.saves.journal.changes import MAPS, Record, metadata_in, read_payload
from savegen.saves.journal.records import recovered
from savegen.saves.limits import Guard
from savegen.saves.metadata import Metadata

_ROWS = msgspec.msgpack.Decoder(RowsPart[Raw])


class Played(NamedTuple):
    """A save after its journal."""

    body: Body
    metadata: Metadata  # of the last record
    records: int  # that were read
    notes: list[str]  # what was not read, and why
    is_damaged: bool  # not only the last record was cut short


def play(
    body: Body, metadata: Metadata, data: bytes, base: str, guard: Guard
) -> Played:
    """Return a save as it is after the last record that can be read.

    `base` is the digest of its file, `data` the journal. A record that was cut short is what
    a crash leaves; it is left out. Nothing is written or removed. The `body` stays as it is.

    Raises `SaveVersionError` for a record of a later format, and `SaveError` if this machine
    has too little memory.
    """
    guard.limits.allow("the size of the journal", "size", len(data))
    found = recovered(data, base)
    notes = []
    if found.is_damaged:
        notes.append(
            f"it is damaged behind record {len(found.payloads)}: the last {found.lost:,}"
            " bytes are not read; the file is left as it is"
        )
    elif found.lost:
        notes.append(
            f"its last record was cut short: {found.lost:,} bytes are left out"
        )
    state = _State(body, guard)
    count = 0
    for payload in found.payloads:
        try:
            record = read_payload(bytes(payload), guard)
            state.take(record)
        except (SaveCorruptError, SaveLimitError) as error:
            notes.append(f"record {count + 1} cannot be read: {error}")
            break
        count += 1
        metadata = _placed(record.metadata, metadata)
    is_damaged = found.is_damaged or count < len(found.payloads)
    return Played(state.body(), metadata, count, notes, is_damaged)


def last_metadata(data: bytes, base: str, metadata: Metadata) -> Metadata:
    """Return the metadata of the last record of a journal, or of its save.

    The rows of the record are not looked at: a load may end before it.
    """
    for payload in reversed(recovered(data, base).payloads if data else []):
        with suppress(SaveError):
            return _placed(metadata_in(bytes(payload)), metadata)
    return metadata


def _placed(about: Metadata, base: Metadata) -> Metadata:
    """Return the metadata of a record as part of the save that it belongs to."""
    return replace(
        about,
        slot=base.slot,
        generation=base.generation,
        lineage=base.lineage,
        parent=base.parent,
        replaces=base.replaces,
    )


class _RowData(NamedTuple):
    """The saved data of one object, as bytes."""

    row: Raw
    mismatches: dict[int, Any] | None
    missing: frozenset[int] | None
    recording: Recording | None


_Rows = dict[Key, _RowData]


class _State:
    """The body of a save while records change it."""

    def __init__(self, body: Body, guard: Guard) -> None:
        self._guard = guard
        self._world = body.world
        self._maps = {name: {**getattr(body, name)} for name in MAPS}
        # A class may have further tables, of what the game does not know. The rows are
        # decoded when a record changes them.
        self._tables = defaultdict[Any, list[RawTable]](list)
        for table in body.tables:
            self._tables[_identity(table)].append(table)
        self._rows: dict[Any, _Rows] = {}

    def take(self, record: Record) -> None:
        """Apply a record, or nothing of it. Raises `SaveCorruptError` if it does not fit."""
        removed, body = record.removed, record.body
        changed = [
            (self._rows_like(table), self._decoded(table)) for table in body.tables
        ]
        gone = self._removals(removed.rows)
        for name, known in self._maps.items():
            if not known.keys() >= {*getattr(removed, name)}:
                raise SaveCorruptError("it removes what is not there")
        for rows, keys in gone:
            for key in keys:
                rows.pop(key, None)
        for rows, found in changed:
            rows |= found
        for name, known in self._maps.items():
            for each in getattr(removed, name):
                del known[each]
            known |= getattr(body, name)
        old, self._world = self._world, body.world
        if not removed.has_slots:
            slots, free = old.slots, old.free
            self._world = replace(body.world, slots=slots, free=free)

    def _removals(self, removed: dict[int, list[Key]]) -> list[tuple[_Rows, list[Key]]]:
        found = []
        for number, keys in removed.items():
            tables = [self._rows_of(each) for each in self._tables if each[0] == number]
            if not {*keys} <= {key for rows in tables for key in rows}:
                raise SaveCorruptError("it removes objects that are not there")
            found += [(rows, keys) for rows in tables]
        return found

    def _rows_like(self, table: RawTable) -> _Rows:
        """Return the rows that are of the schema of a table; none if that is new."""
        identity = _identity(table)
        if identity not in self._tables:
            empty = RawTable(table.number, table.name, table.fields)
            self._tables[identity].append(empty)
        return self._rows_of(identity)

    def _rows_of(self, identity: Any) -> _Rows:
        if identity not in self._rows:
            rows: _Rows = {}
            for table in self._tables[identity]:
                rows |= self._decoded(table)
            self._rows[identity] = rows
        return self._rows[identity]

    def _decoded(self, table: RawTable) -> _Rows:
        found: _Rows = {}
        for piece in table.pieces:
            rows = table.decoded(_ROWS, piece, self._guard)
            for place, (key, row) in enumerate(zip(rows.keys, rows.rows)):
                found[key] = _RowData(
                    row,
                    rows.mismatches.get(place),
                    rows.missing.get(place),
                    rows.recordings.get(place),
                )
        return found

    def body(self) -> Body:
        """Return the body of a file that is as everything is now."""
        found: list[RawTable] = []
        for identity, tables in self._tables.items():
            is_changed = identity in self._rows
            found += [self._written(identity)] if is_changed else tables
        found = [table for table in found if table.pieces]
        found.sort(key=lambda table: table.number)
        maps: dict[str, Any] = self._maps
        return Body(self._world, found, **maps)

    def _written(self, identity: Any) -> RawTable:
        """Return the table of rows that records have changed."""
        table, rows = self._tables[identity][0], self._rows[identity]
        found = [
            Section(0, data)
            for data in pieces(in_key_order(rows), lambda keys: _section(keys, rows))
        ]
        return RawTable(table.number, table.name, table.fields, found)


def _identity(table: RawTable) -> tuple[int, tuple[Field, ...]]:
    return table.number, tuple(table.fields)


def _section(keys: Sequence[Key], rows: _Rows) -> bytes:
    found = [*enumerate(rows[key] for key in keys)]
    return rows_section(
        keys,
        [each.row for _, each in found],
        {n: each.mismatches for n, each in found if each.mismatches},
        {n: each.missing for n, each in found if each.missing},
        {n: each.recording for n, each in found if each.recording},
    )
