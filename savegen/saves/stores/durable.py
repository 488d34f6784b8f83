"""Write files that survive a power cut and are never incomplete, and read them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from savegen.runtime.errors import (
    NoSuchSave,
    SaveCorruptError,
    SaveError,
    SaveWriteError,
)
from savegen.saves.stores import files
from savegen.saves.stores.files import Opening
from savegen.saves.stores.store import NotAFileError

TEMPORARY = ".tmp"
_MAX_READ = 1024 * 1024  # bytes in one call


def write(
    path: str,
    pieces: Iterable[bytes],
    name: str,
    confirm: Callable[[], object] | None = None,
    replace: bool = False,
) -> None:
    """Write a file under a temporary name, sync it, and rename it.

    Raises `SaveWriteError`, and the exceptions of `pieces` and `confirm`; then no file is left.
    """
    temporary = f"{path}-{os.urandom(8).hex()}{TEMPORARY}"
    pieces = [*pieces]  # an `OSError` of the iterator has another cause
    try:
        with writing(f"writing {name}"), _opened(temporary, "new") as file:
            for piece in pieces:
                _write_all(file, piece)
            files.SYSTEM.sync(file)
        if confirm is not None:
            confirm()
        with writing(f"renaming {name}"):
            finish = files.SYSTEM.replace if replace else files.SYSTEM.rename
            finish(temporary, path)
    except BaseException:
        with suppress(OSError):
            files.SYSTEM.unlink(temporary)
        raise
    with writing(f"syncing {name}", committed=True):
        files.SYSTEM.sync_folder(os.path.dirname(path))


def sweep(folder: str, file: str) -> None:
    """Remove temporary files that killed processes have left behind.

    `file` is a regular expression for the names of the final files. No process may be writing
    one. Errors are ignored; the next writer tries again.
    """
    temporary = re.compile(rf"{file}-[0-9a-f]{{16}}{re.escape(TEMPORARY)}")
    with suppress(OSError):
        for name, is_folder in files.SYSTEM.list(folder):
            if not is_folder and temporary.fullmatch(name):
                files.SYSTEM.unlink(os.path.join(folder, name))


def _write_all(file: int, data: bytes) -> None:
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[files.SYSTEM.write(file, remaining) :]


def append(path: str, data: bytes, name: str) -> None:
    """Add bytes to a file and sync it; if that fails, remove what was added.

    Raises `SaveWriteError`. It is `committed` if the bytes are in the file nevertheless, because
    they could not be removed, or because only closing the file failed.
    """
    is_written = False
    try:
        with _opened(path, "end") as file:
            old_size = files.SYSTEM.size(file)
            try:
                _write_all(file, data)
                is_written = True
                files.SYSTEM.sync(file)
            except BaseException:
                with suppress(OSError):
                    files.SYSTEM.truncate(file, old_size)
                    is_written = False
                raise
    except OSError as error:
        raise _write_error(error, f"appending to {name}", is_written) from None


def read(path: str, start: int, size: int | None, name: str) -> bytes:
    """Return the bytes of a file.

    Raises `NoSuchSave`, `NotAFileError`, `SaveCorruptError` if the disk has lost the bytes, or
    `SaveError` with the reason why they cannot be read at the moment.
    """
    try:
        with _opened(path, "read") as file:
            length = files.SYSTEM.size(file)
            # A hostile file may contain an offset that no seek accepts.
            start = min(start, length)
            available = length - start
            files.SYSTEM.seek(file, start)
            return _read_all(file, available if size is None else min(size, available))
    except (FileNotFoundError, NotADirectoryError):
        raise no_such_file(name) from None
    except OSError as error:
        raise _unreadable(path, name, error) from None


def read_followed(path: str, size: int) -> bytes:
    """Return at most `size` bytes of a file that a player chose; links are followed."""
    return read(os.path.realpath(path), 0, size, path)


def _unreadable(path: str, name: str, error: OSError) -> SaveError:
    if not files.SYSTEM.is_file(path):
        return NotAFileError(f"{name} is not a regular file")
    text = f"{name} cannot be read: {system_message(error)}"
    return SaveCorruptError(text) if error.errno == errno.EIO else SaveError(text)


def _read_all(file: int, size: int) -> bytes:
    pieces = []
    while size > 0 and (piece := files.SYSTEM.read(file, min(size, _MAX_READ))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


@contextmanager
def _opened(path: str, how: Opening) -> Iterator[int]:
    file = files.SYSTEM.open(path, how)
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            files.SYSTEM.close(file)
        raise
    files.SYSTEM.close(file)


@contextmanager
def writing(stage: str, committed: bool = False) -> Iterator[None]:
    """Turn an `OSError` of a `with` block into a `SaveWriteError` that names the stage."""
    try:
        yield
    except OSError as error:
        raise _write_error(error, stage, committed) from None


def _write_error(error: OSError, stage: str, committed: bool) -> SaveWriteError:
    return SaveWriteError(error.errno or 0, stage, committed, system_message(error))


def with_committed(error: SaveWriteError, committed: bool) -> SaveWriteError:
    return SaveWriteError(error.errno, error.stage, committed, error.reason)


def system_message(error: OSError) -> str:
    """Return the message of an error, without its number and path."""
    return error.strerror or str(error)


def no_such_file(name: str) -> NoSuchSave:
    return NoSuchSave(f"there is no {name}")
