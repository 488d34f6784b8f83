"""Saving often: what has changed is appended to a journal, instead of saving everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from savegen.runtime.collecting import Paused
from savegen.runtime.snapshot import Snapshot
from savegen.saves.journal.changes import changes, payload_of
from savegen.saves.journal.records import Chain
from savegen.saves.metadata import Metadata
from savegen.saves.slots.info import (
    SaveInfo,
    SlotSaveReport,
    enough_memory,
    save_report,
)
from savegen.saves.slots.lineage import files_by_slot, number_of
from savegen.saves.slots.names import slot_name
from savegen.saves.slots.info import SaveOptions
from savegen.saves.slots.slots import SaveSlots

if TYPE_CHECKING:
    from typing import Unpack

    from savegen.runtime import SaveLoadManager


class Autosave:
    """Records a world into a slot, again and again; `SaveSlots.load` loads the last record.

    The first record is a save of everything, the next generation of the slot. The later ones
    are appended to its journal, `<n>.journal`, each with what has changed since the one
    before. When the journal is larger than the save, `record` writes a new save.

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
        self._open: _Journal | None = None

    @enough_memory
    def record(self, **options: Unpack[SaveOptions]) -> SlotSaveReport:
        """Save what has changed since the last record; when this returns, it is on the disk.

        `options` are those of `SaveSlots.save`; the picture is that of the whole save. Raises
        what `SaveSlots.save` raises; then the earlier records stay, and the next record is a
        save of everything.
        """
        with Paused():
            return self._record(options)

    def _record(self, options: SaveOptions) -> SlotSaveReport:
        journal, self._open = self._open, None
        if journal is None or options.get("new_lineage"):
            return self._begin(options)
        writer = self._slots.writer
        writer.check_open(self._slot)
        metadata = writer.metadata(self._manager, options)
        snapshot, places = self._manager.track(journal.snapshot)
        found = changes(journal.snapshot, snapshot, places)
        preserved = snapshot.preserved
        # Preserved rows are in the save alone; they may refer to what is gone.
        is_gone = preserved is not None and bool(found.removed.rows)
        if preserved is not journal.snapshot.preserved or is_gone:
            return self._begin(options, snapshot)
        if found.is_empty and _says_the_same(metadata, journal.metadata):
            self._open = journal._replace(snapshot=snapshot)
            return journal.report
        compress, limits = options.get("compress", ""), self._slots.limits
        payload, report = payload_of(found, snapshot, metadata, compress, limits)
        data = journal.chain.record(payload)
        size = journal.size + len(data)
        info = replace(journal.report.info, metadata=metadata)
        if size > info.size or not self._append(info, data):
            return self._begin(options, snapshot)
        made = save_report(report, info)
        self._open = _Journal(made, snapshot, metadata, journal.chain, size)
        return made

    def _begin(
        self, options: SaveOptions, snapshot: Snapshot | None = None
    ) -> SlotSaveReport:
        """Save everything, and begin a journal for that."""
        writer = self._slots.writer
        order = writer.order(self._slot, self._manager, options, snapshot=snapshot)
        self._slots.settle(self._slot)
        report = writer.write(order)
        chain = Chain(report.info.digest)
        self._open = _Journal(report, order.snapshot, order.metadata, chain, 0)
        return report

    def _append(self, info: SaveInfo, data: bytes) -> bool:
        """Append to the journal of a save; return whether that is still the slot's newest."""
        store = self._slots.store
        self._slots.settle(self._slot)
        with store.lock(self._slot):
            files = files_by_slot(store.names()).get(self._slot, [])
            name = f"{self._slot}/{info.generation}"
            is_there = f"{name}.sav" in files
            if not is_there or max(map(number_of, files)) > info.generation:
                return False
            store.append(f"{name}.journal", data)
        return True


class _Journal(NamedTuple):
    """A save, and what was appended to it."""

    report: SlotSaveReport  # of the last record
    snapshot: Snapshot  # of the last record
    metadata: Metadata  # of the last record
    chain: Chain
    size: int  # bytes of the journal


def _says_the_same(one: Metadata, other: Metadata) -> bool:
    """Return whether two metadata differ at most in their times."""
    return replace(one, time="", playtime=0.0) == replace(other, time="", playtime=0.0)
