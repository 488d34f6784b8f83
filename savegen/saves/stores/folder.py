"""A store in a folder, in which no file is ever incomplete."""

from __future__ import annotations

import errno
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from savegen.runtime.errors import NoSuchSave, SaveError
from savegen.runtime.filenames import same_on_disk
from savegen.saves.stores import durable, files
from savegen.saves.stores.durable import TEMPORARY, no_such, system_message, writing
from savegen.saves.stores.store import PATIENCE, Store, busy, parts_of

LOCKS = ".locks"  # a folder of its own, because a slot's folder is removed with its last save
_SAVE = r"\d{1,18}\.sav"  # the files that are written under a temporary name first
_NO_TEXT = re.compile("[\ud800-\udfff]")  # a byte of a name that is not text
_STEP = 0.01  # seconds between two attempts to lock


class FolderStore(Store):
    """A folder with a folder for each slot; the first write creates it.

    Each file is written under a temporary name, synced, and renamed to a new name; then the
    folder is synced. So after a crash or a power cut, a file is complete or does not exist, on the
    usual file systems of Linux, macOS and Windows. Locking a slot removes
    temporary files that killed processes have left in it. Symbolic links below the folder are
    not followed.

    This does not hold for drives that report unwritten data as written, and for power cuts on
    FAT and exFAT, where renames are not atomic. Network drives without locks cannot exclude
    other computers. On Windows, a power cut may lose the folder of a slot that is seconds old.

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
        # Folders and journals whose names are synced. Existing is not enough: a process that was
        # killed may have created them without syncing.
        self._synced: set[str] = set()

    def names(self) -> list[str]:
        """Return all names, including those of folders, pipes and links."""
        folders = [name for name, is_folder in self._list("") if is_folder]
        return sorted(
            f"{folder}/{name}"
            for folder in folders
            if folder != LOCKS
            for name, is_folder in self._list(folder)
            if not name.endswith(TEMPORARY) and (not is_folder or name.endswith(".sav"))
        )

    def _list(self, folder: str) -> list[tuple[str, bool]]:
        try:
            found = files.SYSTEM.list(os.path.join(self.path, folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            text = f"{folder or self.path} cannot be listed: {system_message(error)}"
            raise SaveError(text) from None
        # macOS may separate letters from their accents
        names = [(unicodedata.normalize("NFC", name), kind) for name, kind in found]
        return [each for each in names if not _NO_TEXT.search(each[0])]

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        path = self._path(name)
        if files.SYSTEM.is_link(os.path.dirname(path)):
            raise no_such(name)
        return durable.read(path, start, size, name)

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        path = self._path(name)
        self._make_folder_of(path, name)
        durable.write(path, pieces, name, confirm)

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
        self._make_folder_of(path, name)
        with writing(f"appending to {name}"):
            durable.append(path, data)
            if path not in self._synced:
                files.SYSTEM.sync_folder(os.path.dirname(path))
                self._synced.add(path)

    def appended(self, name: str, start: int = 0) -> bytes:
        try:
            return self.read(name, start)
        except NoSuchSave:
            return b""

    def move(self, name: str, to: str) -> None:
        old, new = self._path(name), self._path(to)
        self._make_folder_of(new, to)
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
        """Remove the folder of a removed file, if it is empty."""
        self._synced.discard(path)
        with suppress(OSError):
            files.SYSTEM.rmdir(os.path.dirname(path))

    @contextmanager
    def lock(self, slot: str) -> Iterator[None]:
        """A context in which this process is the only writer of a slot.

        The kernel releases the lock when the process ends, even if it is killed. Raises
        `SlotBusyError` within a second, and `SaveWriteError` if the folder is not writable.
        """
        path = os.path.join(self.path, LOCKS, same_on_disk(slot))
        self._make_folder_of(path, f"the lock of {slot}")
        with writing(f"locking {slot}"):
            file = files.SYSTEM.open(path, "lock")
        try:
            _wait_for(file, slot)
            try:
                folder = os.path.join(self.path, slot)
                if not files.SYSTEM.is_link(folder):
                    durable.sweep(folder, _SAVE)
                yield
            finally:
                with suppress(OSError):
                    files.SYSTEM.unlock(file)
        finally:
            with suppress(OSError):
                files.SYSTEM.close(file)

    def _path(self, name: str) -> str:
        return os.path.join(self.path, *parts_of(name))

    def _make_folder_of(self, path: str, name: str) -> None:
        """Create the folder of the store and the folder of a file in it, and sync them."""
        folder = os.path.dirname(path)
        with writing(f"making the folder of {name}"):
            self._make(self.path)
            if files.SYSTEM.is_link(folder):
                raise OSError(errno.ELOOP, "it is a symbolic link")
            self._make(folder)

    def _make(self, folder: str) -> None:
        """Create a folder and its parents, and sync their names."""
        above, is_new = os.path.dirname(folder), True
        try:
            files.SYSTEM.mkdir(folder)
        except FileExistsError:
            is_new = False
        except FileNotFoundError:
            if above == folder:  # the drive does not exist
                raise
            self._make(above)
            with suppress(FileExistsError):
                files.SYSTEM.mkdir(folder)
        if is_new or folder not in self._synced:
            try:
                files.SYSTEM.sync_folder(above)
            except PermissionError:  # the game may not open the folder above
                if is_new:
                    raise
            self._synced.add(folder)


def _wait_for(file: int, slot: str) -> None:
    for _ in range(round(PATIENCE / _STEP)):
        with writing(f"locking {slot}"):
            if files.SYSTEM.lock(file):
                return
        time.sleep(_STEP)
    raise busy(slot)
