"""The format of a save file: header, metadata, thumbnail, chunks and digests.

docs/save-format.md specifies it. `body` reads the sections in the chunks.
"""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
)
from savegen.runtime.strict_json import json_of
from savegen.saves.limits import (
    MIB,
    CODING_ERRORS,
    Bytes,
    Guard,
    Limits,
    out_of_memory,
    why,
)

MAGIC = b"\x89SGN\r\n\x1a\n"  # transfers as text or in 7 bits would change it
VERSION = 2
DIGEST = 16  # bytes
METADATA = 64 * 1024  # the most bytes of metadata, as JSON
# The size of a chunk in bytes, uncompressed, by compression: lzma finds more repetitions in
# larger chunks. A longer section gets a chunk of its own.
CHUNKS = (MIB, MIB, 4 * MIB)

Compression: TypeAlias = Literal["", "zlib", "lzma"]
Progress: TypeAlias = Callable[[int, int], object]  # done and total
COMPRESSIONS: tuple[Compression, ...] = ("", "zlib", "lzma")  # by their numbers

_FIXED = struct.Struct("<8sHHIIQQI16s")
_CHUNK = struct.Struct("<II")  # size in the file, size uncompressed
_LENGTH = struct.Struct("<I")  # of a section
HEADER_SIZE = _FIXED.size + DIGEST
CHUNK_HEAD_SIZE = _CHUNK.size + DIGEST
HEAD_SIZE = HEADER_SIZE + METADATA  # the bytes that `read_head` needs
_LZMA_MEMORY = 256 * MIB  # the most memory that an lzma stream may request


def digest(*parts: Bytes) -> bytes:
    """Return the digest of some bytes."""
    hashed = blake2b(digest_size=DIGEST)
    for part in parts:
        hashed.update(part)
    return hashed.digest()


class Metadata(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The metadata of a save, which games show in the list that a player chooses from.

    >>> Metadata(title="At the gate", playtime=61.5).title
    'At the gate'
    """

    title: str = ""
    time: str = ""  # when it was saved, in UTC: "2026-01-31T18:05:09Z"
    playtime: float = 0.0  # seconds
    game_version: str = ""
    save_version: int = 0  # of the game that saved; later migrations apply
    schema: str = ""  # changes when the saved fields of any class do
    level: str | None = None  # the level to start before the save is applied
    level_digest: str = ""
    slot: str = ""
    generation: int = 0  # within the slot
    lineage: str = ""  # shared by saves that follow each other
    parent: str = ""  # the digest of the save that this one follows
    # Lineages that this one replaced in its slot, newest first.
    replaces: tuple[str, ...] = ()
    extra: dict[str, Any] = {}  # plain JSON for the game


# -- the header


class Head(NamedTuple):
    """The content of the first bytes of a file: its header and metadata."""

    metadata: Metadata
    compression: Compression
    thumbnail: int  # its offset
    body: int  # the offset of the first chunk
    size: int  # bytes of the whole file
    raw_size: int  # bytes of all sections and their lengths, uncompressed
    chunks: int
    thumbnail_digest: bytes
    digest: bytes  # of everything above


def read_head(data: bytes) -> Head:
    """Return the head of a file from its first `HEAD_SIZE` bytes.

    Raises `SaveCorruptError`, and `SaveVersionError` for a file of another format.
    """
    _check_format(data)
    _, _, number, described, picture, body, raw, chunks, seal = _FIXED.unpack_from(data)
    if described > METADATA:
        raise SaveLimitError("the size of the metadata", METADATA, described)
    about = data[HEADER_SIZE : HEADER_SIZE + described]
    head_digest = data[_FIXED.size : HEADER_SIZE]
    if digest(data[: _FIXED.size], about) != head_digest:
        raise SaveCorruptError("the header is damaged, or the file ends within it", 0)
    if number >= len(COMPRESSIONS):
        raise SaveVersionError(
            f"the file has compression {number}, which this savegen does not know: update"
            " the game"
        )
    thumbnail = HEADER_SIZE + described
    return Head(
        metadata_of(about),
        COMPRESSIONS[number],
        thumbnail,
        thumbnail + picture,
        thumbnail + picture + body + DIGEST,
        raw,
        chunks,
        seal,
        head_digest,
    )


def _check_format(data: bytes) -> None:
    if not data.startswith(MAGIC):
        raise SaveCorruptError(_without_magic(data), 0)
    if len(data) < HEADER_SIZE:
        raise SaveCorruptError("the file ends within its header", len(data))
    version = _FIXED.unpack_from(data)[1]
    if version != VERSION:
        advice = ": update the game" if version > VERSION else ""
        raise SaveVersionError(
            f"the file has format {version}, this savegen reads format {VERSION}{advice}"
        )


def _without_magic(data: bytes) -> str:
    if not data:
        return "the file is empty"
    if MAGIC.startswith(data):
        return "the file ends within its header"
    if data[:4] in (MAGIC[:4], b"\x09SGN"):
        return "the file was changed by a transfer as text: copy it as binary"
    return "the file is not a save"


def read_thumbnail(data: bytes) -> bytes:
    """Return the thumbnail in a file; the rest of the file may be missing.

    Raises `SaveCorruptError` and `SaveVersionError`.
    """
    return _thumbnail(data, read_head(data))


def _thumbnail(data: bytes, head: Head) -> bytes:
    thumbnail = data[head.thumbnail : head.body]
    if digest(thumbnail) != head.thumbnail_digest:
        raise SaveCorruptError("the thumbnail is damaged", head.thumbnail)
    return thumbnail


def digest_of(data: bytes) -> str:
    """Return the digest at the end of a file, which identifies the file."""
    return data[-DIGEST:].hex()


def metadata_of(data: bytes) -> Metadata:
    """Return metadata from JSON. Raises `SaveCorruptError`, `SaveLimitError`."""
    if len(data) > METADATA:
        raise SaveLimitError("the size of the metadata", METADATA, len(data))
    try:
        return msgspec.convert(json_of(data), Metadata)
    except CODING_ERRORS as error:
        raise SaveCorruptError(f"the metadata cannot be read: {error}") from None


def metadata_bytes(about: Metadata) -> bytes:
    """Return metadata as JSON. Raises `SaveError` if JSON cannot represent it exactly."""
    try:
        data = msgspec.json.encode(about)
        if metadata_of(data) == about:
            return data
    except (*CODING_ERRORS, RecursionError) as error:
        raise SaveError(f"the metadata cannot be written: {why(error)}") from error
    raise SaveError(
        "`extra` in the metadata must be plain JSON, which a load returns unchanged"
    )


# -- writing


class FileWriter:
    """Collects sections in chunks, and chunks in a file.

    >>> writer = FileWriter()
    >>> writer.add(b"a section")
    >>> data = b"".join(writer.finish(Metadata(title="At the gate")))
    >>> head, guard = verify(data, Limits()), Guard(Limits(), len(data))
    >>> head.metadata.title, [bytes(each.data) for each in sections(data, head, guard)]
    ('At the gate', [b'a section'])
    """

    def __init__(
        self, compression: Compression = "", level: int = 6, limits: Limits = Limits()
    ) -> None:
        """`level` is that of zlib or lzma: 0 to 9. Raises `SaveError` for others."""
        if compression not in COMPRESSIONS or not 0 <= level <= 9:
            raise SaveError(
                f"compress={compression!r} with level {level} is not possible: use"
                ' "zlib" or "lzma", and a level from 0 to 9'
            )
        self._number = COMPRESSIONS.index(compression)
        self._level = level
        self._limits = limits
        self._waiting: list[bytes] = []
        self._size = 0  # bytes of the sections that are not in a chunk yet
        self._raw = 0
        self._chunks: list[bytes] = []
        self._digests: list[bytes] = []  # of the chunks

    def add(self, section: bytes) -> None:
        """Add one section. Raises `SaveLimitError` if it is too long."""
        size = _LENGTH.size + len(section)
        if size > MIB:
            self._limits.allow("the size of one section", "section", len(section))
        if self._size + size > CHUNKS[self._number]:
            self._flush()
        self._waiting += (_LENGTH.pack(len(section)), section)
        self._size += size

    def _flush(self) -> None:
        if not self._waiting:
            return
        stored = self._compressed()
        head = _CHUNK.pack(sum(map(len, stored)), self._size)
        self._digests.append(digest(head, *stored))
        self._chunks.append(b"".join([head, self._digests[-1], *stored]))
        self._raw += self._size
        self._limits.allow("the size of the save", "size", self._raw)
        self._waiting, self._size = [], 0

    def _compressed(self) -> list[bytes]:
        if self._number == 0:
            return self._waiting
        raw = b"".join(self._waiting)
        if self._number == 1:
            return [zlib.compress(raw, self._level)]
        return [lzma.compress(raw, check=lzma.CHECK_NONE, preset=self._level)]

    def finish(self, about: Metadata, thumbnail: bytes = b"") -> list[bytes]:
        """Return the file, in parts of at most about 1 MiB unless a section is longer."""
        self._flush()
        self._limits.allow("the size of the thumbnail", "thumbnail", len(thumbnail))
        described = metadata_bytes(about)
        fixed = _FIXED.pack(
            MAGIC,
            VERSION,
            self._number,
            len(described),
            len(thumbnail),
            sum(map(len, self._chunks)),
            self._raw,
            len(self._chunks),
            digest(thumbnail),
        )
        seal = digest(fixed, described)
        last = digest(seal, *self._digests)
        return [b"".join([fixed, seal, described, thumbnail]), *self._chunks, last]


def written(
    sections: Iterable[bytes],
    about: Metadata,
    thumbnail: bytes = b"",
    compression: Compression = "",
    limits: Limits = Limits(),
) -> bytes:
    """Return a save file with the given sections. Raises `SaveLimitError`."""
    writer = FileWriter(compression, limits=limits)
    for section in sections:
        writer.add(section)
    return b"".join(writer.finish(about, thumbnail))


# -- reading


class Section(NamedTuple):
    """A part of the body, uncompressed, with its offset in the file."""

    offset: int
    data: Bytes


class _Chunk(NamedTuple):
    offset: int
    raw: int
    stored: memoryview
    digest: bytes

    @property
    def is_undamaged(self) -> bool:
        head = _CHUNK.pack(len(self.stored), self.raw)
        return self.digest == digest(head, self.stored)


def verify(data: bytes, limits: Limits, progress: Progress | None = None) -> Head:
    """Return the head of a file after every digest in it was verified.

    `progress` is called with the number of bytes verified and the number of all bytes. Raises
    `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    head = read_head(data)
    limits.allow("the size of the thumbnail", "thumbnail", head.body - head.thumbnail)
    limits.allow("the size of the save", "size", head.raw_size)
    if len(data) < head.size:
        what = f"the file ends early: it had {head.size:,} bytes"
        raise SaveCorruptError(what, len(data))
    if len(data) > head.size:
        raise SaveCorruptError(
            "the file continues after the end of the save", head.size
        )
    _thumbnail(data, head)
    digests, raw = [], 0
    for chunk in _chunks(data, head.body):
        if not chunk.is_undamaged:
            raise SaveCorruptError("a chunk is damaged", chunk.offset)
        digests.append(chunk.digest)
        raw += chunk.raw
        if progress is not None:
            progress(chunk.offset + CHUNK_HEAD_SIZE + len(chunk.stored), head.size)
    if digest(head.digest, *digests) != data[-DIGEST:]:
        raise SaveCorruptError("the last digest is damaged", len(data) - DIGEST)
    if raw != head.raw_size or len(digests) != head.chunks:
        raise SaveCorruptError(
            "the body does not have the size that the header gives", 0
        )
    return head


def sections(data: bytes, head: Head, guard: Guard) -> Iterator[Section]:
    """Yield the sections of a verified file.

    Raises `SaveCorruptError` and `SaveLimitError`.
    """
    most = CHUNKS[COMPRESSIONS.index(head.compression)]
    for chunk in _chunks(data, head.body):
        raw: Bytes = chunk.stored
        if head.compression:
            guard.take(chunk.raw)
            raw = memoryview(_inflated(chunk, head.compression))
        elif chunk.raw != len(raw):
            raise SaveCorruptError(
                "an uncompressed chunk gives two lengths", chunk.offset
            )
        yield from _cut(chunk, raw, most, guard.limits)


def _chunks(data: bytes, offset: int) -> Iterator[_Chunk]:
    view, end = memoryview(data), len(data) - DIGEST
    while offset < end:
        start = offset + CHUNK_HEAD_SIZE
        stored, raw = _CHUNK.unpack_from(view, offset) if start <= end else (end, 0)
        if start + stored > end:
            raise SaveCorruptError("a chunk is longer than the body", offset)
        seal = bytes(view[start - DIGEST : start])
        yield _Chunk(offset, raw, view[start : start + stored], seal)
        offset = start + stored


def _inflated(chunk: _Chunk, name: str) -> bytes:
    """Return the content of a compressed chunk; decompress no more than the length it declares."""
    stream: Any
    if name == "zlib":
        stream = zlib.decompressobj()
    else:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LZMA_MEMORY)
    try:
        found: bytes = stream.decompress(chunk.stored, chunk.raw + 1)
    except (zlib.error, lzma.LZMAError, EOFError) as error:
        what = f"a chunk cannot be uncompressed: {error}"
        raise SaveCorruptError(what, chunk.offset) from None
    except MemoryError:
        raise out_of_memory() from None
    if len(found) != chunk.raw or not stream.eof or stream.unused_data:
        raise SaveCorruptError(
            "a chunk gives a wrong length for its content", chunk.offset
        )
    return found


def _cut(chunk: _Chunk, raw: Bytes, most: int, limits: Limits) -> Iterator[Section]:
    """Yield the sections in a chunk. Only a chunk with a single section may exceed `most` bytes."""
    at = 0
    while at < len(raw):
        start = at + _LENGTH.size
        length = _LENGTH.unpack_from(raw, at)[0] if start <= len(raw) else len(raw)
        end = start + length
        if end > len(raw):
            raise SaveCorruptError("a section is longer than its chunk", chunk.offset)
        if len(raw) > most and (at or end < len(raw)):
            raise SaveCorruptError("a chunk exceeds the size of chunks", chunk.offset)
        if length > MIB:
            limits.allow("the size of one section", "section", length)
        yield Section(chunk.offset, raw[start:end])
        at = end
