"""The body of a save file: what it holds, cut into chunks, and put together again."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.container import layout
from savegen.runtime.saves.container.layout import Bytes, Chunk, Header
from savegen.runtime.saves.container.limits import MIB, Limits

Progress: TypeAlias = Callable[[int, int], object]  # bytes verified, and of how many


# -- writing


class Part(NamedTuple):
    """What goes into one chunk."""

    flags: int
    raw: int  # bytes, uncompressed
    stored: bytes


def cut(payloads: Iterable[tuple[int, bytes]], compress: bool) -> Iterator[Part]:
    """Yield payloads, of which each has a kind, in parts that a chunk can hold."""
    for kind, payload in payloads:
        last = max(0, len(payload) - 1) // layout.MOST_OF_A_CHUNK
        for place in range(last + 1):
            start = place * layout.MOST_OF_A_CHUNK
            part = payload[start : start + layout.MOST_OF_A_CHUNK]
            rest = layout.REST if place else 0
            flags = kind | rest | (layout.MORE if place < last else 0)
            yield Part(flags, len(part), zlib.compress(part, 1) if compress else part)


def header_for(
    parts: list[Part], about: bytes, thumbnail: bytes, compress: bool
) -> Header:
    """Return the header of a file; its digest is not yet known."""
    return Header(
        layout.VERSION,
        layout.COMPRESSED if compress else 0,
        len(about),
        len(thumbnail),
        sum(layout.CHUNK_HEAD_SIZE + len(part.stored) for part in parts),
        sum(part.raw for part in parts),
        len(parts),
        layout.digest(thumbnail),
        b"",
    )


def sealed(parts: list[Part], key: bytes) -> Iterator[bytes]:
    """Yield the bytes of chunks, and the digest of their digests."""
    digests = []
    for place, (flags, raw, stored) in enumerate(parts):
        head, seal, stored = layout.chunk(stored, raw, flags, key, place)
        digests.append(seal)
        yield from (head, seal, stored)
    yield layout.digest(b"".join(digests), key)


def joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes in parts of about 1 MiB."""
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= MIB:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


# -- reading


def verified(data: bytes, limits: Limits, progress: Progress | None = None) -> Header:
    """Return the header of a file that is whole; raise what `read` raises if it is not."""
    header = layout.header_of(data)
    limits.allow("the size of the thumbnail", "thumbnail", header.thumbnail)
    limits.allow("the size of the save", "size", header.raw)
    if len(data) < header.size:
        raise SaveCorruptError(
            f"the file ends early: it had {header.size:,} bytes", len(data)
        )
    if len(data) > header.size:
        raise SaveCorruptError("something stands behind the save", header.size)
    thumbnail_of(data, header)
    digests, raw = [], 0
    for place, chunk in enumerate(_chunks(data, header)):
        if not chunk.is_whole(header.digest, place):
            raise SaveCorruptError("a chunk is damaged", chunk.offset)
        digests.append(chunk.digest)
        raw += chunk.raw
        if progress is not None:
            progress(chunk.end, header.size)
    if layout.digest(b"".join(digests), header.digest) != data[-layout.DIGEST :]:
        raise SaveCorruptError("the last digest is damaged", len(data) - layout.DIGEST)
    if raw != header.raw or len(digests) != header.chunks:
        raise SaveCorruptError("the body is not as long as the header says", 0)
    return header


def thumbnail_of(data: bytes, header: Header) -> bytes:
    """Return the picture. Raises `SaveCorruptError` if it is not what was written."""
    start = layout.HEADER_SIZE + header.metadata
    thumbnail = data[start : header.body_starts]
    if layout.digest(thumbnail) != header.thumbnail_digest:
        raise SaveCorruptError("the thumbnail is damaged", start)
    return thumbnail


def _chunks(data: bytes, header: Header) -> Iterator[Chunk]:
    end = header.body_starts + header.body
    return layout.chunks(memoryview(data), header.body_starts, end)


def opened(data: bytes, header: Header) -> Iterator[tuple[Chunk, Bytes]]:
    """Yield the chunks with what they hold, uncompressed."""
    for chunk in _chunks(data, header):
        yield chunk, inflated(chunk) if header.is_compressed else chunk.stored


def inflated(chunk: Chunk) -> bytes:
    """Return what a compressed chunk holds; never more than it says."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(chunk.stored, chunk.raw + 1)
    except zlib.error as error:
        what = f"a chunk cannot be uncompressed: {error}"
        raise SaveCorruptError(what, chunk.offset) from None
    if len(data) != chunk.raw or not stream.eof or stream.unused_data:
        raise SaveCorruptError("a chunk holds more than it says, or less", chunk.offset)
    return data


def put_together(
    opened: Iterable[tuple[Chunk, Bytes]],
) -> Iterator[tuple[int, int, Bytes]]:
    """Yield kind, offset and bytes of what was cut into chunks."""
    waiting: list[Bytes] = []
    for chunk, part in opened:
        if chunk.raw > layout.MOST_OF_A_CHUNK or len(part) != chunk.raw:
            raise SaveCorruptError("a chunk is longer than chunks are", chunk.offset)
        if chunk.kind not in (layout.DESCRIPTION, layout.ROWS, layout.BALLAST):
            raise SaveCorruptError("a chunk is of no known kind", chunk.offset)
        if chunk.is_rest != bool(waiting):
            raise SaveCorruptError("a chunk is out of place", chunk.offset)
        waiting.append(part)
        if not chunk.is_continued:
            yield chunk.kind, chunk.offset, (
                part if len(waiting) == 1 else b"".join(waiting)
            )
            waiting = []
    if waiting:
        raise SaveCorruptError("the last chunk is to be continued")
