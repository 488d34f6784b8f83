"""Read the header and chunks of PNG files without decoding them (PNG specification, 5, 8, 11.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32, decompressobj

CUT = "the file is incomplete"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by the kind of colours
# The passes of an interlaced image: x and y of the first pixel, and the steps.
_PASSES = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)
_PIECE = 1 << 14  # packed bytes; what they hold is a thousand times as much at most
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


class Header(NamedTuple):
    """The size of an image, and the bits of each channel in the file."""

    width: int
    height: int
    depth: int


def header(data: bytes) -> Header | str:
    """Return the header of a PNG file, or what is wrong with it.

    >>> header(b"GIF89a")
    'it is not a PNG file'
    """
    if not data.startswith(_SIGNATURE):
        cut = len(data) < 8 and _SIGNATURE.startswith(data)
        return CUT if cut else "it is not a PNG file"
    if len(data) < 33:
        return CUT
    if data[8:16] != b"\0\0\0\rIHDR":
        return "its header is missing"
    if crc32(data[12:29]) != int.from_bytes(data[29:33], "big"):
        return "its header is damaged"
    width, height = (int.from_bytes(data[n : n + 4], "big") for n in (16, 20))
    depth, kind, *methods = data[24:29]
    if depth not in _DEPTHS.get(kind, ()) or methods[:2] != [0, 0] or methods[2] > 1:
        return "its header is invalid"
    if not 0 < width < 1 << 31 or not 0 < height < 1 << 31:
        return "it has no pixels"
    return Header(width, height, depth)


def damage(data: bytes) -> str:
    """Return what has happened to the chunks of a PNG file; "" if they are as they were written.

    Each has a checksum. What follows the last one is nobody's business.

    >>> end = b"\\0\\0\\0\\0IEND\\xaeB`\\x82"
    >>> damage(_SIGNATURE + end), damage(_SIGNATURE + end[:-1]), damage(_SIGNATURE + end[:-1] + b"!")
    ('', 'the file is incomplete', 'its chunk IEND is damaged')
    """
    at = len(_SIGNATURE)
    view = memoryview(data)  # slices of it are no copies
    while at + 12 <= len(data):
        length, kind = int.from_bytes(view[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 8 + length
        if end + 4 > len(data):
            break
        stored = int.from_bytes(view[end : end + 4], "big")
        if crc32(view[at + 4 : end]) != stored:
            return f"its chunk {kind.decode('ascii', 'replace')} is damaged"
        if kind == b"IEND":
            return ""
        at = end + 4
    return CUT


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return the chunks of a whole PNG file, each with its kind.

    >>> chunks(_SIGNATURE + b"\\0\\0\\0\\1tRNSX....\\0\\0\\0\\0IEND....")
    [(b'tRNS', b'X'), (b'IEND', b'')]
    """
    found, at = [], len(_SIGNATURE)
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        found.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def is_interlaced(data: bytes) -> bool:
    """Tell whether the pixels of a PNG file with a right header come in passes."""
    return data[28] == 1


def is_short(data: bytes) -> bool:
    """Tell whether the pixels of a whole PNG file end before the last row does.

    Raises `zlib.error` if they cannot be unpacked.
    """
    lacking, unpacking = _unpacked_size(data), decompressobj()
    for piece in packed(data):
        lacking -= len(unpacking.decompress(piece, lacking))
        if not lacking:
            return False
    return True


def packed(data: bytes) -> Iterator[bytes]:
    """Yield the packed pixels of a PNG file, some at a time."""
    for kind, inside in chunks(data):
        if kind == b"IDAT":
            for at in range(0, len(inside), _PIECE):
                yield inside[at : at + _PIECE]


def _unpacked_size(data: bytes) -> int:
    """Return how many bytes the rows have, with the filter that each begins with."""
    width, height = (int.from_bytes(data[n : n + 4], "big") for n in (16, 20))
    bits = data[24] * _CHANNELS[data[25]]
    passes = _PASSES if is_interlaced(data) else ((0, 0, 1, 1),)
    sizes = [(-(-(width - x) // w), -(-(height - y) // h)) for x, y, w, h in passes]
    return sum(
        ((wide * bits + 7 >> 3) + 1) * high
        for wide, high in sizes
        if wide > 0 and high > 0
    )
