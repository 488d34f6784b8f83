"""PNG images of every kind are decoded to the right colours, and damaged images are reported."""

from __future__ import annotations

import io
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from savegen.levels import images
from savegen.levels.findings import BrokenImage, LargeImage
from savegen.levels.images import Picture, decode
from savegen.runtime import SaveError
from tests.levels.pngs import (
    EVERY,
    GREY,
    PALETTE,
    RGB,
    RGBA,
    Drawing,
    chunk,
    drawings,
)
from tests.soaking import examples


def picture(data: bytes) -> Picture:
    found = decode(data, "geometry/layer1.png")
    assert isinstance(found, Picture), found
    return found


@pytest.mark.parametrize(("kind", "depth"), EVERY)
def test_pixels_have_the_colours_of_the_file(kind: int, depth: int) -> None:
    @given(drawings(kind, depth))
    @settings(max_examples=examples(15), deadline=None)
    def check(drawing: Drawing) -> None:
        found = picture(drawing.file())
        if drawing.depth < 16 or not drawing.clear or kind != RGB:
            assert found.colours.tolist() == drawing.colours()
        x, y, drawn = picture(drawing.file()).drawn()  # without looking at all colours
        assert [*zip(y, x)] == [*zip(*np.nonzero(found.colours))]
        assert (found.colours[y, x] == drawn).all()
        assert found.colours.dtype == np.uint32 and found.size == drawing.size
        assert found.has_alpha == (
            bool(drawing.clear or drawing.alphas) or kind not in (GREY, RGB, PALETTE)
        )

    check()


@pytest.mark.parametrize("mode", ["RGBA", "P"])
def test_single_pixels_are_found_in_a_large_image(mode: str) -> None:
    image = Image.new("RGBA", (300, 200), (9, 9, 9, 0))
    image.putpixel((299, 0), (70, 70, 70, 255))
    image.putpixel((4, 199), (70, 70, 70, 128))
    file = io.BytesIO()
    (image.quantize() if mode == "P" else image.convert(mode)).save(file, "png")
    found = picture(file.getvalue())
    assert found.image.mode == mode
    x, y, colours = found.drawn()
    assert x.tolist() == [299, 4] and y.tolist() == [0, 199]
    assert colours.tolist() == [0x464646FF, 0x46464680]
    assert "colours" not in vars(found)  # nobody looked at the others


def test_the_colour_below_full_transparency_does_not_matter() -> None:
    drawing = Drawing(RGBA, 8, [[(1, 2, 3, 0), (1, 2, 3, 1)]])
    assert picture(drawing.file()).colours.tolist() == [[0, 0x01020301]]


def test_a_transparent_colour_of_16_bits_is_compared_by_its_upper_eight() -> None:
    drawing = Drawing(RGB, 16, [[(0x1234, 0, 0), (0x2234, 0, 0)]], clear=(0x1234, 0, 0))
    assert picture(drawing.file()).colours.tolist() == [[0, 0x220000FF]]


def test_a_palette_that_is_too_short_ends_in_black() -> None:
    drawing = Drawing(PALETTE, 8, [[(0,), (9,)]], palette=[(1, 2, 3)])
    assert picture(drawing.file()).colours.tolist() == [[0x010203FF, 0x000000FF]]


def test_colour_profiles_and_texts_change_nothing() -> None:
    gamma, text = (b"gAMA", (45455).to_bytes(4, "big")), (b"tEXt", b"Title\0Cave")
    drawing = Drawing(RGBA, 8, [[(100, 50, 25, 200)]], extra=[gamma, text])
    assert picture(drawing.file()).colours.tolist() == [[0x643219C8]]


# -- what is no image


WHOLE = Drawing(RGBA, 8, [[(n, n, n, 255) for n in range(20)]] * 20).file()


@pytest.mark.parametrize(
    "length", range(0, len(WHOLE) - 4, 3)
)  # 4: a checksum of nothing
def test_a_truncated_image_is_reported(length: int) -> None:
    found = decode(WHOLE[:length], "sprites/a.png", "cavern/sprites/a.png")
    assert isinstance(found, BrokenImage)
    assert found.span.path == "cavern/sprites/a.png"
    assert (
        found.message == "image `sprites/a.png` cannot be read: the file is incomplete"
    )


@pytest.mark.parametrize("extra", [b"\0", b"more than there is" * 100])
def test_bytes_after_the_last_chunk_do_not_matter(extra: bytes) -> None:
    assert (picture(WHOLE + extra).colours == picture(WHOLE).colours).all()


@given(st.data())
@settings(max_examples=examples(100), deadline=None)
def test_a_damaged_image_is_read_or_reported_and_never_raises(
    data: st.DataObject,
) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(WHOLE) - 1))] = data.draw(
            st.integers(0, 255)
        )
    found = decode(bytes(damaged), "a.png")
    assert not isinstance(found, Picture) or found.size == (20, 20)


@given(st.binary(max_size=60))
@settings(max_examples=examples(30), deadline=None)
def test_random_bytes_are_reported(data: bytes) -> None:
    assert isinstance(decode(data, "a.png"), BrokenImage)
    assert isinstance(decode(b"\x89PNG\r\n\x1a\n" + data, "a.png"), BrokenImage)


@pytest.mark.parametrize("form", ["gif", "bmp", "jpeg", "tiff"])
def test_another_format_with_the_suffix_png_is_reported(form: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (3, 3)).save(file, form)
    found = decode(file.getvalue(), "a.png")
    assert isinstance(found, BrokenImage)
    assert "it is not a PNG file" in found.message


def bomb(width: int, height: int, packed: bytes) -> bytes:
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x06\0\0\0"
    chunks = (b"IHDR", head), (b"IDAT", packed), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


@pytest.mark.parametrize("size", [(1 << 30, 1 << 30), (8193, 8192), (1, (1 << 26) + 1)])
def test_the_size_is_checked_before_decoding(
    size: tuple[int, int],
) -> None:
    data = bomb(*size, zlib.compress(bytes(1 << 20)))
    tracemalloc.start()
    found = decode(data, "a.png")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(found, LargeImage) and found.size == size
    assert used < 1 << 20


def test_an_image_without_pixels_is_reported() -> None:
    found = decode(bomb(0, 5, b""), "a.png")
    assert isinstance(found, BrokenImage) and "damaged" in found.message


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_truncated_stream_of_pixels_is_reported(cut: int) -> None:
    packed = zlib.compress(bytes(range(201)) * 50, 0)
    assert isinstance(decode(bomb(50, 50, packed), "a.png"), Picture)
    found = decode(bomb(50, 50, packed[: len(packed) // cut - 100]), "a.png")
    assert isinstance(found, BrokenImage)


def test_missing_rows_with_right_checksums_are_read_like_pillow_does() -> None:
    rows = zlib.compress(bytes([0, *[7] * 8]))  # of two pixels, one row
    data = bomb(2, 3, rows)
    with Image.open(io.BytesIO(data)) as image:
        whole = np.asarray(image)
    assert picture(data).size == (2, 3)
    assert (images.channels_of(picture(data).colours)[0] == whole[0]).all()


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize(("kind", "depth"), EVERY)
def test_transparency_for_another_pixel_format_is_reported_or_ignored(
    kind: int, depth: int, behind: bool
) -> None:
    first = b"IHDR", bytes([0, 0, 0, 2, 0, 0, 0, 1, depth, kind, 0, 0, 0])
    clear = b"tRNS", b"\xff\xf0\0\1\0\2"
    pixels = b"IDAT", zlib.compress(bytes(40))
    for other, bits in EVERY:
        second = b"IHDR", first[1][:8] + bytes([bits, other, 0, 0, 0])
        chunks = [first, clear, second, pixels]
        if behind:
            chunks = [first, pixels, second, clear]
        data = [chunk(*each) for each in [*chunks, (b"IEND", b"")]]
        found = decode(b"\x89PNG\r\n\x1a\n" + b"".join(data), "a.png")
        if isinstance(found, Picture):
            assert found.colours.shape == (1, 2)
            assert len(found.drawn()[0]) == np.count_nonzero(found.colours)


def test_an_image_may_end_with_an_empty_row_and_extra_bytes() -> None:
    rows = [[(1, 1, 1, 1)] * 9] * 8 + [[(0, 0, 0, 0)] * 9]
    for interlaced in (False, True):
        data = Drawing(RGBA, 8, rows, interlaced=interlaced).file()
        at = data.index(b"IDAT") - 4
        raw = zlib.decompress(data[at + 8 : -16]) + b"more than there is"
        longer = data[:at] + chunk(b"IDAT", zlib.compress(raw)) + data[-12:]
        assert (picture(longer).colours == picture(data).colours).all()


def test_a_text_chunk_that_would_fill_memory_is_reported() -> None:
    packed = zlib.compress(bytes(1 << 24))
    drawing = Drawing(RGBA, 8, [[(1, 1, 1, 1)]], extra=[(b"zTXt", b"a\0\0" + packed)])
    found = decode(drawing.file(), "a.png")
    assert isinstance(found, BrokenImage)


def test_the_limit_is_below_that_of_pillow() -> None:
    assert images.MAX_PIXELS < (Image.MAX_IMAGE_PIXELS or 0)


def test_without_pillow_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(SaveError, match=r'pip install "savegen\[levels\]"'):
        decode(WHOLE, "a.png")


@given(st.integers(33, len(WHOLE) - 13), st.integers(1, 255))
@settings(max_examples=examples(40), deadline=None)
def test_each_changed_byte_of_the_pixels_is_detected(at: int, change: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[at] ^= change
    found = decode(bytes(damaged), "a.png")
    assert isinstance(found, BrokenImage)
