"""`FolderStore`: a store in a folder, which protects saves from crashes and power cuts."""

from __future__ import annotations

import errno
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from itertools import chain

from savegen.runtime.errors import NoSuchSave, SaveError
from savegen.runtime.values.basics.filenames import comparable_name
from savegen.saves.stores import durable, files
from savegen.saves.stores.durable import (
    TEMPORARY,
    no_such_file,
    system_message,
    writing,
)
from savegen.saves.stores.store import LOCK_TIMEOUT, Store, parts_of, slot_is_busy

LOCKS = (
    ".locks"  # a separate folder, because a slot's folder is removed with its last save
)
_SAVE = r"\d{1,18}\.sav"  # the files that are written under a temporary name first
_UNDECODABLE = re.compile("[\ud800-\udfff]")  # a byte of a name that is not text
_LOCK_INTERVAL = 0.01  # seconds between two attempts to lock


class FolderStore(Store):
    """A folder with a folder for each slot; the first write creates it.

    Each file is written under a temporary name, synced, and renamed; then the folder is synced.
    So after a crash or a power cut, a file is complete or does not exist, on the usual file
    systems of Linux, macOS and Windows. Locking a slot removes temporary files that killed
    processes have left in it. Symbolic links below the folder are not followed.

    Files may be incomplete after a power cut if the drive reports unwritten data as written, or
    has the file system FAT or exFAT. Network drives without locks cannot exclude other
    computers. On Windows, a power cut may lose the folder of a slot that is seconds old.

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
        try:
            is_path = b"\0" not in os.fsencode(self.path)
        except UnicodeEncodeError:
            is_path = False
        if not is_path:
            raise SaveError(f"no folder can be called {self.path!a}")
        # Folders and journals whose names this process has synced. A killed process may have
        # created others without syncing.
        self._synced: set[str] = set()
        self._no_links: tuple[
            str, ...
        ] = ()  # folders of the path that must not be links

    def names(self) -> list[str]:
        """Return all names, including pipes, links, and folders called `*.sav`.

        Temporary files are left out.
        """
        folders = [name for name, is_folder in self._list("") if is_folder]
        return sorted(chain.from_iterable(map(self._names_in, folders)))

    def names_by_slot(
        self, wanted: Callable[[str], bool]
    ) -> dict[str, list[str] | SaveError]:
        """Return the names of each slot that `wanted` accepts; only those slots are listed.

        If a slot has been written to, and there is a file or a link in place of its folder, it
        cannot be listed.
        """
        if type(self).names is not FolderStore.names:  # a subclass has other names
            return super().names_by_slot(wanted)
        found: dict[str, list[str] | SaveError] = {}
        replaced = []
        for slot, is_folder in self._list(""):
            if not wanted(slot):
                continue
            if not is_folder:
                replaced.append(slot)
                continue
            try:
                found[slot] = self._names_in(slot)
            except SaveError as error:
                found[slot] = error.with_traceback(None)
        if replaced:
            with suppress(SaveError):
                locks = {name for name, _ in self._list(LOCKS)}
                found.update(
                    (slot, self._not_a_folder(slot))
                    for slot in replaced
                    if comparable_name(slot) in locks
                )
        return found

    def _not_a_folder(self, slot: str) -> SaveError:
        is_link = files.SYSTEM.is_link(os.path.join(self.path, slot))
        kind = "a symbolic link" if is_link else "a file"
        return SaveError(f"{slot} cannot be listed: it is {kind}, not a folder")

    def _names_in(self, folder: str) -> list[str]:
        if folder == LOCKS:
            return []
        return sorted(
            f"{folder}/{name}"
            for name, is_folder in self._list(folder)
            if not name.endswith(TEMPORARY) and (not is_folder or name.endswith(".sav"))
        )

    def _has_link(self, *folders: str) -> bool:
        return any(map(files.SYSTEM.is_link, (*self._no_links, *folders)))

    def _list(self, folder: str) -> list[tuple[str, bool]]:
        if self._has_link():
            return []
        try:
            entries = files.SYSTEM.list(os.path.join(self.path, folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            text = f"{folder or self.path} cannot be listed: {system_message(error)}"
            raise SaveError(text) from None
        # macOS may separate letters from their accents.
        return [
            (name if name.isascii() else unicodedata.normalize("NFC", name), is_folder)
            for name, is_folder in entries
            if name.isascii() or not _UNDECODABLE.search(name)
        ]

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        path = self._path(name)
        if self._has_link(os.path.dirname(path)):
            raise no_such_file(name)
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
                raise no_such_file(name) from None
        self._remove_empty_folder_of(path)

    def within(self, folder: str) -> FolderStore:
        """Return a store in a subfolder."""
        inner = copy(self)  # of a subclass, too
        inner.path = os.path.join(self.path, folder)
        inner._synced = set()
        inner._no_links = (*self._no_links, inner.path)
        return inner

    def append(self, name: str, data: bytes) -> None:
        path = self._path(name)
        self._make_folder_of(path, name)
        durable.append(path, data, name)
        if path not in self._synced:
            with writing(f"syncing {name}", committed=True):
                files.SYSTEM.sync_folder(os.path.dirname(path))
            self._synced.add(path)

    def appended(self, name: str, start: int = 0) -> bytes:
        try:
            return self.read(name, start)
        except NoSuchSave:
            return b""

    def version(self, name: str) -> object | None:
        try:
            return files.SYSTEM.version(self._path(name))
        except OSError:
            return None

    def move(self, name: str, to: str) -> None:
        old, new = self._path(name), self._path(to)
        self._make_folder_of(new, to)
        with writing(f"moving {name}"):
            try:
                files.SYSTEM.rename(old, new)
            except FileNotFoundError:
                raise no_such_file(name) from None
        with writing(f"syncing {to}", committed=True):
            files.SYSTEM.sync_folder(os.path.dirname(new))
            files.SYSTEM.sync_folder(os.path.dirname(old))
        self._remove_empty_folder_of(old)

    def _remove_empty_folder_of(self, path: str) -> None:
        self._synced.discard(path)
        with suppress(OSError):
            files.SYSTEM.rmdir(os.path.dirname(path))

    @contextmanager
    def lock(self, slot: str) -> Iterator[None]:
        """Make this process the only writer of a slot during a `with` block.

        The kernel releases the lock when the process ends, even if it is killed. Raises
        `SlotBusyError` if another writer holds the lock for half a second, and `SaveWriteError`
        if the folder is not writable.
        """
        path = os.path.join(self.path, LOCKS, comparable_name(slot))
        self._make_folder_of(path, f"the lock of {slot}")
        with writing(f"locking {slot}"):
            file = files.SYSTEM.open(path, "lock")
        try:
            _wait_for_lock(file, slot)
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
            if self._has_link():
                raise OSError(errno.ELOOP, "it is a symbolic link")
            self._make(self.path)
            if self._has_link(folder):
                raise OSError(errno.ELOOP, "it is a symbolic link")
            self._make(folder)

    def _make(self, folder: str) -> None:
        """Create a folder and its parents, and sync their names."""
        parent, is_new = os.path.dirname(folder), True
        try:
            files.SYSTEM.mkdir(folder)
        except FileExistsError:
            is_new = False
        except FileNotFoundError:
            if parent == folder:  # the drive does not exist
                raise
            self._make(parent)
            with suppress(FileExistsError):
                files.SYSTEM.mkdir(folder)
        if is_new or folder not in self._synced:
            try:
                files.SYSTEM.sync_folder(parent)
            except PermissionError:  # the game is not allowed to open it
                if is_new:
                    raise
            self._synced.add(folder)


def _wait_for_lock(file: int, slot: str) -> None:
    for _ in range(round(LOCK_TIMEOUT / _LOCK_INTERVAL)):
        with writing(f"locking {slot}"):
            if files.SYSTEM.lock(file):
                return
        time.sleep(_LOCK_INTERVAL)
    raise slot_is_busy(slot)
