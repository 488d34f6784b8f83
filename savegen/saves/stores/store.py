"""The interface of the stores that slots write their files to, and a store in memory."""

from __future__ import annotations

import errno
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from savegen.runtime.errors import (
    NoSuchSave,
    SaveCorruptError,
    SaveError,
    SaveWriteError,
    SlotBusyError,
)
from savegen.runtime.values.basics.filenames import comparable_name

LOCK_TIMEOUT = 0.5  # seconds to wait for another writer of a slot


class NotAFileError(SaveCorruptError):
    """The error for a folder, a pipe or a link with the name of a save.

    It is never read or removed.
    """


class Store(ABC):
    """A store of files by name: in a folder, in memory, in a cloud.

    A name consists of a slot and a file: `slot-1/3.sav`. A store implements the four abstract
    methods, and may override the other ones with better versions. `MemoryStore` is a short
    example. `tests/saves/test_stores.py` tests all stores alike.
    """

    @abstractmethod
    def names(self) -> list[str]:
        """Return all names, sorted. Raises `SaveError` if they cannot be listed."""

    @abstractmethod
    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        """Return the bytes from `start` on, at most `size` of them.

        Raises `NoSuchSave` if nothing has that name, `SaveCorruptError` if the bytes are lost
        or damaged, `SaveError` if they cannot be read at the moment.
        """

    @abstractmethod
    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        """Store all pieces under a new name, or nothing.

        When this returns, the bytes survive a power cut. An implementation calls `confirm` after
        writing all bytes and before the name refers to them. It does not catch exceptions of
        `confirm` and of `pieces`, and then stores nothing.

        Raises `SaveWriteError`; its `committed` says whether the name refers to the bytes.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a name and its bytes. Raises `NoSuchSave` or `SaveWriteError`."""

    def names_by_slot(
        self, wanted: Callable[[str], bool]
    ) -> dict[str, list[str] | SaveError]:
        """Return the names of each slot that `wanted` accepts, sorted.

        In place of the names of a slot that cannot be listed, it returns the reason. This
        implementation lists everything.
        """
        names: dict[str, list[str]] = {}
        for name in self.names():
            names.setdefault(name.partition("/")[0], []).append(name)
        return {slot: names[slot] for slot in names if wanted(slot)}

    def version(self, name: str) -> object | None:
        """Return a value that changes whenever the bytes of a name change; `None` if unknown.

        Without one, `Autosave` reads the whole save before each record, to see that it is still
        undamaged. An example is the ETag of an object in a cloud.
        """
        return None

    def within(self, folder: str) -> Store:
        """Return a store of its own inside this one, whose names this one does not list as slots.

        This implementation writes the name `settings/3.sav` as `<folder>~settings/3.sav`.
        """
        return _StoreWithin(self, f"{folder}~")

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to those that `appended` returns; they survive a power cut.

        Raises `SaveWriteError`; its `committed` says whether all bytes were added. Otherwise
        some of them may have been, so do not append to that name again.
        """
        self.write(f"{name}.{len(self._parts(name)) + 1:06}", [data])

    def appended(self, name: str, start: int = 0) -> bytes:
        """Return the bytes that were appended to a name, in order, from `start` on."""
        return b"".join(map(self.read, self._parts(name)))[start:]

    def _parts(self, name: str) -> list[str]:
        return [part for part in self.names() if part.startswith(name + ".")]

    def move(self, name: str, to: str) -> None:
        """Rename the bytes of a name atomically; `to` must be new."""
        self.write(to, [self.read(name)])
        self.remove(name)

    @contextmanager
    def lock(self, slot: str) -> Iterator[None]:
        """Make the caller the only writer of a slot during a `with` block.

        Names that differ only in case have one lock. Raises `SlotBusyError` within a second if
        there is another writer. This implementation only excludes threads of this process.
        """
        locks = self.__dict__.setdefault("_locks", {})
        lock = locks.setdefault(comparable_name(slot), threading.Lock())
        if not lock.acquire(timeout=LOCK_TIMEOUT):
            raise slot_is_busy(slot)
        try:
            yield
        finally:
            lock.release()


class _StoreWithin(Store):
    """The names of a store that begin with a prefix, without it."""

    def __init__(self, store: Store, prefix: str) -> None:
        self._store = store
        self._prefix = prefix

    def names(self) -> list[str]:
        names = self._store.names()
        return [
            n.removeprefix(self._prefix) for n in names if n.startswith(self._prefix)
        ]

    def names_by_slot(
        self, wanted: Callable[[str], bool]
    ) -> dict[str, list[str] | SaveError]:
        size = len(self._prefix)
        found = self._store.names_by_slot(
            lambda slot: slot.startswith(self._prefix) and wanted(slot[size:])
        )
        return {
            slot[size:]: (
                names
                if isinstance(names, SaveError)
                else [name[size:] for name in names]
            )
            for slot, names in found.items()
        }

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        return self._store.read(self._prefix + name, start, size)

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        self._store.write(self._prefix + name, pieces, confirm)

    def remove(self, name: str) -> None:
        self._store.remove(self._prefix + name)

    def version(self, name: str) -> object | None:
        return self._store.version(self._prefix + name)

    def append(self, name: str, data: bytes) -> None:
        self._store.append(self._prefix + name, data)

    def appended(self, name: str, start: int = 0) -> bytes:
        return self._store.appended(self._prefix + name, start)

    def move(self, name: str, to: str) -> None:
        self._store.move(self._prefix + name, self._prefix + to)

    @contextmanager
    def lock(self, slot: str) -> Iterator[None]:
        with self._store.lock(self._prefix + slot):
            yield


class MemoryStore(Store):
    """A store in memory; its saves are lost when the process ends.

    >>> store = MemoryStore()
    >>> store.write("slot-1/1.sav", [b"once ", b"upon a time"])
    >>> store.names(), store.read("slot-1/1.sav", 5, 4)
    (['slot-1/1.sav'], b'upon')
    """

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def names(self) -> list[str]:
        return sorted(self._files.copy())

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        data = self._file(name)
        return data[start:] if size is None else data[start : start + size]

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        parts_of(name)
        data = b"".join(pieces)
        if confirm is not None:
            confirm()
        if self._files.setdefault(name, data) is not data:
            stage, reason = f"writing {name}", "the name exists already"
            raise SaveWriteError(errno.EEXIST, stage, False, reason)

    def remove(self, name: str) -> None:
        self._file(name)
        del self._files[name]

    def version(self, name: str) -> object | None:
        return self._files.get(name)

    def _file(self, name: str) -> bytes:
        parts_of(name)
        try:
            return self._files[name]
        except KeyError:
            raise NoSuchSave(f"there is no {name} in memory") from None


def slot_is_busy(slot: str) -> SlotBusyError:
    return SlotBusyError(
        f"another process or thread is writing {slot!r}; is the game running twice?"
    )


def parts_of(name: str) -> tuple[str, str]:
    """Return the slot and the file in a name. Raises `SaveError` for another form of name.

    >>> parts_of("slot-1/3.sav")
    ('slot-1', '3.sav')
    """
    slot, _, file = name.partition("/")
    if {slot, file} & {"", ".", ".."} or set("/\\:\0") & set(slot + file):
        raise SaveError(
            f"{name!r} is not a name in a store: write it like 'slot-1/3.sav'"
        )
    return slot, file
