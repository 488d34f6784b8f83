"""The journal of a save: records of changes, each chained to the previous one.

    length  sequence  payload  digest

The digest of a record also covers the digest of the previous record; for the first record, that
of the save. So a record is valid only after the records that it was written after: not in another
journal, not in another position, and not after a damaged one.

A payload contains the removed keys, and a save file with the new and changed rows. Records are
applied without the game: rows remain bytes.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.deltas import MAPPINGS
from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.keys import in_key_order
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Recording
from savegen.saves import coding, file
from savegen.saves.body import Body, Field, RawTable, RowsPart, pieces, rows_section
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import Metadata, Section
from savegen.saves.limits import Guard

DIGEST = 16  # bytes

_HEAD = struct.Struct("<IQ")
_LEAST = _HEAD.size + DIGEST
_AHEAD = 1_000_000  # by how much a sequence number may exceed that of a lost record
# Finds candidates for a length and a sequence; trying each byte would take minutes.
_LIKELY = re.compile(rb"(?=.{4}(?!\0{4}).{4}\0{4})", re.DOTALL)
# The most hashes that are tried after an unreadable record.
_LOOKS = 4
_LENGTH = struct.Struct("<I")  # of the removed keys
_ROWS = msgspec.msgpack.Decoder(RowsPart[Raw])


# -- records


class ValidRecords(NamedTuple):
    """The longest valid beginning of a journal."""

    payloads: list[memoryview]
    lost: int  # bytes after them
    # Whether the lost bytes are more than a last record that was cut short.
    is_damaged: bool


class RecordChain:
    """Creates the records of a journal.

    >>> chain = RecordChain("00" * 16)
    >>> data = chain.record(b"one") + chain.record(b"two")
    >>> [bytes(payload) for payload in valid_records(data, "00" * 16).payloads]
    [b'one', b'two']
    >>> valid_records(data, "ff" * 16).payloads
    []
    """

    def __init__(self, base: str) -> None:
        """`base` is the digest of the save, in hexadecimal digits."""
        self.last = bytes.fromhex(base)  # digest: the next record is chained to it
        self._sequence = 0

    def record(self, payload: bytes) -> bytes:
        """Return the next record."""
        head = _HEAD.pack(len(payload), self._sequence)
        self.last = _seal(self.last, head, payload)
        self._sequence += 1
        return head + payload + self.last


def valid_records(data: bytes, base: str) -> ValidRecords:
    """Return the records of a journal that belong to the save with the digest `base`."""
    view = memoryview(data)
    payloads: list[memoryview] = []
    offset, last = 0, bytes.fromhex(base)
    while (found := _record(view, offset, last)) and found.sequence == len(payloads):
        payloads.append(found.payload)
        offset, last = found.end, found.digest
    rest = view[offset:]
    is_damaged = not _is_torn(rest, len(payloads)) or _goes_on(
        view, offset, len(payloads)
    )
    return ValidRecords(payloads, len(rest), is_damaged)


class _Record(NamedTuple):
    sequence: int
    payload: memoryview
    digest: bytes
    end: int


def _record(data: memoryview, offset: int, last: bytes) -> _Record | None:
    """Return the record at an offset, if it is valid after the digest `last`."""
    if offset + _LEAST > len(data):
        return None
    length, sequence = _HEAD.unpack_from(data, offset)
    start, end = offset + _HEAD.size, offset + _LEAST + length
    if end > len(data):
        return None
    payload, seal = data[start : end - DIGEST], bytes(data[end - DIGEST : end])
    if _seal(last, data[offset:start], payload) != seal:
        return None
    return _Record(sequence, payload, seal, end)


def _seal(last: bytes, head: bytes | memoryview, payload: bytes | memoryview) -> bytes:
    seal = blake2b(payload, digest_size=DIGEST, key=last)
    seal.update(head)
    return seal.digest()


def _is_torn(rest: memoryview, sequence: int) -> bool:
    """Return whether bytes may be the next record, cut short.

    The system may have extended the file before writing; then the bytes end in zeros.
    """
    if len(bytes(rest).rstrip(b"\0")) <= _HEAD.size:
        return True
    length, number = _HEAD.unpack_from(rest)
    return bool(number == sequence and len(rest) <= _LEAST + length)


def _goes_on(data: memoryview, start: int, sequence: int) -> bool:
    """Return whether a complete record follows an offset.

    If the bytes look like very many records, the answer is yes: checking all of them would take
    hours, and a journal with later records counts as damaged and is left unchanged.
    """
    left = _LOOKS * (len(data) - start)
    for match in _LIKELY.finditer(data, start + DIGEST):
        offset = match.start()
        length, number = _HEAD.unpack_from(data, offset)
        is_likely = sequence < number <= sequence + _AHEAD
        if is_likely and offset + _LEAST + length <= len(data):
            left -= length
            if left < 0 or _record(data, offset, bytes(data[offset - DIGEST : offset])):
                return True
    return False


# -- payloads


class Removals(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What a record removes from the world before it adds its rows."""

    rows: dict[int, list[Key]] = {}  # by class
    placements: list[Key] = []
    generators: list[int] = []
    states: list[str] = []
    tombstones: list[str] = []
    has_slots: bool = True  # if not, the slots are as they were before


_REMOVED = msgspec.msgpack.Decoder(Removals)


def payload(removed: Removals, changed: Sequence[bytes]) -> bytes:
    """Return the payload of a record; `changed` is a save file in parts."""
    head = msgspec.msgpack.encode(removed)
    return b"".join([_LENGTH.pack(len(head)), head, *changed])


def _parts(payload: bytes) -> tuple[bytes, bytes]:
    """Return the removed keys, encoded, and the save file with the changes."""
    if len(payload) < _LENGTH.size:
        raise SaveCorruptError("the record is too short")
    end = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    return payload[_LENGTH.size : end], payload[end:]


# -- a save and its journal as one save


def play(save: VerifiedSave, data: bytes, name: str) -> VerifiedSave:
    """Return a save with the changes of its journal, up to the last valid record.

    A crash can leave a last record that is cut short; it is ignored. No file is changed. `name`
    is the name of the journal in notes.

    Raises `SaveVersionError` for a record of a later format, and `SaveError` if this machine
    has too little memory.
    """
    guard = save.guard
    guard.limits.allow("the size of the journal", "size", len(data))
    guard.size += len(data)
    found = valid_records(data, file.digest_of(save.data))
    notes = [f"{name}: {_cut_off(found)}"] if found.lost else []
    state = _State(save.body, guard)
    metadata, count = save.metadata, 0
    for payload in found.payloads:
        try:
            metadata = _placed(state.take(bytes(payload)), save.metadata)
        except (SaveCorruptError, SaveLimitError) as error:
            notes.append(f"{name}: record {count + 1} cannot be read: {error}")
            break
        count += 1
    is_damaged = found.is_damaged or count < len(found.payloads)
    return replace(
        save,
        metadata=metadata,
        body=state.body(),
        records=count,
        notes=(*save.notes, *notes),
        fault=notes[0] if is_damaged else "",
    )


def _cut_off(found: ValidRecords) -> str:
    """Return the note about the bytes after the last valid record."""
    if not found.is_damaged:
        return f"its last record was cut short: {found.lost:,} bytes are left out"
    return (
        f"it is damaged behind record {len(found.payloads)}: the last {found.lost:,} bytes are"
        " not read; the file is left as it is"
    )


def last_metadata(data: bytes, base: str, metadata: Metadata) -> Metadata:
    """Return the metadata of the last record of a journal, or of its save.

    The rows of that record are not read, so a load may end at an earlier record.
    """
    for payload in reversed(valid_records(data, base).payloads if data else []):
        with suppress(SaveError):
            _, changed = _parts(bytes(payload))
            return _placed(file.read_head(changed).metadata, metadata)
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


class _Schema(NamedTuple):
    """The schema of a table. A class may have two tables: see `Body`."""

    number: int
    name: str
    fields: tuple[Field, ...]


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
        self._maps = {name: {**getattr(body, name)} for name in MAPPINGS}
        self._tables = defaultdict[_Schema, list[RawTable]](list)
        for table in body.tables:
            self._tables[_schema(table)].append(table)
        self._rows: dict[_Schema, _Rows] = {}  # decoded when a record changes them

    def take(self, payload: bytes) -> Metadata:
        """Apply a record, completely or not at all; return its metadata.

        Raises the errors of reading a file, and `SaveCorruptError` if the record does not fit.
        """
        head, data = _parts(payload)
        removed = self._guard.decode(_REMOVED, head, "a record", is_deep=True)
        found = coding.read(data, self._guard.limits, guard=self._guard)
        tables = found.body.tables
        changed = [(self._rows_of(_schema(t)), self._decoded([t])) for t in tables]
        self._check(removed)
        for number, keys in removed.rows.items():
            for rows in self._rows_of_class(number):
                for key in keys:
                    rows.pop(key, None)
        for rows, new in changed:
            rows |= new
        for name, known in self._maps.items():
            for each in getattr(removed, name):
                del known[each]
            known |= getattr(found.body, name)
        old, self._world = self._world, found.body.world
        if not removed.has_slots:
            self._world = replace(self._world, slots=old.slots, free=old.free)
        return found.metadata

    def _check(self, removed: Removals) -> None:
        for number, keys in removed.rows.items():
            if not {*keys} <= {*chain.from_iterable(self._rows_of_class(number))}:
                raise SaveCorruptError("it removes objects that do not exist")
        for name, known in self._maps.items():
            if not known.keys() >= {*getattr(removed, name)}:
                raise SaveCorruptError("it removes entries that do not exist")

    def _rows_of_class(self, number: int) -> list[_Rows]:
        return [self._rows_of(each) for each in self._tables if each.number == number]

    def _rows_of(self, schema: _Schema) -> _Rows:
        if schema not in self._rows:
            self._rows[schema] = self._decoded(self._tables[schema])
        return self._rows[schema]

    def _decoded(self, tables: Sequence[RawTable]) -> _Rows:
        found: _Rows = {}
        for table, piece in (
            (table, each) for table in tables for each in table.pieces
        ):
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
        """Return the body of the save in its current state."""
        found: list[RawTable] = []
        for schema, tables in self._tables.items():
            found += (
                [_table(schema, self._rows[schema])] if schema in self._rows else tables
            )
        found = [table for table in found if table.pieces]
        found.sort(key=lambda table: table.number)
        maps: dict[str, Any] = self._maps
        return Body(self._world, found, **maps)


def _schema(table: RawTable) -> _Schema:
    return _Schema(table.number, table.name, tuple(table.fields))


def _table(schema: _Schema, rows: _Rows) -> RawTable:
    """Return the table of rows that records have changed."""

    def section(keys: Sequence[Key]) -> bytes:
        found = [*enumerate(rows[key] for key in keys)]
        return rows_section(
            keys,
            [each.row for _, each in found],
            {n: each.mismatches for n, each in found if each.mismatches},
            {n: each.missing for n, each in found if each.missing},
            {n: each.recording for n, each in found if each.recording},
        )

    found = pieces(in_key_order(rows), section)
    return RawTable(*schema, [Section(0, data) for data in found])
