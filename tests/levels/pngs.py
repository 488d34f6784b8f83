"""PNG files of every kind, encoded here, with the colours that a reader must find in them.

After the PNG specification, third edition: 7.2 (scanlines), 8 (interlacing), 11 (chunks).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
DEPTHS = {
    GREY: (1, 2, 4, 8, 16),
    RGB: (8, 16),
    PALETTE: (1, 2, 4, 8),
    GREY_ALPHA: (8, 16),
    RGBA: (8, 16),
}
EVERY = [(kind, depth) for kind, depths in DEPTHS.items() for depth in depths]
# The passes of an interlaced image: x and y of the first pixel, and the steps.
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)
Samples = tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """An image as it is stored in a file: samples of any depth for each pixel."""

    kind: int
    depth: int
    rows: Sequence[Sequence[Samples]]
    palette: Sequence[tuple[int, int, int]] = ()
    alphas: Sequence[int] = ()  # of the palette's first colours
    clear: Samples = ()  # the one colour that is transparent
    interlaced: bool = False
    extra: Sequence[tuple[bytes, bytes]] = field(default=())

    @property
    def size(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.rows)

    def colours(self) -> list[list[int]]:
        """Return the expected colours 0xRRGGBBAA: 0 where alpha is 0; the upper 8 bits of 16."""
        return [[self._colour(samples) for samples in row] for row in self.rows]

    def _colour(self, samples: Samples) -> int:
        channels = self._channels(samples)
        return int.from_bytes(bytes(channels), "big") if channels[3] else 0

    def _channels(self, samples: Samples) -> tuple[int, int, int, int]:
        if self.kind == PALETTE:
            (place,) = samples
            alpha = self.alphas[place] if place < len(self.alphas) else 255
            return (*self.palette[place], alpha)
        eight = [self._of_eight(sample) for sample in samples]
        if self.kind in (GREY_ALPHA, RGBA):
            *colour, alpha = eight
        else:
            colour, alpha = eight, 0 if samples == self.clear else 255
        r, g, b = colour * 3 if len(colour) == 1 else colour
        return r, g, b, alpha

    def _of_eight(self, sample: int) -> int:
        if self.depth == 16:
            return sample >> 8
        return sample * 255 // ((1 << self.depth) - 1)

    def file(self) -> bytes:
        """Return the PNG file."""
        width, height = self.size
        size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
        head = bytes((self.depth, self.kind, 0, 0, self.interlaced))
        chunks = [(b"IHDR", size + head), *self.extra, *self._colour_chunks()]
        chunks += [(b"IDAT", zlib.compress(b"".join(self._lines()))), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)

    def _colour_chunks(self) -> Iterator[tuple[bytes, bytes]]:
        if self.palette:
            yield b"PLTE", bytes(each for colour in self.palette for each in colour)
        if self.alphas:
            yield b"tRNS", bytes(self.alphas)
        if self.clear:
            yield b"tRNS", b"".join(each.to_bytes(2, "big") for each in self.clear)

    def _lines(self) -> Iterator[bytes]:
        if not self.interlaced:
            yield from (b"\0" + self._packed(row) for row in self.rows)
            return
        for x, y, right, down in _PASSES:
            for row in self.rows[y::down]:
                if row[x::right]:
                    yield b"\0" + self._packed(row[x::right])

    def _packed(self, row: Sequence[Samples]) -> bytes:
        samples = [sample for pixel in row for sample in pixel]
        bits = "".join(f"{sample:0{self.depth}b}" for sample in samples)
        bits += "0" * (-len(bits) % 8)
        return int(bits, 2).to_bytes(len(bits) // 8, "big")


def chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return (
        len(data).to_bytes(4, "big") + checked + zlib.crc32(checked).to_bytes(4, "big")
    )


@st.composite
def drawings(draw: st.DrawFn, kind: int, depth: int) -> Drawing:
    """Draw small images of a kind and a depth, with and without transparency."""
    width, height = draw(st.integers(1, 11)), draw(st.integers(1, 11))
    top = (1 << depth) - 1
    count = draw(st.integers(1, min(top + 1, 20))) if kind == PALETTE else top + 1
    few = st.sampled_from([0, 1, count // 2, count - 1]).filter(lambda n: n < count)
    sample = few | st.integers(0, count - 1)
    pixel = st.tuples(*[sample] * CHANNELS[kind])
    row = st.lists(pixel, min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    byte = st.integers(0, 255)
    palette, alphas, clear = [], [], ()
    if kind == PALETTE:
        colour = st.tuples(byte, byte, byte)
        palette = draw(st.lists(colour, min_size=count, max_size=count))
        alphas = draw(st.lists(st.sampled_from([0, 255]) | byte, max_size=count))
    elif kind in (GREY, RGB) and draw(st.booleans()):
        clear = draw(st.sampled_from(rows[0]))
    return Drawing(kind, depth, rows, palette, alphas, clear, draw(st.booleans()))
