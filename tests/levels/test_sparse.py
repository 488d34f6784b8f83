"""Nearly empty images are read without a decoder: the same pixels, whatever filters the rows have."""

from __future__ import annotations

import io
import zlib
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from savegen.levels import sparse
from savegen.levels.images import Picture, decode
from tests.soaking import examples

WIDTH, HEIGHT = 40, 24
Pixel = tuple[int, int, int]  # x, y, colour or index


def filtered(kind: int, row: bytes, above: bytes, size: int) -> bytes:
    """Filter a row as the PNG specification says (9.2), byte by byte."""
    made = bytearray([kind])
    for at, byte in enumerate(row):
        left = row[at - size] if at >= size else 0
        corner = above[at - size] if at >= size else 0
        up = above[at]
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda each: abs(guess - each))
        taken = (0, left, up, (left + up) // 2, nearest)[kind]
        made.append((byte - taken) % 256)
    return bytes(made)


def chunk(kind: bytes, data: bytes) -> bytes:
    code = crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + code


def encoded(
    rows: list[bytes], filters: list[int], kind: int, extra: bytes = b""
) -> bytes:
    size, above, raw = (4 if kind == 6 else 1), bytes(len(rows[0])), b""
    for row, each in zip(rows, filters, strict=True):
        raw += filtered(each, row, above, size)
        above = row
    head = (
        WIDTH.to_bytes(4, "big") + HEIGHT.to_bytes(4, "big") + bytes([8, kind, 0, 0, 0])
    )
    body = chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(raw))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


places = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))
filter_lists = st.lists(st.integers(0, 4), min_size=HEIGHT, max_size=HEIGHT)


def same(data: bytes) -> bool:
    """Tell whether a file is read sparsely; what is drawn is what the decoder finds."""
    whole, found = decode(data, "a.png"), sparse.drawn(data)
    assert isinstance(whole, Picture)
    if found is None:
        return False
    y, x = np.nonzero(whole.colours)
    assert (found.x, found.y) == (x.tolist(), y.tolist())
    assert found.colours == whole.colours[y, x].tolist()
    picture = decode(data, "a.png", sprites=True)
    assert isinstance(picture, Picture)
    assert [each.tolist() for each in picture.drawn()] == [*map(list, found)]
    assert np.array_equal(picture.colours, whole.colours)  # decoded after all
    return True


@pytest.mark.hypothesis
@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(places, st.binary(min_size=4, max_size=4), max_size=3), filter_lists
)
def test_rgba_is_what_the_decoder_finds(
    drawn: dict[tuple[int, int], bytes], filters: list[int]
) -> None:
    rows = [
        b"".join(drawn.get((x, y), b"\0\0\0\0") for x in range(WIDTH))
        for y in range(HEIGHT)
    ]
    assert same(encoded(rows, filters, 6))


@pytest.mark.hypothesis
@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(places, st.integers(0, 5), max_size=9),
    filter_lists,
    st.binary(max_size=6),
)
def test_palettes_are_what_the_decoder_finds(
    drawn: dict[tuple[int, int], int], filters: list[int], alphas: bytes
) -> None:
    rows = [bytes(drawn.get((x, y), 0) for x in range(WIDTH)) for y in range(HEIGHT)]
    table = chunk(b"PLTE", bytes(range(100, 118)))
    extra = table + (chunk(b"tRNS", alphas) if alphas else b"")
    is_clear = bool(alphas) and alphas[0] == 0
    assert same(encoded(rows, filters, 3, extra)) == is_clear


def test_an_image_that_is_full_is_left_to_the_decoder() -> None:
    file = io.BytesIO()
    Image.new("RGBA", (64, 64), (1, 2, 3, 4)).save(file, "png")
    assert sparse.drawn(file.getvalue()) is None


def test_a_damaged_image_is_left_to_the_decoder() -> None:
    rows = [bytes(WIDTH * 4)] * HEIGHT
    data = encoded(rows, [0] * HEIGHT, 6)
    at = data.index(b"IDAT") + 8
    assert same(data)
    assert sparse.drawn(data[:at] + b"\xff" + data[at + 1 :]) is None
