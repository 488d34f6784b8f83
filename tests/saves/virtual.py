"""A disk in memory that keeps what was synced, and may lose whatever was not.

`VirtualDisk` takes the place of `files.SYSTEM`. What a power cut can leave is not one state but
many: a name that was not synced may be there or not, and what was written to a file may be
there, be missing, be cut short or be zeros, each for itself. `outcomes` yields all of them.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import pytest

from savegen.saves.stores import files
from savegen.saves.stores.folder import LOCKS

_folder = cache(posixpath.dirname)  # few paths, asked for by the hundred thousand
ROOT = "/home/player/saves"  # its parent is there, it is not
MOST_OF_A_WRITE = 150  # bytes: a system may write less than it was given


class PowerCut(BaseException):
    """Nothing works any more."""


@dataclass(eq=False)
class File:
    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""

    def outcomes(self) -> list[bytes]:
        """Return what may be found in it after a power cut."""
        kept, written = self.synced, bytes(self.data)
        if kept == written:
            return [kept]
        middle = (len(kept) + len(written)) // 2
        zeros = kept + bytes(max(0, len(written) - len(kept)))
        return [*dict.fromkeys((kept, written, written[:middle], zeros))]


Names = dict[str, File | None]  # None: a folder


@dataclass(frozen=True)
class Change:
    """Something that happened to names, which a sync of its folder makes last."""

    folder: str
    path: str
    what: File | None
    gone: str = ""  # the name that it had before, or that is gone altogether

    def apply(self, names: Names) -> None:
        names.pop(self.gone, None)
        if self.path:
            names[self.path] = self.what


@dataclass
class Open:
    path: str
    file: File
    place: int = 0


class VirtualDisk(files.FileSystem):
    """One disk, and the system on top of it.

    `before` is asked before each operation, with its number and its name: what it raises
    happens instead.
    """

    def __init__(self, names: Names | None = None) -> None:
        self.names: Names = names or {"/": None, "/home": None, "/home/player": None}
        self.kept: Names = {**self.names}
        self.changes: list[Change] = []
        self.opened: dict[int, Open] = {}
        self.locked: dict[str, int] = {}  # path to descriptor
        self.log: list[str] = []
        self.before: Callable[[int, str], object] = nothing
        self._next = 100

    def __deepcopy__(self, memo: dict[int, Any]) -> VirtualDisk:
        """Return the disk as a process finds it that has just begun."""
        copied = type(self)()
        for name in ("names", "kept", "changes"):
            setattr(copied, name, deepcopy(getattr(self, name), memo))
        return copied

    def _step(self, what: str) -> None:
        self.log.append(what)
        self.before(len(self.log), what)

    # -- what may be found after a power cut

    def outcomes(self) -> Iterator[VirtualDisk]:
        """Yield every disk that may come up after the power is cut now."""
        # Whether there is a file to lock makes no difference to anybody.
        changes = [c for c in self.changes if not c.folder.endswith(LOCKS)]
        for applied in product((False, True), repeat=len(changes)):
            names = {**self.kept}
            for change, is_applied in zip(changes, applied, strict=True):
                if is_applied:
                    change.apply(names)
            yield from _with_data(_reachable(names))

    def killed(self) -> None:
        """End the process that used it: descriptors and locks go, the rest stays."""
        self.opened.clear()
        self.locked.clear()
        self.before = nothing

    # -- operations

    def open(self, path: str, how: files.Opening) -> int:
        self._step(f"open {how}")
        self._folder_of(path)
        found = self.names.get(path)
        if found is None:
            if path in self.names:
                raise _error(errno.EISDIR, path)
            if how == "read":
                raise _error(errno.ENOENT, path)
            found = File()
            self._change(path, found)
        elif how == "new":
            raise _error(errno.EEXIST, path)
        self._next += 1
        self.opened[self._next] = Open(path, found)
        return self._next

    def size(self, file: int) -> int:
        self._step("size")
        return len(self.opened[file].file.data)

    def version(self, path: str) -> object:
        self._step("version")
        found = self.names.get(path)
        if found is None:
            raise _error(errno.ENOENT, path)
        return found, bytes(found.data)

    def seek(self, file: int, start: int) -> None:
        self._step("seek")
        self.opened[file].place = start

    def read(self, file: int, size: int) -> bytes:
        self._step("read")
        found = self.opened[file]
        data = bytes(found.file.data[found.place : found.place + size])
        found.place += len(data)
        return data

    def write(self, file: int, data: bytes | memoryview) -> int:
        self._step("write")
        part = bytes(data[:MOST_OF_A_WRITE])
        self.opened[file].file.data += part
        return len(part)

    def truncate(self, file: int, size: int) -> None:
        self._step("truncate")
        del self.opened[file].file.data[size:]

    def sync(self, file: int) -> None:
        self._step("sync")
        found = self.opened[file].file
        found.synced = bytes(found.data)

    def sync_folder(self, path: str) -> None:
        self._step("sync_folder")
        if path not in self.names:
            raise _error(errno.ENOENT, path)
        for change in [c for c in self.changes if c.folder == path]:
            change.apply(self.kept)
            self.changes.remove(change)

    def close(self, file: int) -> None:
        # A descriptor is given back even if closing it tells of an error.
        found = self.opened.pop(file)
        if self.locked.get(found.path) == file:
            del self.locked[found.path]
        self._step("close")

    def rename(self, old: str, new: str) -> None:
        self._step("rename")
        if new in self.names:
            raise _error(errno.EEXIST, new)
        self._rename(old, new)

    def replace(self, old: str, new: str) -> None:
        self._step("replace")
        self._rename(old, new)

    def _rename(self, old: str, new: str) -> None:
        self._folder_of(new)
        if old not in self.names:
            raise _error(errno.ENOENT, old)
        self._change(new, self.names[old], gone=old)

    def unlink(self, path: str) -> None:
        self._step("unlink")
        if self.names.get(path) is None:
            raise _error(errno.EISDIR if path in self.names else errno.ENOENT, path)
        self._change("", None, gone=path)

    def mkdir(self, path: str) -> None:
        self._step("mkdir")
        self._folder_of(path)
        if path in self.names:
            raise _error(errno.EEXIST, path)
        self._change(path, None)

    def rmdir(self, path: str) -> None:
        self._step("rmdir")
        if any(_folder(name) == path for name in self.names):
            raise _error(errno.ENOTEMPTY, path)
        self._change("", None, gone=path)

    def list(self, path: str) -> list[tuple[str, bool]]:
        self._step("list")
        if path.rstrip("/") not in self.names:
            raise _error(errno.ENOENT, path)
        return [
            (posixpath.basename(name), found is None)
            for name, found in self.names.items()
            if _folder(name) == path.rstrip("/")
        ]

    def lock(self, file: int) -> bool:
        self._step("lock")
        path = self.opened[file].path
        return self.locked.setdefault(path, file) == file

    def unlock(self, file: int) -> None:
        self._step("unlock")
        self.locked.pop(self.opened[file].path, None)

    # --

    def _folder_of(self, path: str) -> None:
        folder = _folder(path)
        if folder not in self.names:
            raise _error(errno.ENOENT, path)

    def _change(self, path: str, what: File | None, gone: str = "") -> None:
        change = Change(_folder(path or gone), path, what, gone)
        change.apply(self.names)
        self.changes.append(change)


def _reachable(names: Names) -> Names:
    """Leave out what stands in a folder that is not there."""
    return {
        path: found
        for path, found in names.items()
        if all(above in names for above in _above(path))
    }


def _above(path: str) -> Iterator[str]:
    while path != "/":
        path = _folder(path)
        yield path


def _with_data(names: Names) -> Iterator[VirtualDisk]:
    torn = {path: found.outcomes() for path, found in names.items() if found}
    for data in product(*torn.values()):
        made: dict[str, Any] = {
            path: File(bytearray(each), each)
            for path, each in zip(torn, data, strict=True)
        }
        yield VirtualDisk({path: made.get(path) for path in names})


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


# -- trouble

ERRNOS = [
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EMFILE,
    errno.ESTALE,
    errno.EIO,
    errno.ENOENT,
    errno.ENOSPC,
]


def nothing(number: int, what: str) -> None:
    """Let everything happen."""


def cut_at(number: int) -> Callable[[int, str], None]:
    """Cut the power before an operation, for good."""

    def before(now: int, what: str) -> None:
        if now >= number:
            raise PowerCut(what)

    return before


def failing_at(number: int, error: int, sticky: bool) -> Callable[[int, str], None]:
    """Let an operation fail, once or with all that come after."""

    def before(now: int, what: str) -> None:
        if now == number or sticky and now > number:
            raise _error(error, what)

    return before


def cuts(
    start: Callable[[], tuple[VirtualDisk, Callable[[], object]]], at_least: int = 2
) -> Iterator[tuple[VirtualDisk, bool]]:
    """Cut the power ever later; yield each disk that may be left, and whether all was done.

    `start` prepares a disk, and returns it with the step in which the power is cut.
    """
    number, done = 0, False
    while not done:
        number += 1
        disk, step = start()
        disk.before = cut_at(len(disk.log) + number)
        try:
            step()
            done = True
        except PowerCut:
            pass
        disk.before = nothing
        for outcome in disk.outcomes():
            yield outcome, done
    assert number > at_least, "the power was never cut in between"


class Unsynced(VirtualDisk):
    """Control arm: nothing that is written is ever synced."""

    def sync(self, file: int) -> None:
        self._step("sync")


class UnsyncedNames(VirtualDisk):
    """Control arm: no folder is ever synced."""

    def sync_folder(self, path: str) -> None:
        self._step("sync_folder")


class Patch:
    """Puts disks in the place of the system's, one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, disk: VirtualDisk) -> VirtualDisk:
        self._monkeypatch.setattr(files, "SYSTEM", disk)
        return disk
