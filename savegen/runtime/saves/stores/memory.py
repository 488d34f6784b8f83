"""Saves that are gone with the process: for tests, and games that keep them elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from savegen.runtime.errors import NoSuchSave, SaveWriteError
from savegen.runtime.saves.stores.store import Store, at_once, parts_of

_EXISTS = 17  # errno.EEXIST


class MemoryStore(Store):
    """A store that forgets everything when it goes.

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
        agree: Callable[[], object] = at_once,
    ) -> None:
        parts_of(name)
        data = b"".join(pieces)
        agree()
        if self._files.setdefault(name, data) is not data:
            raise SaveWriteError(_EXISTS, f"writing {name}", False, "it is there")

    def remove(self, name: str) -> None:
        self._file(name)
        del self._files[name]

    def _file(self, name: str) -> bytes:
        parts_of(name)
        try:
            return self._files[name]
        except KeyError:
            raise NoSuchSave(f"there is no {name} in memory") from None
