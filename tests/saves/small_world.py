"""A world of one number and a small file format: what the tests of slots save and load.

They test slots alone: neither the real format nor a real world takes part.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
)
from savegen.runtime import LoadReport
from savegen.saves.limits import Limits
from savegen.saves.metadata import Metadata
from savegen.saves.slots import coding
from savegen.saves.slots.coding import Contents, Head, Played, Progress

MAGIC = b"SMALLWLD"
_HEAD = struct.Struct("<8sHIII")  # magic, version, bytes of metadata, picture, body
_DIGEST = 16
_PIECE = 10  # rows


class _World:
    """Stands for a `SaveLoadManager`: `state` is all there is, in `rows` rows."""

    def __init__(self, state: int = 0, rows: int = 1, save_version: int = 0) -> None:
        self.state = state
        self.rows = rows
        self.raises: Exception | None = None
        self.save_version = save_version
        self.on_piece: Callable[[], object] = lambda: None

    def create_snapshot(self) -> Any:
        if self.raises:
            raise self.raises
        table = SimpleNamespace(rows=[self.state] * self.rows)
        return SimpleNamespace(tables={7: table}, on_piece=self.on_piece)


World: Any = _World


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()


def _header_of(data: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return version and lengths, and the metadata."""
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise SaveCorruptError("it does not begin as a save", 0)
    _, *numbers = _HEAD.unpack_from(data)
    if numbers[0] > 1:
        raise SaveVersionError(f"the file is of format {numbers[0]}: update the game")
    end = _HEAD.size + numbers[1]
    if _digest(data[:end]) != data[end : end + _DIGEST]:
        raise SaveCorruptError("the header is damaged", 0)
    return tuple(numbers), data[_HEAD.size : end]


def read_head(data: bytes) -> Head:
    (_, about, picture, body), metadata = _header_of(data)
    size = _HEAD.size + about + picture + body + 3 * _DIGEST
    return Head(msgspec.json.decode(metadata, type=Metadata), size, picture)


def read_thumbnail(data: bytes) -> bytes:
    (_, about, size, _), _ = _header_of(data)
    start = _HEAD.size + about + _DIGEST
    picture, seal = data[start : start + size], data[start + size :][:_DIGEST]
    if _digest(picture) != seal:
        raise SaveCorruptError("the picture is damaged", start)
    return picture


def digest_of(data: bytes) -> str:
    return data[-_DIGEST:].hex()


def read(data: bytes, limits: Limits, progress: Progress | None = None) -> Contents:
    head = read_head(data)
    read_thumbnail(data)
    if len(data) != head.size or _digest(data[:-_DIGEST]) != data[-_DIGEST:]:
        raise SaveCorruptError("the file is damaged", len(data))
    (_, _, _, size), _ = _header_of(data)
    state, rows = msgspec.json.decode(data[-_DIGEST - size : -_DIGEST])
    limits.allow("the number of objects", "objects", rows)
    if progress is not None:
        progress(len(data), len(data))
    return Contents(head.metadata, (state, rows))


def play(contents: Contents, records: bytes, base: str, limits: Limits) -> Played:
    raise AssertionError("a small world has no journal")


def last_metadata(journal: bytes, base: str, metadata: Metadata) -> Metadata:
    return metadata


def encode(
    snapshot: Any,
    metadata: Metadata,
    thumbnail: bytes,
    compress: str,
    limits: Limits,
    step: Progress | None = None,
) -> Iterator[bytes]:
    rows = snapshot.tables[7].rows
    limits.allow("the number of objects", "objects", len(rows))
    for done in range(_PIECE, len(rows) + _PIECE, _PIECE):
        snapshot.on_piece()
        if step is not None:
            step(min(done, len(rows)), len(rows))
    body = msgspec.json.encode((rows[0], len(rows))).ljust(64)
    about = _json_of(metadata)
    head = _HEAD.pack(MAGIC, 1, len(about), len(thumbnail), len(body)) + about
    data = head + _digest(head) + thumbnail + _digest(thumbnail) + body
    yield data
    yield _digest(data)


def _json_of(metadata: Metadata) -> bytes:
    try:
        about = msgspec.json.encode(metadata)
        if msgspec.json.decode(about, type=Metadata) == metadata:
            return about
    except (TypeError, ValueError) as error:
        raise SaveError(f"the metadata cannot be written: {error}") from None
    raise SaveError("the metadata's `extra` is not plain JSON")


def decode(contents: Contents, manager: Any, read_only: bool) -> Any:
    if contents.metadata.save_version > manager.save_version and not read_only:
        raise SaveVersionError("the save is of a newer game")
    return contents.body[0]


def apply(
    manager: Any, snapshot: Any, levels: Callable[[], object] | None
) -> LoadReport:
    if manager.raises:
        raise SaveApplyError(str(manager.raises))
    if levels:
        manager.state = None
        levels()
    manager.state = snapshot
    return LoadReport(changed=1)


def stamp(manager: Any) -> tuple[int, str]:
    return manager.save_version, "0123456789abcdef"


REPLACED = (
    *(read_head, read_thumbnail, digest_of, read, play, last_metadata),
    *(encode, decode, apply, stamp),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worlds of one number be what is saved."""
    for function in REPLACED:
        monkeypatch.setattr(coding, function.__name__, function)
