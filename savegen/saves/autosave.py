"""`Autosave`: save a world often, by appending its changes to a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import asdict, replace

from savegen.runtime.garbage_collector import PausedCollector
from savegen.runtime.deltas import MAPPINGS, delta_between
from savegen.runtime.errors import SaveError
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table
from savegen.saves import coding
from savegen.saves.file import Metadata
from savegen.saves.journal import RecordChain, Removals, payload_of
from savegen.saves.limits import enough_memory
from savegen.saves.slots.info import SaveOptions, SlotSaveReport
from savegen.saves.slots.save_files import files_of, generation_of
from savegen.saves.slots.names import slot_name
from savegen.saves.slots.slots import SaveSlots
from savegen.saves.slots.writer import SaveOrder

if TYPE_CHECKING:
    from typing import Unpack

    from savegen.runtime import SaveLoadManager


class Autosave:
    """Saves a world to a slot again and again. `SaveSlots.load` loads the last record.

    The first record is a complete save, the next generation of the slot. Later records are
    appended to its journal, `<n>.journal`; each contains the changes since the previous one.
    When the journal is larger than the save, `record` writes a new complete save.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> from savegen.saves import MemoryStore
    >>> slots = SaveSlots(MemoryStore())
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> ball = manager.add(GameObject())
    >>> autosave = Autosave(slots, manager)
    >>> for step in range(3):
    ...     ball.transform.rotation = 10.0 * step
    ...     _ = autosave.record()
    >>> manager.clear()
    >>> _ = slots.load("auto", manager)
    >>> [thing.transform.rotation for thing in manager.objects]
    [20.0]
    """

    def __init__(
        self, slots: SaveSlots, manager: SaveLoadManager, slot: str = "auto"
    ) -> None:
        """Raises `SaveError` for a forbidden name of a slot."""
        self._slots = slots
        self._manager = manager
        self._slot = slot_name(slot)
        self._open: _OpenJournal | None = None

    @enough_memory
    def record(self, **options: Unpack[SaveOptions]) -> SlotSaveReport:
        """Save the changes since the last record; they are on disk when this returns.

        If the last record no longer exists, everything is saved again.

        `options` are those of `SaveSlots.save`; the thumbnail is written with complete saves
        only. Raises the errors of `SaveSlots.save`; then the earlier records are kept, and the
        next record is a complete save.
        """
        with PausedCollector():
            return self._record(options)

    def _record(self, options: SaveOptions) -> SlotSaveReport:
        journal, self._open = self._open, None
        if options.get("new_lineage"):
            journal = None
        since = journal.snapshot if journal else None
        writer = self._slots.writer
        order = writer.order(self._slot, self._manager, options, since=since)
        if journal is not None:
            self._open = self._continued(journal, order)
        if self._open is None:
            self._slots.wait(self._slot)
            report = writer.write(order)
            chain = RecordChain(report.info.digest)
            snapshot, metadata = order.snapshot, order.metadata
            self._open = _OpenJournal(report, snapshot, metadata, chain, 0)
        return self._open.report

    def _continued(
        self, journal: _OpenJournal, order: SaveOrder
    ) -> _OpenJournal | None:
        """Return a journal with the changes appended; `None` if a complete save is needed."""
        snapshot, metadata = order.snapshot, order.metadata
        new = changes(journal.snapshot, snapshot)
        preserved = snapshot.preserved
        # Only complete saves contain preserved rows, and these may refer to removed objects.
        must_rewrite = preserved is not None and bool(new.removed.rows)
        if preserved is not journal.snapshot.preserved or must_rewrite:
            return None
        last_digest = journal.chain.last_digest
        if new.is_empty and _is_same(metadata, journal.metadata):
            can_continue = self._can_continue(journal, last_digest)
            return journal._replace(snapshot=snapshot) if can_continue else None
        parts, report = coding.encoded(
            new.changed,
            metadata,
            compress=order.options.get("compress", ""),
            limits=self._slots.limits,
            whole=snapshot,
        )
        data = journal.chain.record(payload_of(new.removed, parts))
        size = journal.size + len(data)
        info = replace(journal.report.info, metadata=metadata)
        if size > info.size or not self._append(journal, last_digest, data):
            return None
        slot_report = SlotSaveReport(info=info, **asdict(report))
        return _OpenJournal(slot_report, snapshot, metadata, journal.chain, size)

    def _append(self, journal: _OpenJournal, last_digest: bytes, data: bytes) -> bool:
        """Append a record to a journal that ends with a digest; return whether it does."""
        store = self._slots.store
        self._slots.wait(self._slot)
        with store.lock(self._slot):
            can_continue = self._can_continue(journal, last_digest)
            if can_continue:
                generation = journal.report.info.generation
                store.append(f"{self._slot}/{generation}.journal", data)
        return can_continue

    def _can_continue(self, journal: _OpenJournal, last_digest: bytes) -> bool:
        """Return whether the save is the newest of its slot, and its journal is unchanged."""
        store, generation = self._slots.store, journal.report.info.generation
        files, name = files_of(self._slot, store), f"{self._slot}/{generation}"
        if f"{name}.sav" not in files or max(map(generation_of, files)) > generation:
            return False
        expected = last_digest if journal.size else b""
        try:
            end = store.appended(f"{name}.journal", journal.size - len(expected))
        except SaveError:
            return False
        return end == expected


class _OpenJournal(NamedTuple):
    """A save, and the records that were appended to it."""

    report: SlotSaveReport  # of the last record
    snapshot: Snapshot  # of the last record
    metadata: Metadata  # of the last record
    chain: RecordChain
    size: int  # bytes of the journal


def _is_same(old: Metadata, new: Metadata) -> bool:
    return replace(old, time="", playtime=0.0) == replace(new, time="", playtime=0.0)


# -- changes


class Changes(NamedTuple):
    """The differences between two snapshots: removed keys, and new or changed rows."""

    removed: Removals
    changed: Snapshot

    @property
    def is_empty(self) -> bool:
        removed, changed = self
        parts = [changed.tables, *(getattr(changed, name) for name in MAPPINGS)]
        return removed == Removals(has_slots=False) and not any(parts)


def changes(before: Snapshot, after: Snapshot) -> Changes:
    """Return the changes that turn the snapshot `before` into the snapshot `after`."""
    delta = delta_between(before, after)
    removed = Removals(has_slots=_unkeyed(before) != _unkeyed(after))
    tables: dict[int, Table] = {}
    for number, each in sorted(delta.tables.items()):
        if keys := [key for key, row in each.rows.items() if row is UNSET]:
            removed.rows[number] = keys
        new = after.tables.get(number)
        if new is not None and (places := each.places(new)):
            tables[number] = new.chosen(places)
    maps: dict[str, Any] = {}
    for name in MAPPINGS:
        entries = delta.mappings.get(name, {})
        setattr(removed, name, [key for key in entries if entries[key] is UNSET])
        maps[name] = {key: entries[key] for key in entries if entries[key] is not UNSET}
    slots = after.slots if removed.has_slots else SlotState((), ())
    return Changes(removed, replace(after, tables=tables, slots=slots, **maps))


def _unkeyed(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.slots, snapshot.next_reached, snapshot.dangling
