"""A place for saves: names, and bytes behind them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from savegen.runtime.errors import SaveError, SlotBusyError
from savegen.runtime.filenames import same_on_disk

PATIENCE = 0.5  # seconds that a busy slot is waited for


def at_once() -> None:
    """Agree to whatever is about to be done."""


class Store(ABC):
    """Where saves are kept: a folder, memory, a cloud.

    A name is that of a slot, and of a file in it: `slot-1/3.sav`. A store is the four abstract
    methods; a better way to do one of the others may take its place. `MemoryStore` is a short
    example; `tests/saves/test_stores.py` is run on all of them.
    """

    @abstractmethod
    def names(self) -> list[str]:
        """Return all names, sorted. Raises `SaveError` if they cannot be told."""

    @abstractmethod
    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        """Return what is there from byte `start` on, at most `size` bytes.

        Raises `NoSuchSave` if nothing has that name, `SaveCorruptError` if it is lost or
        damaged, `SaveError` if it cannot be read just now.
        """

    @abstractmethod
    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        agree: Callable[[], object] = at_once,
    ) -> None:
        """Keep something under a name that nothing has, whole, or nothing at all.

        It is safe from a power cut when this returns. `agree` is called when all is written
        and before the name leads to it. What it raises, or what `pieces` raise, comes out as
        it is, and nothing is left.

        Raises `SaveWriteError`; its `committed` tells whether the name leads to it now.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Forget what a name leads to. Raises `NoSuchSave` or `SaveWriteError`."""

    def append(self, name: str, data: bytes) -> None:
        """Add to what `appended` returns; safe from a power cut when this returns.

        Raises `SaveWriteError`; nothing was added then, unless that could not be undone
        either: whoever goes on must do so under another name.
        """
        self.write(f"{name}.{len(self._parts(name)) + 1:06}", [data])

    def appended(self, name: str) -> bytes:
        """Return all that was appended under a name, in order; nothing if nothing was."""
        return b"".join(map(self.read, self._parts(name)))

    def _parts(self, name: str) -> list[str]:
        return [part for part in self.names() if part.startswith(name + ".")]

    def move(self, name: str, to: str) -> None:
        """Give something another name, which nothing has. It is never without one."""
        self.write(to, [self.read(name)])
        self.remove(name)

    def lock(self, slot: str) -> AbstractContextManager[None]:
        """Be the only writer of a slot for a while. Names that differ in case are one.

        Raises `SlotBusyError` within a second if somebody else is. This one keeps out other
        threads only.
        """
        return self._locked(slot)

    @contextmanager
    def _locked(self, slot: str) -> Iterator[None]:
        locks = self.__dict__.setdefault("_locks", {})
        lock = locks.setdefault(same_on_disk(slot), threading.Lock())
        if not lock.acquire(timeout=PATIENCE):
            raise busy(slot)
        try:
            yield
        finally:
            lock.release()


def busy(slot: str) -> SlotBusyError:
    return SlotBusyError(
        f"{slot!r} is being written by somebody else: is the game running twice?"
    )


def parts_of(name: str) -> tuple[str, str]:
    """Return the slot and the file of a name. Raises `SaveError` if it has not just those.

    >>> parts_of("slot-1/3.sav")
    ('slot-1', '3.sav')
    """
    slot, _, file = name.partition("/")
    if {slot, file} & {"", ".", ".."} or set("/\\:\0") & set(slot + file):
        raise SaveError(
            f"{name!r} is no name in a store: those are like 'slot-1/3.sav'"
        )
    return slot, file
