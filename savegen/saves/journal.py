"""Write and read the journal of a save: records of changes, each chained to the previous one.

    length  sequence  payload  digest

The digest of a record also covers the digest of the previous record, or of the save for the first
record. So a record is valid only directly after the record that it was written after.

A payload contains the removed keys, and a save file with the new and changed rows. Records are
applied without the code of the game: rows remain bytes.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from savegen.runtime.snapshots.history.deltas import MAPPINGS
from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.values.basics.keys import in_file_order
from savegen.runtime.values.rows import Key
from savegen.saves import coding, file
from savegen.saves.body import (
    Body,
    EncodedRow,
    SavedField,
    RawTable,
    check_slots,
)
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import DIGEST_SIZE, Metadata
from savegen.saves.limits import CODING_ERRORS, Bytes, Guard

_HEAD = struct.Struct("<IQ")
_MIN_RECORD = _HEAD.size + DIGEST_SIZE
_LENGTH = struct.Struct("<I")  # of the removed keys


# -- records


class ValidRecords(NamedTuple):
    """The records of a journal up to the first one that is not valid."""

    payloads: list[memoryview]
    end: int  # the position of the bytes after them
    lost: int  # the number of these bytes
    # Whether they are something else than a last record that was cut short.
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
        self._last_digest = bytes.fromhex(base)  # of the last record, or of the save
        self._sequence = 0
        self._content = blake2b(digest_size=DIGEST_SIZE)
        self.size = 0  # bytes of all records

    @property
    def digest(self) -> bytes:
        """The digest of the bytes of all records, as `file.digest` returns it."""
        return self._content.copy().digest()

    def record(self, payload: bytes) -> bytes:
        head = _HEAD.pack(len(payload), self._sequence)
        self._last_digest = _digest_of_record(self._last_digest, head, payload)
        self._sequence += 1
        data = head + payload + self._last_digest
        self._content.update(data)
        self.size += len(data)
        return data


def valid_records(data: bytes, base: str) -> ValidRecords:
    """Return the valid records of the journal of the save with the digest `base`."""
    view = memoryview(data)
    payloads: list[memoryview] = []
    offset, last_digest = 0, bytes.fromhex(base)
    while record := _valid_record(view, offset, last_digest):
        if record.sequence != len(payloads):
            break
        payloads.append(record.payload)
        offset, last_digest = record.end, record.digest
    lost, sequence = view[offset:], len(payloads)
    return ValidRecords(payloads, offset, len(lost), not _is_cut_short(lost, sequence))


class _Record(NamedTuple):
    sequence: int
    payload: memoryview
    digest: bytes
    end: int


def _valid_record(data: memoryview, offset: int, last_digest: bytes) -> _Record | None:
    """Return the record at an offset if it is chained to a digest."""
    if offset + _MIN_RECORD > len(data):
        return None
    length, sequence = _HEAD.unpack_from(data, offset)
    start, end = offset + _HEAD.size, offset + _MIN_RECORD + length
    if end > len(data):
        return None
    payload, seal = data[start : end - DIGEST_SIZE], data[end - DIGEST_SIZE : end]
    digest = _digest_of_record(last_digest, data[offset:start], payload)
    return _Record(sequence, payload, digest, end) if seal == digest else None


def _digest_of_record(last_digest: bytes, head: Bytes, payload: Bytes) -> bytes:
    hashed = blake2b(payload, digest_size=DIGEST_SIZE, key=last_digest)
    hashed.update(head)
    return hashed.digest()


def _is_cut_short(data: memoryview, sequence: int) -> bool:
    """Return whether bytes may be the beginning of the record with that sequence number.

    Records behind a damaged one are not looked for. The bytes may end in zeros, because the system may have extended the file before writing.
    """
    if len(bytes(data).rstrip(b"\0")) <= _HEAD.size:
        return True
    length, number = _HEAD.unpack_from(data)
    return bool(number == sequence and len(data) <= _MIN_RECORD + length)


# -- payloads


class Removals(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The keys that a record removes from the world before it adds rows and entries."""

    rows: dict[int, list[Key]] = {}  # by class
    placements: list[Key] = []
    generators: list[int] = []
    states: list[str] = []
    tombstones: list[str] = []
    has_slots: bool = True  # if not, the slots did not change


_REMOVED = msgspec.msgpack.Decoder(Removals)


def payload_of(removed: Removals, changed: Sequence[bytes]) -> bytes:
    """Return the payload of a record; `changed` is a save file in parts."""
    head = msgspec.msgpack.encode(removed)
    return b"".join([_LENGTH.pack(len(head)), head, *changed])


def _split_payload(payload: bytes) -> tuple[bytes, bytes]:
    """Return the removals, encoded, and the save file with the changes."""
    if len(payload) < _LENGTH.size:
        raise SaveCorruptError("the record is too short")
    end = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    return payload[_LENGTH.size : end], payload[end:]


# -- applying a journal to its save


def apply_journal(save: VerifiedSave, data: bytes, name: str) -> VerifiedSave:
    """Return a save with the changes of its journal, up to the last valid record.

    A last record that a crash cut short is ignored. No file is changed. `name` is that of the
    journal in notes.

    Raises `SaveVersionError` for a record of a later format, and `SaveError` if this machine
    has too little memory.
    """
    guard = save.guard
    guard.limits.allow("the size of the journal", "size", len(data))
    guard.size += len(data)
    records = valid_records(data, file.digest_of(save.data))
    notes = [f"{name}: {_note_on_loss(records)}"] if records.lost else []
    body = _ChangingBody(save.body, guard)
    metadata, count = save.metadata, 0
    for payload in records.payloads:
        try:
            metadata = _as_part_of(save.metadata, body.apply(bytes(payload)))
        except (SaveCorruptError, SaveLimitError) as error:
            notes.append(f"{name}: record {count + 1} cannot be applied: {error}")
            break
        count += 1
    is_damaged = records.is_damaged or count < len(records.payloads)
    return replace(
        save,
        metadata=metadata,
        body=check_slots(body.result()),
        records=count,
        notes=(*save.notes, *notes),
        fault=notes[0] if is_damaged else "",
    )


def _note_on_loss(records: ValidRecords) -> str:
    if not records.is_damaged:
        return f"its last record was cut short: {records.lost:,} bytes are left out"
    return (
        f"it is damaged at byte {records.end:,}, after record {len(records.payloads)}: the last"
        f" {records.lost:,} bytes are not read; the file is left as it is"
    )


def last_metadata(data: bytes, base: str, metadata: Metadata) -> Metadata:
    """Return the metadata of the last record of a journal, or of its save.

    The rows of that record are not read, so a load may end at an earlier record.
    """
    for payload in reversed(valid_records(data, base).payloads if data else []):
        with suppress(SaveError):
            _, changed = _split_payload(bytes(payload))
            return _as_part_of(metadata, file.read_header(changed).metadata)
    return metadata


def _as_part_of(save: Metadata, record: Metadata) -> Metadata:
    """Return the metadata of a record, with the slot and the lineage of its save."""
    return replace(
        record,
        slot=save.slot,
        generation=save.generation,
        lineage=save.lineage,
        parent=save.parent,
        replaces=save.replaces,
    )


_Schema = tuple[int, str, tuple[SavedField, ...]]  # number, name and fields of a table
_EncodedRows = dict[Key, EncodedRow]


class _ChangingBody:
    """The body of a save, to which the records of a journal are applied."""

    def __init__(self, body: Body, guard: Guard) -> None:
        self._guard = guard
        self._world = body.world
        self._types = body.types
        self._maps = {name: {**getattr(body, name)} for name in MAPPINGS}
        self._tables = defaultdict[_Schema, list[RawTable]](list)
        for table in body.tables:
            self._tables[_schema(table)].append(table)
        # The rows of tables that records change; the other tables stay as they are.
        self._rows: dict[_Schema, _EncodedRows] = {}

    def apply(self, payload: bytes) -> Metadata:
        """Apply a record, completely or not at all; return its metadata.

        Raises the errors of reading a file, and `SaveCorruptError` if the record does not fit.
        """
        head, data = _split_payload(payload)
        removed = self._guard.decode(_REMOVED, head, "a record", is_deep=True)
        save = coding.read(data, self._guard.limits, guard=self._guard)
        changed = [
            (self._rows_of(_schema(table)), self._split_rows([table]))
            for table in save.body.tables
        ]
        self._check(removed)
        for number, keys in removed.rows.items():
            for rows in self._rows_of_class(number):
                for key in keys:
                    rows.pop(key, None)
        for rows, new in changed:
            rows |= new
        for name, entries in self._maps.items():
            for key in getattr(removed, name):
                entries.pop(key, None)  # a key may be there twice
            entries |= getattr(save.body, name)
        old, new_world = self._world, save.body.world
        if not removed.has_slots:
            new_world = replace(new_world, slots=old.slots, free=old.free)
        lineage = new_world.lineage or old.lineage
        self._world = replace(new_world, lineage=lineage)
        return save.metadata

    def _check(self, removed: Removals) -> None:
        for number, keys in removed.rows.items():
            tables = self._rows_of_class(number)
            if not all(any(key in rows for rows in tables) for key in keys):
                raise SaveCorruptError("it removes objects that do not exist")
        for name, entries in self._maps.items():
            if not entries.keys() >= {*getattr(removed, name)}:
                raise SaveCorruptError(f"it removes {name} that do not exist")

    def _rows_of_class(self, number: int) -> list[_EncodedRows]:
        return [self._rows_of(each) for each in self._tables if each[0] == number]

    def _rows_of(self, schema: _Schema) -> _EncodedRows:
        if schema not in self._rows:
            self._rows[schema] = self._split_rows(self._tables[schema])
        return self._rows[schema]

    def _split_rows(self, tables: Sequence[RawTable]) -> _EncodedRows:
        """Return the rows of tables one by one, still encoded, with the types of the save."""
        rows: _EncodedRows = {}
        for table in tables:
            rows |= table.encoded_rows(self._guard, self._types)
        return rows

    def result(self) -> Body:
        result: list[RawTable] = []
        for schema, tables in self._tables.items():
            rows = self._rows.get(schema)
            result += tables if rows is None else [self._table(schema, rows)]
        result = [table for table in result if table.parts]
        result.sort(key=lambda table: table.number)
        maps: dict[str, Any] = self._maps
        return Body(self._world, self._types, result, **maps)

    def _table(self, schema: _Schema, rows: _EncodedRows) -> RawTable:
        ordered = [rows[key] for key in in_file_order(rows)]
        try:
            return RawTable(*schema, self._types).add_encoded(ordered)
        except CODING_ERRORS as error:  # keys of strangers may be too far apart
            raise SaveCorruptError(
                f"the rows of {schema[1]} cannot be read: {error}"
            ) from None


def _schema(table: RawTable) -> _Schema:
    return table.number, table.name, table.fields
