"""`Autosave`: save a world often, by appending its changes to a journal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import asdict, replace

from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.snapshots.history.deltas import MAPPINGS, Pause, delta_between
from savegen.runtime.errors import SaveError, check_argument
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.saves import coding, file
from savegen.saves.arguments import check_manager
from savegen.saves.file import DIGEST_SIZE, Metadata, Progress
from savegen.saves.journal import RecordChain, Removals, payload_of
from savegen.saves.limits import enough_memory
from savegen.saves.schema import fingerprint
from savegen.saves.slots.info import SaveOptions, SlotSaveReport
from savegen.saves.slots.save_files import files_of, generation_of
from savegen.saves.slots.names import slot_name
from savegen.saves.slots.slots import SaveSlots
from savegen.saves.slots.writer import SaveOrder

if TYPE_CHECKING:
    from typing import Unpack

    from savegen.runtime import SaveLoadManager
    from savegen.saves.slots.background import PendingSave


class Autosave:
    """Saves a world to a slot again and again. `SaveSlots.load` loads the last record.

    The first record is a complete save, the next generation of the slot. Later records are
    appended to its journal, `<n>.journal`; each contains the changes since the previous one.
    When the journal is larger than the save, `record` writes a new complete save. `record_async`
    does the same on another thread.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
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
        """Raises `SaveError` for a forbidden name of a slot, and for other wrong arguments."""
        check_argument("slots", slots, SaveSlots, "a `SaveSlots`")
        check_manager(manager)
        # Done before the first record, where both would delay a frame.
        import savegen.saves.slots.background

        fingerprint(manager._world.registry)
        self._slots = slots
        self._manager = manager
        self._slot = slot_name(slot)
        self._open: _OpenJournal | None = None
        # The last snapshot, which may not be written yet; the next one shares its rows.
        self._last: Snapshot | None = None
        self._error: Exception | None = None

    @property
    def error(self) -> Exception | None:
        """The error of the last record that has ended; `None` if it was saved.

        So a game can show a notice as long as autosaves fail, for example because the disk is
        full.
        """
        return self._error

    @enough_memory
    def record(self, **options: Unpack[SaveOptions]) -> SlotSaveReport:
        """Save the changes since the last record; they are on disk when this returns.

        If the save or its journal is missing, damaged, or not as the last record left it,
        everything is saved again as the next generation. `info.notes` of the report then says
        why; the earlier files are kept until the following complete save.

        `options` are those of `SaveSlots.save`; the thumbnail is written with complete saves
        only. Raises the errors of `SaveSlots.save`; the earlier records are kept, and after a
        failure to write, the next record is a complete save. After a `SaveWriteError` that is
        `committed`, this record was saved, too.
        """
        self._slots.wait(self._slot)  # for records in the background, too
        with PausedCollector():
            return self._write(self._order(options))

    @enough_memory
    def record_async(self, **options: Unpack[SaveOptions]) -> PendingSave:
        """Take a snapshot now, and save the changes since the last record on another thread.

        Only the snapshot, with the `@before_save` methods, takes time of this thread. If a
        record is still waiting when the next one is made, only the newer one is written, and
        both have its result. You need not look at the result: `error` is that of the last
        record. After an error, the earlier records are kept, and the next record is a complete
        save. If no thread can be started, the record has ended when this returns.

        `options` are those of `record`. Raises at once what prevents the snapshot.

        >>> from savegen.runtime import GameObject, SaveLoadManager
        >>> from savegen.runtime.generated.registry import FORMAT, Registry
        >>> from savegen.saves import MemoryStore
        >>> slots = SaveSlots(MemoryStore())
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> ball = manager.add(GameObject())
        >>> autosave = Autosave(slots, manager)
        >>> saving = autosave.record_async()
        >>> slots.load("auto", manager).created, saving.done(), autosave.error
        (1, True, None)
        """
        with PausedCollector():
            order = self._order(options)
        return self._slots.started_background().start_or_run(order, self._write)

    def _order(self, options: SaveOptions) -> SaveOrder:
        """Return an order to record a snapshot, which is taken now."""
        since = None if options.get("new_lineage") else self._last
        order = self._slots.writer.order(
            self._slot, self._manager, options, since=since
        )
        self._last = order.snapshot
        return order._replace(is_shared=True)

    def _write(
        self,
        order: SaveOrder,
        step: Progress | None = None,
        confirm: Callable[[], object] | None = None,
    ) -> SlotSaveReport:
        try:
            report = enough_memory(self._written)(order, step, confirm)
        except Exception as error:
            self._last, self._error = None, error
            raise
        self._error = None
        return report

    def _written(
        self,
        order: SaveOrder,
        step: Progress | None,
        confirm: Callable[[], object] | None,
    ) -> SlotSaveReport:
        journal, self._open = self._open, None
        if order.new_lineage:
            journal = None
        writer, fault = self._slots.writer, ""
        if journal is not None:
            try:
                self._open = self._continued(journal, order, step)
            except _NotAsWritten as error:
                fault = str(error)
        if self._open is not None:
            writer.remember_newest(order, self._open.report)
            return self._open.report
        # The next number, even if somebody has removed all files of the slot.
        last = journal.report.info.generation if journal else 0
        order = order._replace(after=last)
        report = writer.write(order, step, confirm, spare=last if fault else 0)
        if writer.is_newest(order):  # no later snapshot was written in between
            chain = RecordChain(report.info.digest)
            self._open = _OpenJournal(report, order.snapshot, order.metadata, chain)
        if not fault:
            return report
        note = f"{fault}: a complete save was written"
        return replace(report, info=replace(report.info, notes=(note,)))

    def _continued(
        self, journal: _OpenJournal, order: SaveOrder, step: Progress | None
    ) -> _OpenJournal | None:
        """Return a journal with the changes appended; `None` if a complete save is needed.

        Raises `_NotAsWritten` if the save or the journal is not as the last record left it.
        """
        snapshot, metadata = order.snapshot, order.metadata
        pause = partial(step, 0, 0) if step else lambda: None
        new = changes(journal.snapshot, snapshot, pause)
        preserved = snapshot.preserved
        # Only complete saves contain preserved rows, and these may refer to removed objects.
        must_rewrite = preserved is not None and bool(new.removed.rows)
        if preserved is not journal.snapshot.preserved or must_rewrite:
            return None
        report, data = journal.report, b""
        size, digest = journal.chain.size, journal.chain.digest
        if not new.is_empty or not _is_same(metadata, journal.metadata):
            parts, counts = coding.encoded(
                new.changed,
                metadata,
                step=step,
                compress=order.options.get("compress", ""),
                limits=self._slots.limits,
                whole=snapshot,
            )
            data = journal.chain.record(payload_of(new.removed, parts))
            info = replace(report.info, metadata=metadata)
            report = SlotSaveReport(info=info, **asdict(counts))
            if journal.chain.size > info.size:
                return None
        else:
            metadata = journal.metadata
        store = self._slots.store
        with store.lock(self._slot) if data else nullcontext():
            if not self._is_newest(journal):
                return None
            version = self._check_save(journal)
            self._check_journal(journal, size, digest)
            if data:
                store.append(self._name(journal, "journal"), data)
        return _OpenJournal(report, snapshot, metadata, journal.chain, version)

    # -- whether the files are as the last record left them

    def _is_newest(self, journal: _OpenJournal) -> bool:
        generations = map(generation_of, files_of(self._slot, self._slots.store))
        generation = journal.report.info.generation
        return max(generations, default=generation) == generation

    def _check_save(self, journal: _OpenJournal) -> object | None:
        """Return the version of the save for the next check. Raises `_NotAsWritten`.

        All its bytes are read only if its version differs from that of the last check.
        """
        store, info = self._slots.store, journal.report.info
        name, digest = self._name(journal, "sav"), bytes.fromhex(info.digest)
        try:
            version = store.version(name)
            if store.read(name, info.size - DIGEST_SIZE) != digest:
                raise _NotAsWritten(f"{name} is not as the last record left it")
            if version is None or version != journal.version:
                file.verify(store.read(name), self._slots.limits)
        except SaveError as error:
            raise _NotAsWritten(f"{name}: {error}") from error
        return version

    def _check_journal(self, journal: _OpenJournal, size: int, digest: bytes) -> None:
        """Read the journal, which is never larger than the save. Raises `_NotAsWritten`.

        The times of the file say nothing, because a record has just changed them.
        """
        name = self._name(journal, "journal")
        try:
            data = self._slots.store.appended(name)
        except SaveError as error:
            raise _NotAsWritten(f"{name}: {error}") from error
        if len(data) != size or file.digest(data) != digest:
            raise _NotAsWritten(f"{name} is not as the last record left it")

    def _name(self, journal: _OpenJournal, kind: str) -> str:
        return f"{self._slot}/{journal.report.info.generation}.{kind}"


class _NotAsWritten(Exception):
    """A save or its journal was changed or removed since the last record."""


class _OpenJournal(NamedTuple):
    """A save, and the records that were appended to it."""

    report: SlotSaveReport  # of the last record
    snapshot: Snapshot  # of the last record
    metadata: Metadata  # of the last record
    chain: RecordChain
    version: object | None = None  # of the save when all its bytes were read


def _is_same(old: Metadata, new: Metadata) -> bool:
    return replace(old, time="", playtime=0.0) == replace(new, time="", playtime=0.0)


# -- changes


class ChangedRows(NamedTuple):
    """The differences between two snapshots: removed keys, and new or changed rows."""

    removed: Removals
    changed: Snapshot

    @property
    def is_empty(self) -> bool:
        removed, changed = self
        parts = [changed.tables, *(getattr(changed, name) for name in MAPPINGS)]
        return removed == Removals(has_slots=False) and not any(parts)


def changes(
    before: Snapshot, after: Snapshot, pause: Pause = lambda: None
) -> ChangedRows:
    """Return the changes that turn the snapshot `before` into the snapshot `after`.

    `pause` is called every few hundred rows, so that the thread of the game can run.
    """
    delta = delta_between(before, after, pause)
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
    return ChangedRows(removed, replace(after, tables=tables, slots=slots, **maps))


def _unkeyed(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.slots, snapshot.next_reached, snapshot.dangling
