"""A save with the journal behind it: as far as that can be read, and what is to be told of the rest."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.saves.container import container, tables
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.journal.journal import recovered
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.container.prices import Budget
from savegen.runtime.saves.journal.replay import replay


class Played(NamedTuple):
    """A save after its journal."""

    document: Document
    metadata: Metadata  # what was said with the last record
    records: int  # how many
    notes: list[str]  # what could not be read


def record_of(delta: Document, about: Metadata, limits: Limits) -> bytes:
    """Return what a journal holds of a delta: a save file that pays for all it costs.

    Nothing of it is free, for a journal may have any number of records; and compressed, what
    has no use but its weight weighs nothing on the disk.
    """
    return b"".join(container.write(delta, about, limits=limits, compress=True, free=0))


def playback(
    document: Document, metadata: Metadata, data: bytes, base: str, limits: Limits
) -> Played:
    """Return a save as it was after the last record that can be read.

    `base` is the digest of its file, `data` the journal. A record that was not written to its
    end is what a crash leaves, and is left out. Nothing is written, or removed.

    Raises `SaveVersionError` for a record of a later format, and a plain `SaveError` if this
    machine has not the memory.
    """
    limits.allow("the size of the journal", "size", len(data))
    found = recovered(data, base)
    notes = []
    if found.is_damaged:
        notes.append(
            f"it is damaged behind record {len(found.payloads)}: {found.lost:,} bytes of later"
            " records are not read; the file is left as it is"
        )
    elif found.lost:
        notes.append(
            f"its last record was cut short: {found.lost:,} bytes are left out"
        )
    records: list[tuple[Metadata, Document]] = []
    size, budget = 0, Budget()
    for payload in found.payloads:
        try:
            record = bytes(payload)
            size += _size_of(record)
            limits.allow("the size of the journal", "size", size)
            records.append(container.read(record, limits, budget=budget))
        except (SaveCorruptError, SaveLimitError) as error:
            notes.append(f"record {len(records) + 1} cannot be read: {error}")
            break
    made, count, fault = replay(document, [delta for _, delta in records])
    if fault is not None:
        notes.append(f"record {count + 1} does not fit to those before it: {fault}")
    tables.check(made, limits)
    about = _placed(records[count - 1][0], metadata) if count else metadata
    return Played(made, about, count, notes)


def last_said(data: bytes, base: str, metadata: Metadata) -> Metadata:
    """Return what was said with the last record of a journal, or with its save.

    What the record holds is not looked at: if it does not fit, a load ends before it.
    """
    for payload in reversed(recovered(data, base).payloads if data else []):
        with suppress(SaveError):
            return _placed(container.read_head(bytes(payload)).metadata, metadata)
    return metadata


def _size_of(record: bytes) -> int:
    """Return how many bytes a record holds. Raises `SaveCorruptError` if it is in JSON."""
    size = container.read_head(record).raw_size
    if size is None:
        raise SaveCorruptError("it is a file in JSON")
    return size


def _placed(about: Metadata, base: Metadata) -> Metadata:
    """Return what was said with a record, as part of the save that it belongs to."""
    return replace(
        about,
        slot=base.slot,
        generation=base.generation,
        lineage=base.lineage,
        parent=base.parent,
        replaces=base.replaces,
    )
