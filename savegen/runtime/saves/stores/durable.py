"""Files that are whole or not there, and safe from a power cut when they are."""

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
from savegen.runtime.saves.stores import files
from savegen.runtime.saves.stores.files import Opening

TEMPORARY = ".tmp"
_AT_ONCE = 1024 * 1024  # bytes that one call reads


def write(
    path: str,
    pieces: Iterable[bytes],
    agree: Callable[[], object],
    name: str,
    replace: bool = False,
) -> None:
    """Write a file that is whole and safe from a power cut when it has its name.

    Raises `SaveWriteError`, and whatever `pieces` and `agree` do; then nothing is left.
    """
    folder, file = os.path.split(path)
    temporary = os.path.join(folder, f"{file}-{os.urandom(8).hex()}{TEMPORARY}")
    try:
        _write_temporary(temporary, pieces, name)
        agree()
        with writing(f"renaming {name}"):
            finish = files.SYSTEM.replace if replace else files.SYSTEM.rename
            finish(temporary, path)
    except BaseException:
        with suppress(OSError):
            files.SYSTEM.unlink(temporary)
        raise
    with writing(f"syncing {name}", committed=True):
        files.SYSTEM.sync_folder(folder)


def sweep(path: str) -> None:
    """Remove what a killed process has left where it was to write a file."""
    folder, file = os.path.split(path)
    left = re.compile(rf"{re.escape(file)}-[0-9a-f]{{16}}{re.escape(TEMPORARY)}")
    with suppress(OSError):
        for name, is_folder in files.SYSTEM.list(folder):
            if not is_folder and left.fullmatch(name):
                files.SYSTEM.unlink(os.path.join(folder, name))


def _write_temporary(path: str, pieces: Iterable[bytes], name: str) -> None:
    stage = f"writing {name}"
    with writing(stage):
        file = files.SYSTEM.open(path, "new")
    try:
        for piece in pieces:  # what they raise is nobody's but theirs
            with writing(stage):
                _write_all(file, piece)
        with writing(stage):
            files.SYSTEM.sync(file)
    except BaseException:
        with suppress(OSError):
            files.SYSTEM.close(file)
        raise
    with writing(stage):
        files.SYSTEM.close(file)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[files.SYSTEM.write(file, rest) :]


def append(file: int, data: bytes) -> None:
    """Add to an open file and sync it; if that fails, take back what was added."""
    before = files.SYSTEM.size(file)
    try:
        _write_all(file, data)
        files.SYSTEM.sync(file)
    except BaseException:
        with suppress(OSError):
            files.SYSTEM.truncate(file, before)
        raise


def read(path: str, start: int, size: int | None, name: str) -> bytes:
    """Return the bytes of a file.

    Raises `NoSuchSave`, `SaveCorruptError` if the disk has lost them, or `SaveError` with the
    reason why they cannot be read just now.
    """
    try:
        with opened(path, "read") as file:
            whole = files.SYSTEM.size(file)
            # A hostile file may name a place that no seek takes.
            start = min(start, whole)
            length = whole - start
            files.SYSTEM.seek(file, start)
            return _read_all(file, length if size is None else min(size, length))
    except (FileNotFoundError, NotADirectoryError):
        raise no_such(name) from None
    except OSError as error:
        text = f"{name} cannot be read: {said(error)}"
        is_damaged = error.errno == errno.EIO
        raise SaveCorruptError(text) if is_damaged else SaveError(text) from None


def _read_all(file: int, size: int) -> bytes:
    pieces = []
    while size > 0 and (piece := files.SYSTEM.read(file, min(size, _AT_ONCE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


# -- opening, and what the system says


@contextmanager
def opened(path: str, how: Opening) -> Iterator[int]:
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
    """Turn an error of the system's into one that says what was tried."""
    try:
        yield
    except OSError as error:
        raise SaveWriteError(error.errno or 0, stage, committed, said(error)) from None


def said(error: OSError) -> str:
    """Return what the system says, without its number and path."""
    return error.strerror or str(error)


def no_such(name: str) -> NoSuchSave:
    return NoSuchSave(f"there is no {name}")
