"""`SharedSave`: one object in a save of its own, which all slots share, such as settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from msgspec.structs import replace

from savegen.runtime.errors import (
    NoSuchSave,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveWriteError,
    SlotBusyError,
    check_argument,
    check_object,
    describe_error,
    with_article,
)
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.world.objects import GameObject
from savegen.runtime.generated.registry import Registry
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves.coding import VerifiedSave, decode, encode
from savegen.saves.limits import Limits, enough_memory
from savegen.saves.slots.background import PendingSave, SaveThread
from savegen.saves.slots.info import SlotLoadReport, SlotSaveReport
from savegen.saves.slots.names import slot_name
from savegen.saves.slots.save_files import SaveFile, heads
from savegen.saves.slots.reader import SlotReader, SlotSave
from savegen.saves.slots.writer import SaveOrder, SlotWriter

T = TypeVar("T")
_PLACEMENT = "shared"  # finds the object again: a load sets its fields in place


class SharedSlots(Protocol):
    """What a shared save needs of the `SaveSlots` in which it is one slot."""

    limits: Limits
    reader: SlotReader
    writer: SlotWriter

    def wait(self, slot: str | None = None) -> None:
        """Wait until no save is being written to a slot."""

    def _apply(
        self,
        save: SlotSave,
        manager: SaveLoadManager,
        levels: Callable[[str], object] | None,
        read_only: bool,
    ) -> SlotLoadReport:
        """Load a save into a world."""

    def started_background(self) -> SaveThread:
        """Return the thread that writes saves."""


class SharedSave(Generic[T]):
    """One object, with all objects that it refers to, in a save that all slots share.

    `SaveSlots.shared` returns it. `value` is the object that your game passed, with the saved
    fields; change it, and call `save`.

    >>> from enum import IntEnum
    >>> from savegen.runtime import SaveLoadable
    >>> from savegen.runtime.values.rows import Row
    >>> from savegen.runtime.generated.registry import FORMAT, ClassEntry, Registry
    >>> class SettingsData(Row):
    ...     __numbers__ = (1,)
    ...     volume: int
    >>> class SettingsSaveLoad(SaveLoadable):  # shorter than the generated one
    ...     save_type = IntEnum("Kinds", {"SETTINGS": 7}).SETTINGS
    ...     save_load_field_names = {"volume": 1}
    ...     def save_data(self, references=None):
    ...         return SettingsData(volume=self.volume)
    ...     def load_data(self, data, references=None):
    ...         self.volume = data.volume
    >>> class Settings(SettingsSaveLoad):
    ...     volume = 80
    >>> entry = ClassEntry(SettingsSaveLoad, lambda: None, SettingsData, (("volume", "int"),))
    >>> registry = Registry(FORMAT, (entry,))
    >>> from savegen.saves import MemoryStore, SaveSlots
    >>> store = MemoryStore()
    >>> shared = SaveSlots(store).shared("settings", Settings(), registry)
    >>> shared.value.volume = 30
    >>> shared.save().generation
    1
    >>> SaveSlots(store).shared("settings", Settings(), registry).value.volume
    30
    """

    value: T
    """The object that your game passed to `SaveSlots.shared`."""
    report: SlotLoadReport | None
    """The report of the load; `None` if there was no save that could be loaded."""
    notes: tuple[str, ...]
    """Which saves were damaged, or could not be merged, and why."""

    @enough_memory
    def __init__(
        self,
        slots: SharedSlots,
        name: str,
        value: T,
        registry: Registry | SaveLoadManager,
        merge: Callable[[T, T], T] | None,
    ) -> None:
        """`slots` are the slots of all shared saves."""
        wanted = "the generated `REGISTRY`, or a `SaveLoadManager`"
        check_argument("registry", registry, Registry | SaveLoadManager, wanted)
        check_argument("merge", merge, Callable | None, "a function of two objects")
        check_object("value", value)
        if isinstance(value, GameObject):
            raise SaveError("a `GameObject` cannot be shared: share a saveable object")
        self._name = slot_name(name, "a shared save")
        self._slots = slots
        self._registry = registry
        self._merge = merge
        self._manager = self._new_world(value)
        self._pending: list[PendingSave] = []  # the oldest first
        # Digests of saves of others: those that a note has named, and those that need not be
        # merged any more, because `value` includes them or they are damaged.
        self._noted: set[str] = set()
        self._settled: list[str] = []
        # Digests of saves that were loaded or written here, or that other saves follow.
        self._seen: set[str] = set()
        self.value = value
        self.report = None
        self.notes = ()
        self._load()

    def _new_world(self, *values: T) -> SaveLoadManager:
        """Return a new world, with a value in it or empty."""
        game = self._registry
        if isinstance(game, Registry):
            manager = SaveLoadManager(game)
        else:
            manager = SaveLoadManager(game._world.registry, assets=game.assets)
        for value in values:
            manager.add(value, placement=_PLACEMENT)
        return manager

    # -- loading

    def _load(self) -> None:
        try:
            save = self._slots.reader.read(
                self._name, decode=self._decode, may_choose=False
            )
        except NoSuchSave:
            return
        except SaveCorruptError as error:
            self._slots.writer.start_new_lineage(self._name)
            self.notes = (f"{error}; the defaults are used",)
            self._remember_damaged(after=0)
            return
        self.report = self._slots._apply(save, self._manager, None, read_only=False)
        self._seen.add(self.report.info.digest)
        self.notes = self.report.notes
        self._remember_damaged(after=save.info.generation)
        if self._merge_others():
            try:
                self._write()
            except (SaveWriteError, SlotBusyError) as error:  # the next save is in time
                self.notes += (str(error),)

    def _remember_damaged(self, after: int) -> None:
        """Remember the saves that the load has skipped: those after a generation."""
        self._settled += [
            save.digest
            for save in self._saves()
            if save.generation > after and not save.is_copy
        ]

    def _saves(self) -> list[SaveFile]:
        try:
            return self._slots.reader.saves(self._name)
        except NoSuchSave:
            return []

    def _decode(self, save: VerifiedSave) -> Snapshot:
        """Return the snapshot in a save. Raises `SaveApplyError` if it has another class."""
        snapshot = save.snapshot(self._manager)
        keys = [
            key
            for key, placed in snapshot.placements.items()
            if placed.placement == _PLACEMENT
        ]
        entry = self._manager._world.registry.entry_of(type(self.value))
        table = snapshot.tables.get(entry.number)
        if table is None or not any(key in table.keys for key in keys):
            wanted = with_article(entry.display_name)
            raise SaveApplyError(
                f"the shared save {self._name!r} does not hold {wanted}: use another name for it,"
                " or declare the former name of the class with `was=`"
            )
        return snapshot

    # -- saving

    @enough_memory
    def save(self) -> SlotSaveReport:
        """Save the object; it is on disk when this returns.

        If another copy of the game has saved it since it was loaded, that save is merged into
        `value` first, with the function `merge`. Without one, the other save stays beside the
        new one, and `info.notes` of the report names it.

        Raises `SaveWriteError`, `SlotBusyError`, and `SaveError` if the object cannot be saved
        or `merge` raises. The earlier saves are kept.
        """
        self._wait()
        before = len(self.notes)
        self._merge_others()
        report = self._write()
        notes = (*report.info.notes, *self.notes[before:])
        return replace(report, info=replace(report.info, notes=notes))

    @enough_memory
    def save_in_background(self) -> PendingSave:
        """Take a snapshot now, and write it on another thread.

        What other copies of the game have saved is merged before this returns; while an earlier
        save is still being written, that is left to the next save or load, so that no frame waits.
        Of several saves that wait, only the newest is written. The result says when the save has
        ended, and with which report or error.
        """
        thread = self._slots.started_background()
        last = self._pending[-1] if self._pending else None
        if last is None or last.done() or not thread.is_newest(self._name, last):
            self._wait()
            self._merge_others()
        self._remember_written()
        saving = thread.start_or_run(self._order(), self._slots.writer.write)
        if saving not in self._pending:
            self._pending.append(saving)
        return saving

    def _wait(self) -> None:
        """Wait for the saves in the background, and remember which file they have written."""
        self._slots.wait(self._name)
        self._remember_written()
        self._pending.clear()  # in a forked process, those of its parent

    def _remember_written(self) -> None:
        """Remember the files of the saves in the background that have ended."""
        while self._pending and self._pending[0].done():
            saving = self._pending.pop(0)
            error = saving.exception()
            if error is None:
                self._seen.add(saving.result().info.digest)
            else:
                self._remember_if_committed(error)

    def _remember_if_committed(self, error: BaseException) -> None:
        """Remember the file of a save that was written, if a later step failed."""
        if isinstance(error, SaveWriteError) and error.committed:
            self._seen.add(self._slots.writer.last_digest(self._name))

    def _write(self) -> SlotSaveReport:
        try:
            report = self._slots.writer.write(self._order())
        except SaveWriteError as error:
            self._remember_if_committed(error)
            raise
        self._seen.add(report.info.digest)
        return report

    def _order(self) -> SaveOrder:
        order = self._slots.writer.order(self._name, self._manager, {})
        return order._replace(merged=(*reversed(self._settled),))

    # -- what others have saved

    def _merge_others(self) -> bool:
        """Merge the newest saves of other copies of the game; return whether there are any.

        Without a function that merges them, notes name those that are new.
        """
        saves = self._saves()
        newest = heads(saves)
        # If a file cannot be read at the moment, the save before it looks like a newest one.
        contents = {save.digest for save in saves}  # several copies may have one
        self._seen |= contents - {save.digest for save in newest}
        known = self._seen.union(self._settled)
        others = [save for save in newest if save.digest not in known]
        merged = False
        for other in others:
            if self._merge is None:
                self._note(other, "was saved by another copy of the game")
                continue
            try:
                theirs = self._slots.reader.read_one(self._name, other, self._decode)
            except SaveError as error:
                if isinstance(error, SaveCorruptError):
                    self._settled.append(other.digest)
                self._note(other, f"could not be merged: {error}")
                continue
            self._merge_with(theirs.snapshot)
            self._settled.append(other.digest)
            merged = True
        return merged

    def _note(self, save: SaveFile, text: str) -> None:
        if save.digest not in self._noted:
            self._noted.add(save.digest)
            self.notes += (f"{save.name} {text}",)

    def _merge_with(self, snapshot: Snapshot) -> None:
        """Merge the object in a snapshot into the value; after an error, it is unchanged."""
        assert self._merge is not None
        mine, theirs = self._new_world(), self._new_world()
        mine.apply_snapshot(self._reread(self._manager))
        theirs.apply_snapshot(snapshot)
        try:
            result = self._merge(_value_in(mine), _value_in(theirs))
        except SaveError:
            raise
        except Exception as error:
            raise SaveApplyError(f"`merge` raised {describe_error(error)}") from error
        if type(result) is not type(self.value):
            wanted = with_article(type(self.value).__qualname__)
            actual = with_article(type(result).__qualname__)
            returned = "nothing" if result is None else actual
            raise SaveApplyError(
                f"`merge` must return {wanted}, but returned {returned}"
            )
        # The worlds of the two have the preserved data of other versions of the game.
        worlds = (world for world in (mine, theirs) if _value_in(world) is result)
        world = next(worlds, None)
        if world is None:
            world = self._new_world(result)
        self._manager.apply_snapshot(self._reread(world))

    def _reread(self, manager: SaveLoadManager) -> Snapshot:
        """Return a snapshot of a world that another manager can apply."""
        data = encode(manager.create_snapshot(), limits=self._slots.limits)
        return decode(data, manager, limits=self._slots.limits)


def _value_in(manager: SaveLoadManager) -> Any:
    return manager._world.at(manager._world.placed[_PLACEMENT])
