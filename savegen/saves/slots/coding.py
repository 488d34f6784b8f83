"""What slots need to know of the format of a save file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from savegen.runtime import LoadReport
from savegen.saves.metadata import Metadata

Progress: TypeAlias = Callable[[int, int], object]  # how much is done, of how much

HEAD_SIZE = 128 + 64 * 1024  # bytes that `read_head` needs at most


class Head(NamedTuple):
    """What the first bytes of a file say."""

    metadata: Metadata
    size: int  # bytes of the whole file
    thumbnail_size: int


class Contents(NamedTuple):
    """A file that was verified, and not decoded yet."""

    metadata: Metadata
    body: Any


def read_head(data: bytes) -> Head:
    """Return what the first bytes of a file say: `HEAD_SIZE` of them are enough.

    Raises `SaveCorruptError` and `SaveVersionError`.
    """
    raise NotImplementedError


def read_thumbnail(data: bytes) -> bytes:
    """Return the picture in a file; the bytes behind it need not be there."""
    raise NotImplementedError


def digest_of(data: bytes) -> str:
    """Return the digest at the end of a file, which identifies it."""
    raise NotImplementedError


def read(data: bytes, limits: Any, progress: Progress | None = None) -> Contents:
    """Return the contents of a file; every byte is verified.

    Raises `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    raise NotImplementedError


class Played(NamedTuple):
    """A save after its journal."""

    contents: Contents
    records: int  # that were read
    notes: list[str]  # what was not read
    is_damaged: bool  # not only the last record was cut short


def play(contents: Contents, records: bytes, base: str, limits: Any) -> Played:
    """Return a save as it is after the last record that can be read.

    `base` is the digest of its file, `records` the journal.
    """
    raise NotImplementedError


def last_metadata(journal: bytes, base: str, metadata: Metadata) -> Metadata:
    """Return the metadata of the last record of a journal, or of its save."""
    raise NotImplementedError


def write(contents: Contents, like: bytes, limits: Any) -> bytes:
    """Return contents as a file, with the thumbnail and the compression of another one."""
    raise NotImplementedError


def encode(
    snapshot: Any,
    metadata: Metadata,
    thumbnail: bytes,
    compress: str,
    limits: Any,
    step: Progress | None = None,
) -> Iterator[bytes]:
    """Yield a file in pieces.

    `step` is called after at most 1,000 rows each, with the number of rows done and of all.
    """
    raise NotImplementedError


def decode(contents: Contents, manager: Any, read_only: bool) -> Any:
    """Return the snapshot in a file, brought to the version of the game."""
    raise NotImplementedError


def apply(
    manager: Any, snapshot: Any, levels: Callable[[], object] | None
) -> LoadReport:
    """Make the world of a manager what a snapshot says, `levels` called first."""
    raise NotImplementedError


def stamp(manager: Any) -> tuple[int, str]:
    """Return the save version of a game, and a digest of what it saves of its classes."""
    raise NotImplementedError
