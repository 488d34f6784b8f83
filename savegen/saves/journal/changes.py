"""What changed between two snapshots: the payload of a record."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.packing import differ
from savegen.runtime.rows import Key
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table
from savegen.saves.body import Body, read_body
from savegen.saves.file import Compression, read_head, sections, verify
from savegen.saves.limits import Guard, Limits
from savegen.saves.metadata import Metadata
from savegen.saves.reports import SaveReport
from savegen.saves.writing import Writer

MAPS = ("placements", "generators", "states", "tombstones")  # of a world, beside tables
_LENGTH = struct.Struct("<I")


class Removed(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What a record takes out of the world before its rows are put in."""

    rows: dict[int, list[Key]] = {}  # by class
    placements: list[Key] = []
    generators: list[int] = []
    states: list[str] = []
    tombstones: list[str] = []
    has_slots: bool = True  # if not, the slots are as they were before


_REMOVED = msgspec.msgpack.Decoder(Removed)


class Changes(NamedTuple):
    """What differs between two snapshots: what was removed, and what is new or changed."""

    removed: Removed
    changed: Snapshot

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        removed, changed = self
        parts = [changed.tables, *(getattr(changed, name) for name in MAPS)]
        return removed == Removed(has_slots=False) and not any(parts)


def changes(
    before: Snapshot, after: Snapshot, places: Mapping[int, list[int]]
) -> Changes:
    """Return what makes the snapshot `before` the snapshot `after`.

    `places` are the positions of changed rows that `SaveLoadManager.track` has returned.
    """
    removed = Removed(has_slots=_rest(before) != _rest(after))
    tables: dict[int, Table] = {}
    for number in {**before.tables, **after.tables}:
        old, new = before.tables.get(number), after.tables.get(number)
        if old is not None and (new is None or new.keys != old.keys):
            left = {*new.keys} if new else ()
            if gone := [key for key in old.keys if key not in left]:
                removed.rows[number] = gone
        if new is not None:
            if chosen := _differing(old, new, places.get(number)):
                tables[number] = new.chosen(chosen)
    dicts: dict[str, Any] = {}
    for name in MAPS:
        was, now = getattr(before, name), getattr(after, name)
        setattr(removed, name, [key for key in was if key not in now])
        dicts[name] = {
            key: each
            for key, each in now.items()
            if key not in was or differ(was[key], each)
        }
    slots = after.slots if removed.has_slots else SlotState((), ())
    return Changes(removed, replace(after, tables=tables, slots=slots, **dicts))


def _rest(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.slots, snapshot.next_reached, snapshot.dangling


def _differing(old: Table | None, new: Table, known: list[int] | None) -> list[int]:
    """Return the positions of rows that are new, or hold something else than before."""
    if old is None:
        return [*range(len(new.keys))]
    if known is not None and old.keys == new.keys:
        return known
    at = {key: place for place, key in enumerate(old.keys)}
    was = [at.get(key) for key in new.keys]
    return [
        place
        for place, before in enumerate(was)
        if before is None or _differs(old, before, new, place)
    ]


def _differs(old: Table, before: int, new: Table, place: int) -> bool:
    was, now = old.rows[before], new.rows[place]
    if was is not now and differ(was, now):
        return True
    is_beside = old.mismatches or new.mismatches or old.recordings or new.recordings
    return bool(is_beside) and differ(_beside(old, before), _beside(new, place))


def _beside(table: Table, place: int) -> list[Any]:
    """Return what is saved of an object beside its row."""
    recording = table.recordings.get(place)
    return [table.mismatches.get(place), recording and [*recording]]


# -- as bytes


def payload_of(
    found: Changes,
    whole: Snapshot,
    metadata: Metadata,
    compress: Compression,
    limits: Limits,
) -> tuple[bytes, SaveReport]:
    """Return the payload of a record: what was removed, and a file of what changed.

    `whole` is the snapshot that has all objects that the changed ones refer to.
    """
    head = msgspec.msgpack.encode(found.removed)
    writer = Writer(found.changed, compress=compress, limits=limits, whole=whole)
    for _ in writer.steps():
        pass
    parts = writer.finish(metadata)
    return b"".join([_LENGTH.pack(len(head)), head, *parts]), writer.report


class Record(NamedTuple):
    """The payload of a record, read again."""

    removed: Removed
    metadata: Metadata
    body: Body  # of what changed


def read_payload(payload: bytes, guard: Guard) -> Record:
    """Return what a payload says. Raises what reading a file raises."""
    data, head = _parts(payload)
    removed = guard.decode(_REMOVED, head, "a record", is_deep=True)
    verify(data, guard.limits)
    body = read_body(sections(data, guard.limits, guard), guard)
    return Record(removed, read_head(data).metadata, body)


def metadata_in(payload: bytes) -> Metadata:
    """Return the metadata of a record. Raises what reading a head raises."""
    return read_head(_parts(payload)[0]).metadata


def _parts(payload: bytes) -> tuple[bytes, bytes]:
    """Return the file in a payload, and what stands before it."""
    if len(payload) < _LENGTH.size:
        raise SaveCorruptError("the record is too short")
    end = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    return payload[end:], payload[_LENGTH.size : end]
