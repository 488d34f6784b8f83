"""The saves of a game, as players know them: slots with a few generations each."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Unpack

from savegen.runtime.collecting import Paused, take_for_old
from savegen.runtime.errors import (
    NoSuchSave,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    told,
)
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.saves.stores import durable
from savegen.runtime.saves import loading
from savegen.runtime.saves.container.container import Progress
from savegen.runtime.saves.stores.folder import FolderStore
from savegen.runtime.saves.slots.info import Loaded, SaveInfo
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.stores.names import slot_name
from savegen.runtime.saves.slots.options import SaveOptions
from savegen.runtime.saves.slots.saving import SaveOrder, Saving
from savegen.runtime.saves.slots.shelf import FoundSave, Shelf, passing_over
from savegen.runtime.saves.stores.store import Store, at_once
from savegen.runtime.saves.slots.trash import Trash
from savegen.runtime.saves.slots.writer import Writer

TURNS = 3  # slots that quick saves take in turn, and automatic ones


class SaveSlots:
    """The slots of a folder, or of another store.

    Saving never overwrites: each save is a new file, `<slot>/<n>.sav`, and `keep` of them
    stay. Loading takes the newest that is whole, and says so if it is not the newest. Who
    could not load a slot cannot save to it, unless with `new_lineage=True`.

    >>> import tempfile
    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> folder = tempfile.TemporaryDirectory()
    >>> slots = SaveSlots(folder.name)
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(position=(3.0, 4.0, 0.0)))
    >>> slots.save("slot-1", manager, title="At the gate").generation
    1
    >>> manager.clear()
    >>> slots.load("slot-1", manager).report.created
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
    ) -> None:
        """`keep` is how many generations of a lineage stay; at least one."""
        if keep < 1:
            raise SaveError("at least one generation is kept")
        self.store: Store = (
            folder_or_store
            if isinstance(folder_or_store, Store)
            else FolderStore(folder_or_store)
        )
        self.limits = limits
        self._shelf = Shelf(self.store, limits)
        self._writer = Writer(self._shelf, keep)
        self._trash = Trash(self._shelf, self._writer)
        self.saving = Saving(self._writer, limits, game_version)

    # -- saving

    def save(
        self, slot: str, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SaveInfo:
        """Save a world as the next generation of a slot; it is on the disk when this returns.

        `options` are those of `SaveOptions`: title, playtime, thumbnail and so on.

        Raises `SaveWriteError`, `SlotBusyError`, and `SaveError` if the slot may not be called
        that, the world cannot be saved, or loading the slot has failed. What was in the slot
        is still there then.
        """
        with Paused():
            order = self.saving.order(slot_name(slot), manager, options)
            return self.saving.write(order)

    def save_async(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        timeout: float | None = None,
        progress: Progress | None = None,
        **options: Unpack[SaveOptions],
    ) -> Coroutine[Any, Any, SaveInfo]:
        """Take a snapshot now; encode and write it on another thread while this is awaited.

        Who is cancelled, or waits longer than `timeout` seconds (`SaveWriteError`), leaves the
        slot as it was, if the new file is not whole by then. Saves to one slot that wait for
        another one are not all written, but the latest: the others return what it does.
        `progress` is called on this thread with the objects that were encoded, and how many
        there are. Raises what `save` does.
        """
        order = self.saving.order(slot_name(slot), manager, options)
        return self._save_async(order, timeout, progress)

    async def _save_async(
        self, order: SaveOrder, timeout: float | None, progress: Progress | None
    ) -> SaveInfo:
        from savegen.runtime.saves.slots.background import on_this_loop, outcome

        future = self.saving.start(order, on_this_loop(progress))
        return await outcome(future, timeout, order.slot)

    def quick(
        self, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SaveInfo:
        """Save to the next of `quick-1`, `quick-2` and `quick-3`; `latest` finds it again."""
        return self._save_in_turn("quick", manager, options)

    def auto(
        self, manager: SaveLoadManager, **options: Unpack[SaveOptions]
    ) -> SaveInfo:
        """Save to the next of `auto-1`, `auto-2` and `auto-3`; `latest` finds it again."""
        return self._save_in_turn("auto", manager, options)

    def _save_in_turn(
        self, kind: str, manager: SaveLoadManager, options: SaveOptions
    ) -> SaveInfo:
        turn = self._shelf.turn(kind, TURNS)
        open_ones = [slot for slot in turn if self._writer.is_open(slot)] or [*turn]
        slot = min(open_ones, key=turn.__getitem__)
        order = self.saving.order(slot, manager, options, max(turn.values()))
        return self.saving.write(order)

    def latest(self, kind: str = "quick") -> str:
        """Return the slot that `quick`, or `auto`, saved to last. Raises `NoSuchSave`."""
        turn = self._shelf.turn(kind, TURNS)
        slot = max(turn, key=turn.__getitem__)
        if turn[slot]:
            return slot
        raise NoSuchSave(f"there is no {kind} save")

    def wait(self) -> None:
        """Return when nothing is being written on the other thread."""
        self.saving.settle()

    # -- loading

    def load(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        levels: Callable[[str], object] | None = None,
        generation: int | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> Loaded:
        """Make a world what the newest whole save of a slot says, or that of a `generation`.

        If it was saved with a level, the world is cleared and `levels` called with its name,
        before the save is applied. `read_only` opens a save of a newer game as far as that
        goes; the slot cannot be saved to then. `progress` is called with the bytes that were
        verified, and how many there are.

        Raises `NoSuchSave`, or another `SaveError`: then the world is as it was, and saving to
        this slot is refused until it was loaded, or is given up with `new_lineage=True`.
        """
        slot = slot_name(slot)
        self.saving.settle(slot)
        passed: dict[int, str] = {}
        with self._refusing(slot), Paused():
            while True:
                found = self._shelf.read(slot, generation, progress, passed)
                with passing_over(found, passed):
                    return self._apply(slot, manager, found, levels, read_only)

    async def load_async(
        self,
        slot: str,
        manager: SaveLoadManager,
        *,
        levels: Callable[[str], object] | None = None,
        generation: int | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> Loaded:
        """Read and verify on another thread, then load on this one, as `load` does.

        Who is cancelled has loaded nothing.
        """
        import asyncio

        from savegen.runtime.saves.slots.background import on_this_loop

        slot = slot_name(slot)
        progress = on_this_loop(progress)
        passed: dict[int, str] = {}

        def read() -> FoundSave:
            self.saving.settle(slot)
            return self._shelf.read(slot, generation, progress, passed)

        with self._refusing(slot):
            while True:
                found = await asyncio.to_thread(read)
                with passing_over(found, passed):
                    found = await asyncio.to_thread(found.decoded)
                    return self._apply(slot, manager, found, levels, read_only)

    def _apply(
        self,
        slot: str,
        manager: SaveLoadManager,
        found: FoundSave,
        levels: Callable[[str], object] | None,
        read_only: bool,
    ) -> Loaded:
        info = found.info
        stage = None
        if levels is not None and info.level is not None:
            stage = partial(_started, levels, info.level)
        with Paused():
            report = loading.apply(manager, found.document, stage, read_only=read_only)
            take_for_old()
        self._writer.stand(slot, info)
        if read_only:
            self._writer.refuse(slot, "it was opened to be read only")
        return Loaded(
            info=info, report=report, is_newest=info.is_newest, notes=info.notes
        )

    @contextmanager
    def _refusing(self, slot: str) -> Iterator[None]:
        """Refuse to save to a slot that could not be loaded."""
        try:
            yield
        except NoSuchSave:
            raise
        except Exception as error:
            self._writer.refuse(slot, f"loading it has failed ({error})")
            raise

    # -- what there is

    def list(self, verify: bool = False) -> list[SaveInfo]:
        """Return the newest save of each slot, by the slots' names.

        Only the first bytes of each are looked at, and what was recorded behind it: that may
        have another title. With `verify` all of them are, and a save that is broken is passed
        over as `load` would. A slot of broken saves alone is told of, too: by its `fault`.
        Raises `SaveError` if the store cannot be looked into.
        """
        tell = self._shelf.verified if verify else self._shelf.info
        return [tell(slot, saves) for slot, saves in self._shelf.every()]

    def thumbnail(self, slot: str) -> bytes:
        """Return the picture of the newest save; no bytes if it has none.

        Raises `NoSuchSave`, and `SaveCorruptError` if it is damaged.
        """
        return self._shelf.thumbnail(slot_name(slot))

    # -- whole slots

    def delete(self, slot: str, generation: int | None = None) -> None:
        """Move a slot to the trash, or one of its saves; `restore` brings it back.

        The last 20 deletions can be undone. Raises `NoSuchSave` and `SaveWriteError`.
        """
        slot = slot_name(slot)
        self.saving.settle(slot)
        self._trash.put(slot, generation)

    def trash(self) -> builtins.list[SaveInfo]:
        """Return what `restore` can bring back, the latest deletion first."""
        return self._trash.list()

    def restore(self, slot: str, to: str | None = None) -> SaveInfo:
        """Bring the latest deletion of a slot back, to another slot if `to` names it.

        Raises `NoSuchSave`, and `SaveError` if there are saves in that slot.
        """
        to = slot_name(slot if to is None else to)
        self._trash.restore(slot_name(slot), to)
        return self._shelf.info(to, self._shelf.saves(to))

    def empty_trash(self) -> None:
        """Remove for good what was deleted."""
        self._trash.empty()

    def copy(self, slot: str, to: str, generation: int | None = None) -> SaveInfo:
        """Copy the newest save of a slot that is whole, or another one, to an empty slot.

        Raises `SaveError` if there are saves in `to`, and what reading and writing do.
        """
        slot, to = slot_name(slot), slot_name(to)
        self.saving.settle(slot)
        return self._writer.place(to, self._shelf.read(slot, generation))

    def export(
        self,
        slot: str,
        path: str | os.PathLike[str],
        *,
        generation: int | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a save to a file of its own, as `import_` reads it.

        Raises `SaveWriteError` if it is there and not to be overwritten, and what reading does.
        """
        slot = slot_name(slot)
        self.saving.settle(slot)
        data = self._shelf.read(slot, generation).whole(self.limits)
        target = os.path.abspath(path)
        durable.sweep(target)
        durable.write(target, [data], at_once, os.fspath(path), replace=overwrite)

    def import_(self, path: str | os.PathLike[str], slot: str) -> SaveInfo:
        """Take a save file, from another player say, into an empty slot.

        It is verified, as far as that can be done without a world. Raises `NoSuchSave`, and
        `SaveError` if it is broken, or if there are saves in the slot.
        """
        slot = slot_name(slot)
        return self._writer.place(slot, self._shelf.read_file(os.fspath(path)))


def _started(levels: Callable[[str], object], level: str) -> None:
    try:
        levels(level)
    except SaveCorruptError as error:  # of another save than this
        raise SaveApplyError(f"`levels` raised {told(error)}") from error
    except SaveError:
        raise
    except Exception as error:
        words = f"`levels` raised {told(error)}, for the level {level!r}"
        raise SaveApplyError(words) from error
