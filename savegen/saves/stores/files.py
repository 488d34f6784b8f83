"""The operations on files that stores of saves need, one small step each.

They are called through `SYSTEM`, which tests replace to simulate failures and power cuts.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from typing import Literal, TypeVar

from savegen import disk

if sys.platform == "win32":
    import ctypes
elif sys.platform == "darwin":
    import fcntl

T = TypeVar("T")
Opening = Literal["new", "read", "end", "lock"]

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
# O_NONBLOCK, so that opening a pipe does not wait for its other end.
_COMMON = (
    _NOFOLLOW
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_FLAGS: dict[str, int] = {
    "new": os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON,
    "read": os.O_RDONLY | _COMMON,
    "end": os.O_WRONLY | os.O_CREAT | os.O_APPEND | _COMMON,
    "lock": os.O_RDWR | os.O_CREAT | _COMMON,
}
_FULL_SYNC_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOTTY)
# Virus scanners on Windows open new files for a moment.
_MAX_TRIES, _PAUSE = 20, 0.02  # seconds between two tries
# Nanoseconds in which two changes of a file may get the same time: on most systems a few
# milliseconds, on FAT two seconds. Its times are full seconds.
_CLOCK_STEP, _COARSE_CLOCK_STEP, _SECOND = 50_000_000, 3_000_000_000, 1_000_000_000
_WRITE_THROUGH = 8  # MOVEFILE_WRITE_THROUGH


class FileSystem:
    """System calls on files. Paths are absolute; errors are `OSError`."""

    def open(self, path: str, how: Opening) -> int:
        """Open a file, never a symbolic link.

        With "new", the file must not exist; "end" appends; "end" and "lock" create it if missing.
        """
        if not _NOFOLLOW and os.path.islink(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        return os.open(path, _FLAGS[how], 0o666)

    def is_file(self, path: str) -> bool:
        """Return whether a path is a regular file and not a link; true if that cannot be read."""
        try:
            return stat.S_ISREG(os.lstat(path).st_mode)
        except OSError:
            return True

    def version(self, path: str) -> object | None:
        """Return a value that every change of a file changes: its number, size and times.

        It is `None` if the file was changed so recently that a further change may have the same
        times.
        """
        status = os.lstat(path)
        changed = max(status.st_mtime_ns, status.st_ctime_ns)
        step = _CLOCK_STEP if changed % _SECOND else _COARSE_CLOCK_STEP
        if time.time_ns() - changed < step:
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        return status.st_dev, status.st_ino, status.st_size, *times

    def is_link(self, path: str) -> bool:
        return os.path.islink(path)

    def size(self, file: int) -> int:
        """Return the length in bytes. Raises `OSError` for a pipe, a device or a folder."""
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return status.st_size

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
        """Wait until the written bytes are on the disk, not only in the cache of the drive."""
        if sys.platform == "darwin":
            try:
                fcntl.fcntl(file, fcntl.F_FULLFSYNC)
                return
            except OSError as error:  # a network drive, for example
                if error.errno not in _FULL_SYNC_UNSUPPORTED:
                    raise
        os.fsync(file)

    def sync_folder(self, path: str) -> None:
        """Wait until the names in a folder are on the disk, if the system supports that.

        Windows does not; there, `rename` waits.
        """
        if sys.platform == "win32":
            return
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno != errno.EINVAL:  # some network drives cannot sync folders
                raise
        finally:
            os.close(folder)

    def close(self, file: int) -> None:
        os.close(file)

    def rename(self, old: str, new: str) -> None:
        """Rename a file. Raises `FileExistsError` if the new name exists."""
        if sys.platform == "win32":
            _retry_on_windows(lambda: _rename_on_windows(old, new))
            return
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        os.rename(old, new)

    def replace(self, old: str, new: str) -> None:
        """Rename a file; a file that already has the new name is replaced."""
        _retry_on_windows(lambda: os.replace(old, new))

    def unlink(self, path: str) -> None:
        _retry_on_windows(lambda: os.unlink(path))

    def mkdir(self, path: str) -> None:
        os.mkdir(path)

    def rmdir(self, path: str) -> None:
        os.rmdir(path)

    def list(self, path: str) -> list[tuple[str, bool]]:
        """Return the names in a folder, and whether each is a folder and not a link.

        That is true if it cannot be read, so that listing it tells why.
        """
        with os.scandir(path) as entries:
            return [(each.name, _is_folder(each)) for each in entries]

    def lock(self, file: int) -> bool:
        """Take the kernel's lock on an open file; return whether that succeeded."""
        return disk.try_lock(file)

    def unlock(self, file: int) -> None:
        disk.unlock(file)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return True


def _retry_on_windows(step: Callable[[], T]) -> T:
    """Repeat a step that Windows refuses while another program has the file open."""
    for _ in range(_MAX_TRIES if sys.platform == "win32" else 0):
        try:
            return step()
        except PermissionError:
            time.sleep(_PAUSE)
    return step()


if sys.platform == "win32":

    def _rename_on_windows(old: str, new: str) -> None:
        """Rename a file, and wait until that is on disk. Raises `OSError` if `new` exists."""
        move = ctypes.WinDLL("kernel32", use_last_error=True).MoveFileExW
        move.argtypes = (ctypes.c_wchar_p, ctypes.c_wchar_p, ctypes.c_uint32)
        if not move(old, new, _WRITE_THROUGH):
            raise ctypes.WinError(ctypes.get_last_error())


SYSTEM = FileSystem()
