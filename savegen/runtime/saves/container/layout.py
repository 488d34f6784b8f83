"""The bytes of a save file: header, metadata, thumbnail, chunks, and a digest over all of it.

    magic  version  flags  lengths  digest of the thumbnail  digest of the header and metadata
    metadata  thumbnail
    chunk  chunk  …
    digest of the chunks' digests

Each chunk has a digest, salted by its place and by the header, so that one of another file or
of another place is none. Nothing may stand behind the last digest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from savegen.runtime.errors import SaveCorruptError, SaveVersionError

Bytes: TypeAlias = bytes | memoryview

MAGIC = b"\x89SGN\r\n\x1a\n"  # a transfer as text, or one of 7 bits, would change it
VERSION = 1
DIGEST = 16  # bytes
MOST_OF_A_CHUNK = 256 * 1024  # bytes, uncompressed

COMPRESSED = 1  # flag of a file: each chunk is a zlib stream of its own

# Flags of a chunk: what it holds, and whether it goes on with the chunk before, and the next
# one with it.
DESCRIPTION, ROWS, BALLAST, REST, MORE = 0, 1, 2, 64, 128

_FIXED = struct.Struct("<8sHHIIQQI")
_CHUNK = struct.Struct("<IIB")
HEADER_SIZE = _FIXED.size + 2 * DIGEST
CHUNK_HEAD_SIZE = _CHUNK.size + DIGEST


def digest(data: Bytes, key: bytes = b"", place: int = 0) -> bytes:
    """Return the digest of some bytes; another one for each key and place."""
    salt = place.to_bytes(16, "little")
    return blake2b(data, digest_size=DIGEST, key=key, salt=salt).digest()


class Header(NamedTuple):
    """The first bytes of a file."""

    version: int
    flags: int
    metadata: int  # bytes
    thumbnail: int  # bytes
    body: int  # bytes of all chunks and their heads, as they are in the file
    raw: int  # bytes of what the chunks hold, uncompressed
    chunks: int
    thumbnail_digest: bytes
    digest: bytes  # of all above and of the metadata: the key of the other digests

    @property
    def is_compressed(self) -> bool:
        return bool(self.flags & COMPRESSED)

    @property
    def body_starts(self) -> int:
        return HEADER_SIZE + self.metadata + self.thumbnail

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.body_starts + self.body + DIGEST


def sealed(header: Header, metadata: bytes) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and their digest."""
    fixed = _FIXED.pack(MAGIC, *header[:-2]) + header.thumbnail_digest
    seal = digest(fixed + metadata)
    return fixed + seal + metadata, seal


def header_of(data: bytes) -> Header:
    """Return the header; the metadata must be there as a whole, what follows need not.

    Raises `SaveCorruptError`, and `SaveVersionError` for a file of a later format.
    """
    header = unverified(data)
    metadata = data[HEADER_SIZE : HEADER_SIZE + header.metadata]
    if digest(data[: HEADER_SIZE - DIGEST] + metadata) != header.digest:
        raise SaveCorruptError("the header is damaged, or the file ends within it", 0)
    return header


def unverified(data: bytes) -> Header:
    """Return what stands where the header does; raise as `header_of` if nothing does."""
    if not data.startswith(MAGIC):
        raise SaveCorruptError(_no_magic(data), 0)
    if len(data) < HEADER_SIZE:
        raise SaveCorruptError("the file ends within its header", len(data))
    _, *numbers = _FIXED.unpack_from(data)
    seals = data[_FIXED.size : HEADER_SIZE]
    header = Header._make([*numbers, seals[:DIGEST], seals[DIGEST:]])
    if header.version > VERSION:
        raise SaveVersionError(
            f"the file is of format {header.version}, this savegen reads up to"
            f" {VERSION}: update the game"
        )
    return header


def _no_magic(data: bytes) -> str:
    if not data:
        return "the file is empty"
    if MAGIC.startswith(data):
        return "the file ends within its header"
    if data[:4] in (MAGIC[:4], b"\x09SGN"):
        return "the file was changed by a transfer as text: copy it as binary"
    return "the file is no save: it begins otherwise"


class Chunk(NamedTuple):
    """A part of the body, as it is in the file."""

    offset: int
    flags: int
    raw: int  # bytes it has uncompressed
    stored: memoryview
    digest: bytes

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.offset + CHUNK_HEAD_SIZE + len(self.stored)

    @property
    def kind(self) -> int:
        return self.flags & ~(MORE | REST)

    @property
    def is_rest(self) -> bool:
        return bool(self.flags & REST)

    @property
    def is_continued(self) -> bool:
        return bool(self.flags & MORE)

    def is_whole(self, key: bytes, place: int) -> bool:
        """Tell whether it is what was written."""
        return self.digest == _chunk_digest(
            self.stored, self.raw, self.flags, key, place
        )


def chunk(stored: bytes, raw: int, flags: int, key: bytes, place: int) -> list[bytes]:
    """Return a chunk's head, its digest and its bytes."""
    seal = _chunk_digest(stored, raw, flags, key, place)
    return [_CHUNK.pack(len(stored), raw, flags), seal, stored]


def chunks(data: memoryview, start: int, end: int) -> Iterator[Chunk]:
    """Yield the chunks between two places. Raises `SaveCorruptError` if they do not fill it."""
    offset = start
    while offset < end:
        found = chunk_at(data[:end], offset)
        if found is None:
            raise SaveCorruptError("a chunk is longer than the file", offset)
        yield found
        offset = found.end


def chunk_at(data: memoryview, offset: int) -> Chunk | None:
    """Return what may be a chunk, if there is room for one."""
    first = offset + CHUNK_HEAD_SIZE
    if first > len(data):
        return None
    length, raw, flags = _CHUNK.unpack_from(data, offset)
    if first + length > len(data):
        return None
    seal = bytes(data[first - DIGEST : first])
    return Chunk(offset, flags, raw, data[first : first + length], seal)


def _chunk_digest(stored: Bytes, raw: int, flags: int, key: bytes, place: int) -> bytes:
    salt = place.to_bytes(16, "little")
    hashed = blake2b(stored, digest_size=DIGEST, key=key, salt=salt)
    hashed.update(_CHUNK.pack(memoryview(stored).nbytes, raw, flags))
    return hashed.digest()
