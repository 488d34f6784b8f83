"""Every file operation of a folder of saves, one call to the system each.

`SYSTEM` is the only one there is. Tests put another in its place, which loses what was not
synced, or fails.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from typing import Literal, TypeVar

if sys.platform == "win32":
    import ctypes
    import msvcrt
else:
    import fcntl

T = TypeVar("T")
Opening = Literal["new", "read", "end", "lock"]

_COMMON = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe's other end is not waited for
_FLAGS: dict[str, int] = {
    "new": os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON,
    "read": os.O_RDONLY | _AT_ONCE | _COMMON,
    "end": os.O_WRONLY | os.O_CREAT | os.O_APPEND | _AT_ONCE | _COMMON,
    "lock": os.O_RDWR | os.O_CREAT | _AT_ONCE | _COMMON,
}
_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)
_NO_FULL_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOTTY)
_TRIES, _PAUSE = 20, 0.02  # on Windows, seconds: a virus scanner looks at a new file
_WRITE_THROUGH = 8  # MOVEFILE_WRITE_THROUGH


class Files:
    """What is asked of the system. Paths are absolute; whatever fails raises `OSError`."""

    def open(self, path: str, how: Opening) -> int:
        """Open a file: "new" must not exist; "end" appends, and makes one, as "lock" does."""
        return os.open(path, _FLAGS[how], 0o666)

    def size(self, file: int) -> int:
        """Return its length in bytes. Raises `OSError` for a pipe, a device or a folder."""
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return found.st_size

    def seek(self, file: int, start: int) -> None:
        os.lseek(file, start, os.SEEK_SET)

    def read(self, file: int, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        return os.read(file, size)

    def write(self, file: int, data: bytes | memoryview) -> int:
        """Write at least one byte; return how many were written."""
        return os.write(file, data)

    def truncate(self, file: int, size: int) -> None:
        os.ftruncate(file, size)

    def sync(self, file: int) -> None:
        """Return when what was written is on the disk, and not in a cache of the drive."""
        if sys.platform == "darwin":
            try:
                fcntl.fcntl(file, fcntl.F_FULLFSYNC)
                return
            except OSError as error:  # a network drive, or one that is no disk
                if error.errno not in _NO_FULL_SYNC:
                    raise
        os.fsync(file)

    def sync_folder(self, path: str) -> None:
        """Return when the names in a folder are on the disk, as far as that can be asked.

        Windows cannot be asked; there, `rename` does not return before.
        """
        if sys.platform == "win32":
            return
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno != errno.EINVAL:  # some network drives have no such thing
                raise
        finally:
            os.close(folder)

    def close(self, file: int) -> None:
        os.close(file)

    def rename(self, old: str, new: str) -> None:
        """Give a file a name that nothing has; never replace anything."""
        if sys.platform == "win32":
            _patiently(lambda: _move(old, new))
            return
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        os.rename(old, new)

    def replace(self, old: str, new: str) -> None:
        """Give a file a name, and its file, if there is one, up."""
        _patiently(lambda: os.replace(old, new))

    def unlink(self, path: str) -> None:
        _patiently(lambda: os.unlink(path))

    def mkdir(self, path: str) -> None:
        os.mkdir(path)

    def rmdir(self, path: str) -> None:
        os.rmdir(path)

    def list(self, path: str) -> list[tuple[str, bool]]:
        """Return the names in a folder, and whether each is a folder."""
        with os.scandir(path) as entries:
            return [(entry.name, _is_folder(entry)) for entry in entries]

    def lock(self, file: int) -> bool:
        """Take the kernel's lock on an open file, if nobody has it.

        `unlock` gives it back, and the end of the process, however that ends. A drive that
        has no locks locks nothing.
        """
        try:
            if sys.platform == "win32":
                os.lseek(file, 0, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return True
            if error.errno not in _HELD:
                raise
            return False
        return True

    def unlock(self, file: int) -> None:
        """Give a lock back. Closing is not enough: a process that was forked has it too."""
        if sys.platform == "win32":
            os.lseek(file, 0, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_UN)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle, say: one odd name hides no other
        return False


def _patiently(step: Callable[[], T]) -> T:
    """Do something that Windows refuses as long as somebody else looks at the file."""
    for _ in range(_TRIES if sys.platform == "win32" else 0):
        try:
            return step()
        except PermissionError:
            time.sleep(_PAUSE)
    return step()


if sys.platform == "win32":

    def _move(old: str, new: str) -> None:
        """Rename, and return when the disk has it. Raises `OSError` if `new` is there."""
        move = ctypes.WinDLL("kernel32", use_last_error=True).MoveFileExW
        move.argtypes = (ctypes.c_wchar_p, ctypes.c_wchar_p, ctypes.c_uint32)
        if not move(old, new, _WRITE_THROUGH):
            raise ctypes.WinError(ctypes.get_last_error())


SYSTEM = Files()
