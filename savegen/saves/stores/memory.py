"""Saves in memory: for tests, and for games that store them elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from savegen.runtime.errors import NoSuchSave, SaveWriteError
from savegen.saves.stores.store import Store, parts_of

_EXISTS = 17  # errno.EEXIST


class MemoryStore(Store):
    """A store in memory: its saves end with the process.

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
            reason = "the name exists already"
            raise SaveWriteError(_EXISTS, f"writing {name}", False, reason)

    def remove(self, name: str) -> None:
        self._file(name)
        del self._files[name]

    def _file(self, name: str) -> bytes:
        parts_of(name)
        try:
            return self._files[name]
        except KeyError:
            raise NoSuchSave(f"there is no {name} in memory") from None
