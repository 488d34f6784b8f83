"""Read and write the outer format of a save file: header, metadata, thumbnail, chunks, digests.

docs/save-format.md specifies the format. `body.py` reads and writes the sections in the chunks.
"""

from __future__ import annotations

import lzma
import struct
import sys
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
    nearest,
)
from savegen.runtime.values.basics.strict_json import json_of
from savegen.saves.limits import (
    CODING_ERRORS,
    MAX_SECTION,
    MAX_THUMBNAIL,
    MIB,
    Bytes,
    Guard,
    Limits,
    allow,
    encoding_fault,
    out_of_memory,
)

MAGIC = b"\x89SGN\r\n\x1a\n"  # changed by a transfer as text or in 7 bits, so that is detected
VERSION = 3
DIGEST_SIZE = 16  # bytes
MAX_METADATA = 64 * 1024  # bytes, as JSON
# The size of a chunk in bytes, uncompressed, in the order of `COMPRESSIONS`: lzma finds more
# repetitions in larger chunks. A longer section gets a separate chunk.
CHUNK_SIZES = (MIB, MIB, 4 * MIB, MIB)

Compression: TypeAlias = Literal["", "zlib", "lzma", "zstd"]
Progress: TypeAlias = Callable[[int, int], object]  # done and total
# By number in a file.
COMPRESSIONS: tuple[Compression, ...] = ("", "zlib", "lzma", "zstd")
_LEVELS = (0, 6, 6, 3)  # if the game gives none

_FIXED = struct.Struct("<8sHHIIQQI16s")  # the header without its digest
_CHUNK = struct.Struct("<II")  # size in the file, size uncompressed
_LENGTH = struct.Struct("<I")  # of a section
METADATA_OFFSET = _FIXED.size + DIGEST_SIZE
CHUNK_HEADER_SIZE = _CHUNK.size + DIGEST_SIZE
MAX_HEADER_SIZE = METADATA_OFFSET + MAX_METADATA  # the bytes that `read_header` needs
_MAX_LZMA_MEMORY = 256 * MIB  # that an lzma stream may request
_MAX_ZSTD_WINDOW = 23  # that a zstd stream may request: 8 MiB, as a power of two


def digest(*parts: Bytes) -> bytes:
    hashed = blake2b(digest_size=DIGEST_SIZE)
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
    save_version: int = (
        0  # of the game that saved; a load runs the migrations to later versions
    )
    schema: str = ""  # a digest of the saved fields of all classes
    level: str | None = None  # the level to start before the save is applied
    level_digest: str = ""
    slot: str = ""
    generation: int = 0  # within the slot
    lineage: str = ""  # shared by saves that follow each other
    parent: str = ""  # the digest of the save that this one follows
    # Former lineages of the slot that this lineage replaced, newest first, and the digests of
    # saves that were merged into it.
    replaces: tuple[str, ...] = ()
    extra: dict[str, Any] = {}  # plain JSON for the game


# -- compression


def check_compression(name: str) -> None:
    """Raise `SaveError` if this machine cannot write a compression."""
    if name not in COMPRESSIONS:
        raise SaveError(f"unknown compression {nearest(name, COMPRESSIONS)}")
    if name == "zstd":
        try:
            _zstd()
        except ImportError:
            raise SaveError(f"`compress` cannot be {name!r}: {_NO_ZSTD}") from None


_NO_ZSTD = "install `savegen[zstd]`, which Python before 3.14 needs for it"


def _zstd() -> Any:
    """Return the module for zstd, which is loaded when a file needs it."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        import backports.zstd as zstd
    return zstd


def _zstd_for_reading() -> Any:
    try:
        return _zstd()
    except ImportError:
        raise SaveVersionError(
            f"the file is compressed with zstd: {_NO_ZSTD}"
        ) from None


# -- the header


class Header(NamedTuple):
    """The content of the first bytes of a file: its header and metadata."""

    metadata: Metadata
    compression: Compression
    thumbnail_offset: int
    body_offset: int  # of the first chunk
    size: int  # bytes of the whole file
    raw_size: int  # bytes of all sections and their lengths, uncompressed
    chunks: int
    thumbnail_digest: bytes
    digest: bytes  # of the header and the metadata


def read_header(data: bytes) -> Header:
    """Return the header of a file from its first `MAX_HEADER_SIZE` bytes.

    Raises `SaveCorruptError`, and `SaveVersionError` for a file of another format.
    """
    _check_format(data)
    fixed = _FIXED.unpack_from(data)
    compression, metadata_size, thumbnail_size, body_size = fixed[2:6]
    raw_size, chunks, thumbnail_digest = fixed[6:]
    if metadata_size > MAX_METADATA:
        raise SaveLimitError("the size of the metadata", MAX_METADATA, metadata_size)
    thumbnail_offset = METADATA_OFFSET + metadata_size
    body_offset = thumbnail_offset + thumbnail_size
    metadata = data[METADATA_OFFSET:thumbnail_offset]
    header_digest = data[_FIXED.size : METADATA_OFFSET]
    if digest(data[: _FIXED.size], metadata) != header_digest:
        raise SaveCorruptError("the header is damaged, or the file ends within it", 0)
    if compression >= len(COMPRESSIONS):
        raise SaveVersionError(
            f"the file has compression {compression}, which this savegen does not know: update"
            " the game"
        )
    return Header(
        metadata_of(metadata),
        COMPRESSIONS[compression],
        thumbnail_offset,
        body_offset,
        body_offset + body_size + DIGEST_SIZE,
        raw_size,
        chunks,
        thumbnail_digest,
        header_digest,
    )


def _check_format(data: bytes) -> None:
    if not data.startswith(MAGIC):
        raise SaveCorruptError(_without_magic(data), 0)
    if len(data) < METADATA_OFFSET:
        raise SaveCorruptError("the file ends within its header", len(data))
    version = _FIXED.unpack_from(data)[1]
    if version != VERSION:
        needed = "a newer" if version > VERSION else "an older"
        raise SaveVersionError(
            f"the file has format {version}, but this savegen reads only format {VERSION}: use"
            f" {needed} version of the game"
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
    header = read_header(data)
    if fault := thumbnail_fault(data, header):
        raise SaveCorruptError(fault, header.thumbnail_offset)
    return data[header.thumbnail_offset : header.body_offset]


def thumbnail_fault(data: bytes, header: Header) -> str:
    """Return what is wrong with the thumbnail; "" if nothing is. A load does not need it."""
    thumbnail = data[header.thumbnail_offset : header.body_offset]
    is_undamaged = digest(thumbnail) == header.thumbnail_digest
    return "" if is_undamaged else "the thumbnail is damaged"


def digest_of(data: bytes) -> str:
    """Return the digest at the end of a file, which identifies the file."""
    return data[-DIGEST_SIZE:].hex()


def metadata_of(data: bytes) -> Metadata:
    """Return metadata from JSON. Raises `SaveCorruptError` and `SaveLimitError`."""
    if len(data) > MAX_METADATA:
        raise SaveLimitError("the size of the metadata", MAX_METADATA, len(data))
    try:
        return msgspec.convert(json_of(data), Metadata)
    except CODING_ERRORS as error:
        raise SaveCorruptError(f"the metadata cannot be read: {error}") from None


def metadata_bytes(metadata: Metadata) -> bytes:
    """Return metadata as JSON. Raises `SaveError` if JSON cannot represent it exactly."""
    try:
        data = msgspec.json.encode(metadata)
        if metadata_of(data) == metadata:
            return data
    except (*CODING_ERRORS, RecursionError) as error:
        reason = encoding_fault(error)
        raise SaveError(f"the metadata cannot be written: {reason}") from error
    raise SaveError(
        "`extra` in the metadata must be plain JSON, which a load returns unchanged"
    )


# -- writing


class FileWriter:
    """Collects sections in chunks, and chunks in a file.

    >>> writer = FileWriter()
    >>> writer.add(b"a section")
    >>> data = b"".join(writer.finish(Metadata(title="At the gate")))
    >>> header, guard = verify(data, Limits()), Guard(Limits(), len(data))
    >>> header.metadata.title, [bytes(each.data) for each in sections(data, header, guard)]
    ('At the gate', [b'a section'])
    """

    def __init__(
        self,
        compression: Compression = "",
        compression_level: int | None = None,
        limits: Limits = Limits(),
    ) -> None:
        """`compression_level` is from 0 to 9. Raises `SaveError` for others."""
        check_compression(compression)
        number = COMPRESSIONS.index(compression)
        level = _LEVELS[number] if compression_level is None else compression_level
        if not 0 <= level <= 9:
            raise SaveError(f"the compression level must be from 0 to 9, not {level}")
        self._compression = compression
        self._compression_level = level
        self._chunk_size = CHUNK_SIZES[number]
        self._limits = limits
        self._pending: list[bytes] = []  # sections that are not in a chunk yet
        self._pending_size = 0  # bytes
        self._chunks: list[bytes] = []
        self._chunk_digests: list[bytes] = []
        self._raw_size = 0  # bytes of all chunks, uncompressed

    def add(self, section: bytes) -> None:
        """Add one section. Raises `SaveLimitError` if it is too long."""
        size = _LENGTH.size + len(section)
        if size > MIB:
            allow("the size of one section", MAX_SECTION, len(section))
        if self._pending_size + size > self._chunk_size:
            self._finish_chunk()
        self._pending += (_LENGTH.pack(len(section)), section)
        self._pending_size += size

    def _finish_chunk(self) -> None:
        if not self._pending:
            return
        stored = self._compressed()
        header = _CHUNK.pack(sum(map(len, stored)), self._pending_size)
        self._chunk_digests.append(digest(header, *stored))
        self._chunks.append(b"".join([header, self._chunk_digests[-1], *stored]))
        self._raw_size += self._pending_size
        self._limits.allow("the size of the save", "size", self._raw_size)
        self._pending, self._pending_size = [], 0

    def _compressed(self) -> list[bytes]:
        if not self._compression:
            return self._pending
        raw, level = b"".join(self._pending), self._compression_level
        if self._compression == "zlib":
            return [zlib.compress(raw, level)]
        if self._compression == "zstd":
            return [_zstd().compress(raw, level)]
        return [lzma.compress(raw, check=lzma.CHECK_NONE, preset=level)]

    def finish(self, metadata: Metadata, thumbnail: bytes = b"") -> list[bytes]:
        """Return the file, in parts of at most about 1 MiB unless a section is longer."""
        self._finish_chunk()
        allow("the size of the thumbnail", MAX_THUMBNAIL, len(thumbnail))
        encoded = metadata_bytes(metadata)
        fixed = _FIXED.pack(
            MAGIC,
            VERSION,
            COMPRESSIONS.index(self._compression),
            len(encoded),
            len(thumbnail),
            sum(map(len, self._chunks)),
            self._raw_size,
            len(self._chunks),
            digest(thumbnail),
        )
        header_digest = digest(fixed, encoded)
        file_digest = digest(header_digest, *self._chunk_digests)
        header = b"".join([fixed, header_digest, encoded, thumbnail])
        return [header, *self._chunks, file_digest]


def save_file(
    sections: Iterable[bytes],
    metadata: Metadata,
    thumbnail: bytes = b"",
    compression: Compression = "",
    limits: Limits = Limits(),
) -> bytes:
    """Return a save file with the given sections. Raises `SaveLimitError`."""
    writer = FileWriter(compression, limits=limits)
    for section in sections:
        writer.add(section)
    return b"".join(writer.finish(metadata, thumbnail))


# -- reading


class Section(NamedTuple):
    """A part of the body, uncompressed, with the offset of its chunk in the file."""

    offset: int
    data: Bytes


class _Chunk(NamedTuple):
    offset: int
    raw_size: int  # bytes of the content, uncompressed
    stored: memoryview  # the content as in the file
    digest: bytes

    @property
    def is_undamaged(self) -> bool:
        header = _CHUNK.pack(len(self.stored), self.raw_size)
        return self.digest == digest(header, self.stored)


def verify(data: bytes, limits: Limits, progress: Progress | None = None) -> Header:
    """Return the header of a file after verifying every digest in it but the thumbnail's.

    `progress` is called with the number of bytes verified and the number of all bytes. Raises
    `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    header = read_header(data)
    thumbnail_size = header.body_offset - header.thumbnail_offset
    allow("the size of the thumbnail", MAX_THUMBNAIL, thumbnail_size)
    limits.allow("the size of the save", "size", header.raw_size)
    if len(data) < header.size:
        message = f"the file ends early: it had {header.size:,} bytes"
        raise SaveCorruptError(message, len(data))
    if len(data) > header.size:
        message = "the file continues after the end of the save"
        raise SaveCorruptError(message, header.size)
    digests, raw_size = [], 0
    for chunk in _chunks(data, header.body_offset):
        if not chunk.is_undamaged:
            raise SaveCorruptError("a chunk is damaged", chunk.offset)
        digests.append(chunk.digest)
        raw_size += chunk.raw_size
        if progress is not None:
            progress(chunk.offset + CHUNK_HEADER_SIZE + len(chunk.stored), header.size)
    if digest(header.digest, *digests) != data[-DIGEST_SIZE:]:
        message = "the checksum at the end of the file does not match"
        raise SaveCorruptError(message, len(data) - DIGEST_SIZE)
    if raw_size != header.raw_size or len(digests) != header.chunks:
        message = "the body does not have the size that the header gives"
        raise SaveCorruptError(message, 0)
    return header


def sections(data: bytes, header: Header, guard: Guard) -> Iterator[Section]:
    """Yield the sections of a verified file.

    Raises `SaveCorruptError` and `SaveLimitError`.
    """
    chunk_size = CHUNK_SIZES[COMPRESSIONS.index(header.compression)]
    for chunk in _chunks(data, header.body_offset):
        content: Bytes = chunk.stored
        if header.compression:
            guard.add_memory(chunk.raw_size)
            content = memoryview(_decompressed(chunk, header.compression))
        elif chunk.raw_size != len(content):
            message = "the two lengths of an uncompressed chunk differ"
            raise SaveCorruptError(message, chunk.offset)
        yield from _sections_in(chunk, content, chunk_size)


def _chunks(data: bytes, offset: int) -> Iterator[_Chunk]:
    view, end = memoryview(data), len(data) - DIGEST_SIZE
    while offset < end:
        start = offset + CHUNK_HEADER_SIZE
        size, raw_size = _CHUNK.unpack_from(view, offset) if start <= end else (end, 0)
        if start + size > end:
            raise SaveCorruptError("a chunk is longer than the body", offset)
        chunk_digest = bytes(view[start - DIGEST_SIZE : start])
        yield _Chunk(offset, raw_size, view[start : start + size], chunk_digest)
        offset = start + size


def _decompressed(chunk: _Chunk, compression: Compression) -> bytes:
    """Return the content of a chunk; decompress no more bytes than the length that it gives."""
    stream: Any
    errors: tuple[type[Exception], ...] = zlib.error, lzma.LZMAError, EOFError
    if compression == "zlib":
        stream = zlib.decompressobj()
    elif compression == "lzma":
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_LZMA_MEMORY)
    else:
        zstd = _zstd_for_reading()
        window = zstd.DecompressionParameter.window_log_max
        stream = zstd.ZstdDecompressor(options={window: _MAX_ZSTD_WINDOW})
        errors += (zstd.ZstdError,)
    try:
        content: bytes = stream.decompress(chunk.stored, chunk.raw_size + 1)
    except errors as error:
        message = f"a chunk cannot be decompressed: {error}"
        raise SaveCorruptError(message, chunk.offset) from None
    except MemoryError:
        raise out_of_memory() from None
    if len(content) != chunk.raw_size or not stream.eof or stream.unused_data:
        message = "a chunk gives a wrong length for its content"
        raise SaveCorruptError(message, chunk.offset)
    return content


def _sections_in(chunk: _Chunk, content: Bytes, chunk_size: int) -> Iterator[Section]:
    """Yield the sections of a chunk; only a single section may be longer than `chunk_size`."""
    offset, total = 0, len(content)
    while offset < total:
        start = offset + _LENGTH.size
        length = _LENGTH.unpack_from(content, offset)[0] if start <= total else total
        end = start + length
        if end > total:
            raise SaveCorruptError("a section is longer than its chunk", chunk.offset)
        if total > chunk_size and (offset or end < total):
            message = "a chunk with several sections is too long"
            raise SaveCorruptError(message, chunk.offset)
        if length > MIB:
            allow("the size of one section", MAX_SECTION, length)
        yield Section(chunk.offset, content[start:end])
        offset = end
