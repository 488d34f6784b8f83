"""A folder of saves: nothing in it is ever half written, whatever happens in between."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from savegen.runtime.errors import NoSuchSave, SaveError
from savegen.runtime.saves.stores import durable, files
from savegen.runtime.saves.stores.durable import TEMPORARY, no_such, said, writing
from savegen.runtime.filenames import same_on_disk
from savegen.runtime.saves.stores.store import PATIENCE, Store, at_once, busy, parts_of

LOCKS = ".locks"  # beside the slots: a slot's folder goes with its last save
_STEP = 0.01  # seconds between two looks at a lock


class FolderStore(Store):
    """A folder with a folder for each slot. It is made when something is first written.

    A file is written under a temporary name, synced, and renamed to a name that is new; then
    the folder is synced. So a file is whole or not there, after a crash and after a power
    cut, on the file systems that Linux, macOS and Windows come with. What a killed process
    has left behind is removed when the slot is locked the next time.

    Not promised: what a drive reports as written that is not; power cuts on FAT and exFAT,
    whose renames are not atomic; locks between computers on a network drive that has none.
    On Windows a new slot's folder itself may be lost in a power cut within seconds.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = FolderStore(folder.name)
    >>> with store.lock("slot-1"):
    ...     store.write("slot-1/1.sav", [b"once ", b"upon a time"])
    >>> store.names(), store.read("slot-1/1.sav", 5, 4)
    (['slot-1/1.sav'], b'upon')
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        # Folders and journals whose own names are on the disk. Not being new is not
        # enough: a process that was killed may have made them and synced nothing.
        self._synced: set[str] = set()

    def names(self) -> list[str]:
        folders = [name for name, is_folder in self._list("") if is_folder]
        return sorted(
            f"{folder}/{name}"
            for folder in folders
            if folder != LOCKS and _is_text(folder)
            for name, is_folder in self._list(folder)
            if not is_folder and not name.endswith(TEMPORARY) and _is_text(name)
        )

    def _list(self, folder: str) -> list[tuple[str, bool]]:
        try:
            found = files.SYSTEM.list(os.path.join(self.path, folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            text = f"{folder or self.path} cannot be looked into: {said(error)}"
            raise SaveError(text) from None
        # macOS may give letters and their accents apart
        return [(unicodedata.normalize("NFC", name), kind) for name, kind in found]

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        return durable.read(self._path(name), start, size, name)

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        agree: Callable[[], object] = at_once,
    ) -> None:
        path = self._path(name)
        self._make_folder(os.path.dirname(path))
        durable.write(path, pieces, agree, name)

    def remove(self, name: str) -> None:
        path = self._path(name)
        with writing(f"removing {name}"):
            try:
                files.SYSTEM.unlink(path)
            except FileNotFoundError:
                raise no_such(name) from None
        self._leave(path)

    def append(self, name: str, data: bytes) -> None:
        path = self._path(name)
        self._make_folder(os.path.dirname(path))
        with writing(f"adding to {name}"):
            with durable.opened(path, "end") as file:
                durable.append(file, data)
            if path not in self._synced:
                files.SYSTEM.sync_folder(os.path.dirname(path))
                self._synced.add(path)

    def appended(self, name: str) -> bytes:
        try:
            return self.read(name)
        except NoSuchSave:
            return b""

    def move(self, name: str, to: str) -> None:
        old, new = self._path(name), self._path(to)
        self._make_folder(os.path.dirname(new))
        with writing(f"moving {name}"):
            try:
                files.SYSTEM.rename(old, new)
            except FileNotFoundError:
                raise no_such(name) from None
        with writing(f"syncing {to}", committed=True):
            files.SYSTEM.sync_folder(os.path.dirname(new))
            files.SYSTEM.sync_folder(os.path.dirname(old))
        self._leave(old)

    def _leave(self, path: str) -> None:
        """Remove the folder of a file that is gone, if it was the last one."""
        self._synced.discard(path)
        with suppress(OSError):
            files.SYSTEM.rmdir(os.path.dirname(path))

    @contextmanager
    def lock(self, slot: str) -> Iterator[None]:
        """Be the only writer of a slot, among all processes, for a while.

        The kernel ends it with the process, however that ends. Raises `SlotBusyError` within
        a second, and `SaveWriteError` if the folder cannot be written to.
        """
        folder = os.path.join(self.path, LOCKS)
        self._make_folder(folder)
        path = os.path.join(folder, same_on_disk(slot))
        with writing(f"locking {slot}"):
            file = files.SYSTEM.open(path, "lock")
        try:
            _wait_for(file, slot)
            try:
                self._sweep(slot)
                yield
            finally:
                with suppress(OSError):
                    files.SYSTEM.unlock(file)
        finally:
            with suppress(OSError):
                files.SYSTEM.close(file)

    def _sweep(self, slot: str) -> None:
        """Remove what was left half written. Nobody writes there now; it can wait, too."""
        with suppress(SaveError, OSError):
            for name, is_folder in self._list(slot):
                if name.endswith(TEMPORARY) and not is_folder:
                    files.SYSTEM.unlink(os.path.join(self.path, slot, name))

    def _path(self, name: str) -> str:
        return os.path.join(self.path, *parts_of(name))

    def _make_folder(self, path: str) -> None:
        """Make a folder below the store's, and that one, so that they stay."""
        with writing(f"making the folder {path}"):
            _make_all(self.path, self._synced)
            _make(path, self._synced)


def _make_all(path: str, synced: set[str]) -> None:
    """Make a folder and those above it."""
    above = os.path.dirname(path)
    try:
        _make(path, synced)
    except FileNotFoundError:
        if above == path:  # a drive that is not there
            raise
        _make_all(above, synced)
        _make(path, synced)


def _make(path: str, synced: set[str]) -> None:
    is_new = True
    try:
        files.SYSTEM.mkdir(path)
    except FileExistsError:
        is_new = False
    if is_new or path not in synced:
        _sync_entry(path, is_new)
        synced.add(path)


def _sync_entry(path: str, is_new: bool) -> None:
    try:
        files.SYSTEM.sync_folder(os.path.dirname(path))
    except PermissionError:  # a folder that the game may not look into
        if is_new:
            raise


def _wait_for(file: int, slot: str) -> None:
    for _ in range(round(PATIENCE / _STEP)):
        with writing(f"locking {slot}"):
            if files.SYSTEM.lock(file):
                return
        time.sleep(_STEP)
    raise busy(slot)


def _is_text(name: str) -> bool:
    """Tell whether a name is text: one with stray bytes is none of ours."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)
