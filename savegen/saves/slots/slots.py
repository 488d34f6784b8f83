"""`SaveSlots`: the slots in which players see their saves, with a few generations each."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from msgspec.structs import asdict

from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.errors import NoSuchSave, SaveApplyError, SaveError, describe_error
from savegen.runtime.reports import LoadReport
from savegen.saves.arguments import check_arguments, check_manager
from savegen.saves.coding import VerifiedSave
from savegen.saves.file import Compression, Progress, check_compression
from savegen.saves.limits import Limits, enough_memory, out_of_memory
from savegen.saves.slots.info import (
    SaveErrorContext,
    SaveInfo,
    SaveOptions,
    SlotLoadReport,
    SlotSaveReport,
)
from savegen.saves.slots.names import SHARED, app_folder, slot_name
from savegen.saves.slots.reader import SlotReader, SlotSave
from savegen.saves.slots.trash import Trash
from savegen.saves.slots.writer import SaveOrder, SlotWriter
from savegen.saves.stores import durable
from savegen.saves.stores.folder import FolderStore
from savegen.saves.stores.store import Store

if TYPE_CHECKING:
    from savegen.runtime import SaveLoadManager
    from savegen.runtime.generated.registry import Registry
    from savegen.saves.slots.background import PendingSave, SaveThread
    from savegen.saves.slots.shared import SharedSave

T = TypeVar("T")

ROTATION = 3  # the number of slots for quick saves, and for automatic saves


class _LoadAttempt:
    """Refuses saves to a slot if a load in its `with` block fails.

    A class, unlike a generator, needs no memory at the end of the block.
    """

    def __init__(self, writer: SlotWriter, slot: str) -> None:
        self._writer = writer
        self._slot = slot

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, MemoryError):
            self._writer.refuse(self._slot, "loading it has failed (out of memory)")
            raise out_of_memory() from None
        if isinstance(error, Exception) and not isinstance(error, NoSuchSave):
            reason = str(error) or type(error).__name__
            self._writer.refuse(self._slot, f"loading it has failed ({reason})")


class SaveSlots:
    """The slots in a folder, or in another store.

    Saving never overwrites: each save is a new file, `<slot>/<n>.sav`, and the newest `keep`
    are kept. A load takes the newest undamaged save; its report says if newer ones exist.
    After a failed load, saves to that slot are refused, except with `new_lineage=True`.

    >>> import tempfile
    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> folder = tempfile.TemporaryDirectory()
    >>> slots = SaveSlots(folder.name)
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(position=(3.0, 4.0, 0.0)))
    >>> slots.save("slot-1", manager, title="At the gate").generation
    1
    >>> manager.clear()
    >>> slots.load("slot-1", manager).created
    1
    >>> [(info.slot, info.title) for info in slots.list()]
    [('slot-1', 'At the gate')]
    >>> folder.cleanup()
    """

    def __init__(
        self,
        folder_or_store: str | os.PathLike[str] | Store,
        *,
        keep: int = 3,
        game_version: str = "",
        limits: Limits = Limits(),
        compress: Compression = "",
    ) -> None:
        """`keep` is the number of saves that are kept of a slot, at least 1.

        `compress` is that of all saves for which no other is given: "", "zlib", "lzma", or
        "zstd", which needs the extra `savegen[zstd]` before Python 3.14.
        """
        check_arguments(keep=keep, game_version=game_version, limits=limits)
        check_arguments(compress=compress)
        check_compression(compress)
        if not isinstance(folder_or_store, Store):
            check_arguments(folder_or_store=folder_or_store)
        if keep < 1:
            raise SaveError("`keep` must be at least 1")
        self.store: Store = (
            folder_or_store
            if isinstance(folder_or_store, Store)
            else FolderStore(folder_or_store)
        )
        self.limits = limits
        self._options: dict[str, Any] = {
            "keep": keep,
            "game_version": game_version,
            "limits": limits,
            "compress": compress,
        }
        self.reader = SlotReader(self.store, limits)
        self.writer = SlotWriter(self.reader, keep, game_version, compress)
        self._trash = Trash(self.reader, self.writer)
        self._background: SaveThread | None = None
        self._shared: SaveSlots | None = None  # for the saves that all slots share

    @classmethod
    def for_app(
        cls,
        name: str,
        *,
        keep: int = 3,
        game_version: str = "",
        limits: Limits = Limits(),
        compress: Compression = "",
    ) -> Self:
        """Return the slots in the folder where the saves of a game belong on this system.

        For the name `pip`, that is `~/.local/share/pip/saves` on Linux,
        `~/Library/Application Support/pip/saves` on macOS, and `AppData\\Local\\pip\\saves` on
        Windows. The first save creates it. Raises `ValueError` for a name that is not allowed
        for a slot, such as `../x`, and `SaveError` if the home of the user is unknown.
        """
        folder = app_folder(name) / "saves"
        return cls(
            folder,
            keep=keep,
            game_version=game_version,
            limits=limits,
            compress=compress,
        )

    # -- saving

    @enough_memory
    def save(
        self, slot: str, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SlotSaveReport:
        """Save a world as the next generation of a slot; it is on disk when this returns.

        `options` are those of `SaveOptions`: title, playtime, thumbnail and so on.

        Raises `SaveWriteError`, `SlotBusyError`, and `SaveError` if the name is forbidden, the
        world cannot be saved, or loading the slot has failed. The earlier saves are kept.
        """
        slot = slot_name(slot)
        with PausedCollector():
            return self._write(self.writer.order(slot, manager, options))

    def _write(self, order: SaveOrder) -> SlotSaveReport:
        self.wait(order.slot)
        return self.writer.write(order)

    @enough_memory
    def save_async(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        timeout: float | None = None,
        progress: Progress | None = None,
        **options: Unpack[SaveOptions],
    ) -> Coroutine[Any, Any, SlotSaveReport]:
        """Take a snapshot now; encode and write it on another thread while this is awaited.

        After a cancellation or a `timeout` in seconds (`SaveWriteError`), the slot is
        unchanged, unless the new file was already complete. If several saves wait for a slot, only
        the newest is written, and all return its report. `progress` is called on this thread
        with the number of rows encoded and the number of all rows. Raises what `save` does.
        """
        check_arguments(timeout=timeout, progress=progress)
        order = self.writer.order(slot_name(slot), manager, options)
        return self._save_async(order, timeout, progress)

    async def _save_async(
        self, order: SaveOrder, timeout: float | None, progress: Progress | None
    ) -> SlotSaveReport:
        from savegen.saves.slots.background import on_this_loop, outcome

        progress = on_this_loop(progress)
        job = self.started_background().start(order, self.writer.write, progress)
        return await outcome(job, timeout)

    @enough_memory
    def save_in_background(
        self, slot: str, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> PendingSave:
        """Take a snapshot now, and encode and write it on another thread, without asyncio.

        The result says when the save has ended, and with which report or error. Like
        `save_async`, it writes only the newest of several saves that wait for a slot, and raises
        at once what prevents the snapshot. If no thread can be started, the save has ended when
        this returns.
        """
        order = self.writer.order(slot_name(slot), manager, options)
        return self.started_background().start_or_run(order, self.writer.write)

    @enough_memory
    def quick(
        self, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SlotSaveReport:
        """Save to `quick-1`, `quick-2` and `quick-3` in turn; `latest` finds the newest."""
        return self._rotate("quick", manager, options)

    @enough_memory
    def auto(
        self, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SlotSaveReport:
        """Save to `auto-1`, `auto-2` and `auto-3` in turn; `latest` finds the newest."""
        return self._rotate("auto", manager, options)

    def _rotate(
        self, kind: str, manager: SaveLoadManager, options: SaveOptions
    ) -> SlotSaveReport:
        newest, faults = self._rotation(kind)
        allowed = [slot for slot in newest if slot not in self.writer.refused]
        slot = min(allowed or newest, key=newest.__getitem__)
        with PausedCollector():
            # A slot that cannot be listed may have a newer save than the others.
            after = max(newest.values()) + len(faults)
            return self._write(self.writer.order(slot, manager, options, after))

    def _rotation(self, kind: str) -> tuple[dict[str, int], builtins.list[SaveError]]:
        """Return the newest generation in each slot that can be listed, and the faults of others.

        Raises `SaveError` if none can be listed.
        """
        newest: dict[str, int] = {}
        faults = []
        for slot, found in self.reader.rotation(kind, ROTATION).items():
            if isinstance(found, SaveError):
                faults.append(found)
            else:
                newest[slot] = found
        if not newest:
            raise faults[0]
        return newest, faults

    def latest(self, kind: str = "quick") -> str:
        """Return the slot that `quick` or `auto` saved to last. Raises `NoSuchSave`."""
        newest, faults = self._rotation(kind)
        slot = max(newest, key=newest.__getitem__)
        if newest[slot]:
            return slot
        for fault in faults:
            raise fault
        name = "autosave" if kind == "auto" else f"{kind} save"
        raise NoSuchSave(f"there is no {name}")

    def wait(self, slot: str | None = None) -> None:
        """Wait until no save is being written to a slot, or to any slot and shared save."""
        if background := self._running_background():
            background.wait(slot)
        if slot is None and self._shared is not None:
            self._shared.wait()

    def started_background(self) -> SaveThread:
        """Return the thread that writes saves; it starts with the first save."""
        from savegen.saves.slots.background import SaveThread

        background = self._running_background()
        if background is None:
            background = self._background = SaveThread()
        return background

    def _running_background(self) -> SaveThread | None:
        background = self._background
        return background if background and background.is_of_this_process else None

    # -- loading

    @enough_memory
    def load(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        levels: Callable[[str], object] | None = None,
        generation: int | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> SlotLoadReport:
        """Load the newest undamaged save of a slot, or that of a `generation`, into a world.

        If it was saved with a level, the world is cleared and `levels` is called with its name
        before the save is applied. `read_only` loads as much as possible of a save from a newer
        version of the game; saves to the slot are then refused. `progress` is called with the
        number of bytes verified and the number of all bytes.

        Raises `NoSuchSave`, or another `SaveError`: the world is then unchanged, and saves to
        this slot are refused until it is loaded, or saved to with `new_lineage=True`.
        """
        slot = slot_name(slot)
        check_manager(manager)
        check_arguments(levels=levels, generation=generation, progress=progress)
        with _LoadAttempt(self.writer, slot), PausedCollector():
            # No local variable refers to the data that was read, so it can be freed early.
            return self._apply(
                self._read(slot, manager, generation, read_only, progress),
                manager,
                levels,
                read_only,
            )

    async def load_async(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        levels: Callable[[str], object] | None = None,
        generation: int | None = None,
        read_only: bool = False,
        timeout: float | None = None,
        progress: Progress | None = None,
    ) -> SlotLoadReport:
        """Read, verify and decode on another thread, then apply on this one, as `load` does.

        Cancelling leaves the world as it was. So does a `timeout` in seconds, after which
        reading the save raises `SaveError`; as after any failed load, saves to the slot are then
        refused.
        """
        from savegen.saves.slots.background import read_on_thread

        slot = slot_name(slot)
        check_manager(manager)
        check_arguments(levels=levels, generation=generation)
        check_arguments(timeout=timeout, progress=progress)
        with _LoadAttempt(self.writer, slot):
            read = partial(self._read, slot, manager, generation, read_only)
            save = await read_on_thread(slot, read, timeout, progress)
            with PausedCollector():
                return self._apply(save, manager, levels, read_only)

    def _read(
        self,
        slot: str,
        manager: SaveLoadManager,
        generation: int | None,
        read_only: bool,
        progress: Progress | None,
    ) -> SlotSave:
        self.wait(slot)
        decode = partial(VerifiedSave.snapshot, manager=manager, read_only=read_only)
        return self.reader.read(slot, generation, progress, decode)

    def _apply(
        self,
        save: SlotSave,
        manager: SaveLoadManager,
        levels: Callable[[str], object] | None,
        read_only: bool,
    ) -> SlotLoadReport:
        info = save.info
        report: LoadReport | None = None
        try:
            with SaveErrorContext(info):
                if levels is None or info.level is None:
                    report = manager.apply_snapshot(save.snapshot)
                else:
                    start = partial(_start_level, levels, info.level)
                    report = manager.restart(start, save.snapshot)
            return self._report(info, report, read_only)
        except MemoryError:
            if report is None:
                raise
        # The world is loaded, and the report needs little memory, so try again.
        return self._report(info, report, read_only)

    def _report(
        self, info: SaveInfo, report: LoadReport, read_only: bool
    ) -> SlotLoadReport:
        self.writer.follow(info.slot, info)
        if read_only:
            self.writer.refuse(info.slot, "it was loaded with `read_only=True`")
        notes = (*info.notes, *report.notes)
        return SlotLoadReport(info=info, **asdict(report) | {"notes": notes})

    # -- saves that all slots share

    def shared(
        self,
        name: str,
        value: T,
        registry: Registry | SaveLoadManager,
        *,
        merge: Callable[[T, T], T] | None = None,
    ) -> SharedSave[T]:
        """Load a saveable object that all slots share, such as settings or achievements.

        Pass the object with its defaults. If there is a save of that name, its fields are loaded
        into the object; the `value` of the result is that object, and its `save()` saves it
        again. The save is not in `list`, but has generations like a slot. If all of them are
        damaged, the object keeps its defaults, and `notes` of the result says so.

        `registry` is the generated `REGISTRY`, or a manager, whose assets are then used, too.
        Two copies of the game, or two machines with a common folder, may save at the same time:
        then `merge` is called with two new objects, mine and theirs, and returns the one to be
        saved.

        Raises `SaveVersionError` and other errors of `load` if the newest undamaged save cannot
        be loaded.
        """
        from savegen.saves.slots.shared import SharedSave

        if self._shared is None:
            store = self.store.within(SHARED)
            self._shared = SaveSlots(store, **self._options)
        return SharedSave(self._shared, name, value, registry, merge)

    # -- listing

    @enough_memory
    def list(self, verify: bool = False) -> list[SaveInfo]:
        """Return the newest save of each slot, by the slots' names.

        Only headers and journals are read; a record of a journal can change the title. With
        `verify`, all bytes of the newest save and its journal are read, and `fault` describes
        the damage. A slot whose saves are all damaged, or that cannot be listed itself, has a
        `fault` in any case. Raises `SaveError` if the store cannot be listed.
        """
        return [*self.reader.infos(verify)]

    @enough_memory
    def thumbnail(self, slot: str) -> bytes:
        """Return the thumbnail of the newest save; empty if it has none.

        Raises `NoSuchSave`, and `SaveCorruptError` if it is damaged.
        """
        return self.reader.thumbnail(slot_name(slot))

    # -- whole slots

    @enough_memory
    def delete(self, slot: str, generation: int | None = None) -> None:
        """Move a slot, or one of its saves, to the trash; `restore` moves it back.

        Only the latest deletion of a slot can be undone. Raises `NoSuchSave` and `SaveWriteError`.
        """
        slot = slot_name(slot)
        check_arguments(generation=generation)
        self.wait(slot)
        self._trash.put(slot, generation)

    def trash(self) -> builtins.list[SaveInfo]:
        """Return the deletions that `restore` can undo, by the names of the slots."""
        return self._trash.list()

    @enough_memory
    def restore(self, slot: str, to: str | None = None) -> SaveInfo:
        """Undo the latest deletion of a slot; `to` names another slot to restore it to.

        Raises `NoSuchSave`, and `SaveError` if the target slot has saves.
        """
        to = slot_name(slot if to is None else to)
        self._trash.restore(slot_name(slot), to)
        return self.reader.info(to, self.reader.saves(to))

    def empty_trash(self) -> None:
        """Remove all deleted saves for good."""
        self._trash.empty()

    @enough_memory
    def copy(self, slot: str, to: str, generation: int | None = None) -> SaveInfo:
        """Copy the newest undamaged save of a slot, or that of a `generation`, to an empty slot.

        Raises `SaveError` if `to` has saves, and the errors of reading and writing.
        """
        slot, to = slot_name(slot), slot_name(to)
        check_arguments(generation=generation)
        self.wait(slot)
        return self.writer.write_copy(to, self.reader.read(slot, generation))

    @enough_memory
    def export(
        self,
        slot: str,
        path: str | os.PathLike[str],
        *,
        generation: int | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a save and its journal to a single file, which `import_` reads.

        Raises `SaveWriteError` if the file exists and `overwrite` is false, and the errors of
        reading.
        """
        slot = slot_name(slot)
        check_arguments(path=path, generation=generation)
        self.wait(slot)
        data = self.reader.read(slot, generation).to_bytes(self.limits)
        folder, file = os.path.split(os.path.abspath(path))
        durable.sweep(folder, re.escape(file))
        target = os.path.join(folder, file)
        durable.write(target, [data], os.fspath(path), replace=overwrite)

    @enough_memory
    def import_(self, path: str | os.PathLike[str], slot: str) -> SaveInfo:
        """Copy a save file, for example from another player, to an empty slot.

        The file is verified completely. Raises `NoSuchSave`, and `SaveError` if the file is
        damaged or the slot has saves.
        """
        slot = slot_name(slot)
        check_arguments(path=path)
        return self.writer.write_copy(slot, self.reader.read_file(os.fspath(path)))


def _start_level(levels: Callable[[str], object], level: str) -> None:
    try:
        levels(level)
    except SaveError:
        raise
    except Exception as error:
        message = f"`levels` raised {describe_error(error)}, for the level {level!r}"
        raise SaveApplyError(message) from error
