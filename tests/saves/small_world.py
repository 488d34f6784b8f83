"""A world of one number and a small file format: what the tests of slots save and load.

They test slots alone: neither the real format nor a real world takes part.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveVersionError,
)
from savegen.runtime.reports import LoadReport
from savegen.saves.limits import Guard, Limits
from savegen.saves.file import Header, Metadata, Progress
from savegen.saves import coding, file
from savegen.saves.coding import VerifiedSave
from savegen.saves.reports import SaveReport
from savegen.saves.slots import writer

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
        self._world = SimpleNamespace(
            registry=SimpleNamespace(save_version=save_version)
        )
        self._game = SimpleNamespace(prefabs={})
        self.on_piece: Callable[[], object] = lambda: None

    def create_snapshot(self) -> Any:
        if self.raises:
            raise self.raises
        table = SimpleNamespace(rows=[self.state] * self.rows)
        return SimpleNamespace(tables={7: table}, on_piece=self.on_piece)

    def _check_rebuilt(self, decoded: Callable[[], Any]) -> None:
        """Do what a manager without `check` does."""

    def apply_snapshot(self, snapshot: Any) -> LoadReport:
        if self.raises:
            raise SaveApplyError(str(self.raises))
        self.state = snapshot
        return LoadReport(changed=1)

    def restart(self, levels: Callable[[], object], snapshot: Any) -> LoadReport:
        if not self.raises:
            levels()
        return self.apply_snapshot(snapshot)


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


def read_header(data: bytes) -> Header:
    (_, length, picture, body), metadata = _header_of(data)
    size = _HEAD.size + length + picture + body + 3 * _DIGEST
    about = msgspec.json.decode(metadata, type=Metadata)
    end = _HEAD.size + length + picture + 2 * _DIGEST
    return Header(about, "", 0, end, size, body, 0, b"", b"")


def read_thumbnail(data: bytes) -> bytes:
    (_, about, size, _), _ = _header_of(data)
    start = _HEAD.size + about + _DIGEST
    picture, seal = data[start : start + size], data[start + size :][:_DIGEST]
    if _digest(picture) != seal:
        raise SaveCorruptError("the picture is damaged", start)
    return picture


def digest_of(data: bytes) -> str:
    return data[-_DIGEST:].hex()


def read(data: bytes, limits: Limits, progress: Progress | None = None) -> VerifiedSave:
    head = read_header(data)
    read_thumbnail(data)
    if len(data) != head.size or _digest(data[:-_DIGEST]) != data[-_DIGEST:]:
        raise SaveCorruptError("the file is damaged", len(data))
    (_, _, _, size), _ = _header_of(data)
    state, rows = msgspec.json.decode(data[-_DIGEST - size : -_DIGEST])
    limits.allow("the number of objects", "objects", rows)
    if progress is not None:
        progress(len(data), len(data))
    body: Any = SimpleNamespace(state=state, version=head.metadata.save_version)
    return VerifiedSave(data, head.metadata, body, Guard(limits, len(data)))


def encoded(
    snapshot: Any,
    metadata: Metadata,
    thumbnail: bytes,
    step: Progress | None,
    compress: str,
    limits: Limits,
    is_own: bool = False,
) -> tuple[list[bytes], SaveReport]:
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
    return [data, _digest(data)], SaveReport(objects=len(rows))


def _json_of(metadata: Metadata) -> bytes:
    try:
        about = msgspec.json.encode(metadata)
        if msgspec.json.decode(about, type=Metadata) == metadata:
            return about
    except (TypeError, ValueError) as error:
        raise SaveError(f"the metadata cannot be written: {error}") from None
    raise SaveError("the metadata's `extra` is not plain JSON")


def decode_body(
    body: Any, registry: Any, guard: Guard, *, prefabs: Any, read_only: bool
) -> Any:
    if body.version > registry.save_version and not read_only:
        raise SaveVersionError("the save is of a newer game")
    return body.state


def fingerprint(registry: Any) -> str:
    return "0123456789abcdef"


REPLACED = {
    file: (read_header, read_thumbnail, digest_of),
    coding: (read, encoded, decode_body),
    writer: (fingerprint,),
}


def install(put: Callable[[Any, str, Any], object] = setattr) -> None:
    """Let worlds of one number be what is saved."""
    for module, functions in REPLACED.items():
        for function in functions:
            put(module, function.__name__, function)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch.setattr)
