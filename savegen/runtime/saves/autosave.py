"""Saving often: what has changed goes behind the last save, instead of a save of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.saves.journal.changes import Changes
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.slots.info import SaveInfo
from savegen.runtime.saves.journal.journal import Chain
from savegen.runtime.saves.slots.lineage import files_by_slot, number_of
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.stores.names import slot_name
from savegen.runtime.saves.journal.playback import record_of
from savegen.runtime.saves.slots.options import SaveOptions
from savegen.runtime.saves.slots.slots import SaveSlots
from savegen.runtime.snapshot import Snapshot

if TYPE_CHECKING:
    from typing import Unpack


class Autosave:
    """Records a world into a slot, again and again; `SaveSlots.load` reads what it was last.

    The first record is a save of everything, the next generation of the slot. Those after
    it are appended to its journal, `<n>.journal`, each with what has changed since the one
    before; when that becomes larger than the save, there is a new save.

    >>> from savegen.runtime import GameObject
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> from savegen.runtime.saves.stores.memory import MemoryStore
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
        """Raises `SaveError` if the slot may not be called that."""
        self._slots = slots
        self._manager = manager
        self._slot = slot_name(slot)
        self._open: _Journal | None = None

    def record(self, **options: Unpack[SaveOptions]) -> SaveInfo:
        """Save what has changed since the last record; it is on the disk when this returns.

        Returns the save that it is part of. `options` are those of `SaveSlots.save`; the
        picture is that of the whole save. Raises what `SaveSlots.save` does; what was
        recorded before is still there, and the next record is a save of everything.
        """
        journal, self._open = self._open, None
        if journal is None or options.get("new_lineage"):
            return self._begin(options)
        self._slots.saving.check_open(self._slot)
        snapshot, places = self._manager.track(journal.snapshot)
        document = journal.changes.since(snapshot, places)
        about = self._slots.saving.about(self._manager.world.registry, options)
        if document is None and _same(about, journal.about):
            self._open = journal._replace(snapshot=snapshot)
            return journal.info
        record = record_of(document or Document([]), about, self._slots.limits)
        data = journal.chain.framed(record)
        size = journal.size + len(data)
        if size > journal.info.size or not self._append(journal.info, data):
            return self._begin(options)
        self._open = journal._replace(snapshot=snapshot, about=about, size=size)
        return journal.info

    def _begin(self, options: SaveOptions) -> SaveInfo:
        """Save everything, and begin a journal to that."""
        saving = self._slots.saving
        order = saving.order(self._slot, self._manager, options)
        info = saving.write(order)
        chain, changes = Chain(info.digest), Changes(order.snapshot)
        self._open = _Journal(info, order.snapshot, order.about, chain, changes, 0)
        return info

    def _append(self, info: SaveInfo, data: bytes) -> bool:
        """Add to the journal of a save; tell whether that is still the newest of the slot."""
        store = self._slots.store
        self._slots.saving.settle(self._slot)
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

    info: SaveInfo
    snapshot: Snapshot  # of the last record
    about: Metadata
    chain: Chain
    changes: Changes
    size: int  # bytes


def _same(one: Metadata, other: Metadata) -> bool:
    """Tell whether the same is said, but for the clocks."""
    return replace(one, time="", playtime=0.0) == replace(other, time="", playtime=0.0)
