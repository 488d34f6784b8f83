"""Decode PNG images with Pillow, and return the colours of their pixels."""

from __future__ import annotations

import io
import struct
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from savegen.levels.findings import BrokenImage, LargeImage
from savegen.findings import Finding, Span
from savegen.runtime.errors import SaveError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL.PngImagePlugin import PngImageFile

    Cells = npt.NDArray[np.generic]
    Colours = npt.NDArray[np.uint32]

MAX_PIXELS = 1 << 26
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The errors that Pillow, zlib and struct raise for damaged files.
_DECODING_ERRORS = (
    *(OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError),
    *(OverflowError, struct.error, zlib.error),
)
# Pillow's names for 1, 2 and 4 bits of grey → the factor that makes them 8 bits.
_GREY_FACTORS = {"1": 255, "L;2": 85, "L;4": 17}


class Picture:
    """A decoded image."""

    def __init__(self, name: str, image: PngImageFile, raw: str) -> None:
        """`raw` is Pillow's name for the pixel format in the file, such as "RGB;16B".

        Raises `ValueError` if the transparency does not fit the image.
        """
        self.name = name  # of the file, for findings
        self.image = image  # not converted to RGBA
        self.size: tuple[int, int] = image.size  # width and height in pixels
        self.has_16_bits = raw.endswith("16B")  # in each channel
        self._transparent = _transparency_of(image, raw)
        if self._transparent is not None:  # Pillow needs it to convert the image
            image.info["transparency"] = self._transparent

    @cached_property
    def has_alpha(self) -> bool:
        """Whether the file has an alpha channel, or a transparent colour."""
        return self.image.mode in ("RGBA", "LA") or self._transparent is not None

    @cached_property
    def colours(self) -> Colours:
        """The pixels as rows of 0xRRGGBBAA; fully transparent pixels are 0.

        Channels of 16 bits are reduced to the upper 8 bits.
        """
        colours = self._all_colours()
        if self.has_alpha:
            colours[(colours & 255) == 0] = 0
        return colours

    def drawn(self) -> tuple[Cells, Cells, Colours]:
        """Return x, y and colour of the pixels whose alpha is not 0, row by row."""
        import numpy as np

        from savegen.levels.partition.arrays import nonzero_indices

        if self.image.mode == "P":
            pixels = self.image.tobytes()
            alpha = (self._palette() & 255).astype(np.uint8).tobytes()
            indices = nonzero_indices(np.frombuffer(pixels.translate(alpha), np.uint8))
            colours = self._palette()[np.frombuffer(pixels, np.uint8)[indices]]
        elif self.image.mode == "RGBA":
            alpha = self.image.tobytes("raw", "A")
            indices = nonzero_indices(np.frombuffer(alpha, np.uint8))
            colours = self._colours_at(indices)
        else:
            indices = np.flatnonzero(self.colours)
            colours = self.colours.reshape(-1)[indices]
        y, x = np.divmod(indices, self.size[0])
        return x, y, colours

    def _colours_at(self, indices: Cells) -> Colours:
        """Return the colours of some pixels of an RGBA image."""
        import numpy as np

        width, height = self.size
        if len(indices) > width * height >> 6:
            colours: Colours = self.colours.reshape(-1)[indices]
            return colours
        # Reading a few pixels one by one is faster than converting all of them.
        pixels: Any = self.image.load()
        channels = [pixels[at % width, at // width] for at in indices.tolist()]
        return _packed(np.array(channels, np.uint8).reshape(-1, 4))

    def _all_colours(self) -> Colours:
        """Return the colours of all pixels, including those with alpha 0."""
        import numpy as np

        if self.image.mode == "P":
            colours: Colours = self._palette()[np.asarray(self.image)]
            return colours
        if self.has_16_bits and len(self.image.getbands()) == 1:
            return self._grey_of_16_bits()
        is_rgba = self.image.mode == "RGBA"
        return _packed(
            np.asarray(self.image if is_rgba else self.image.convert("RGBA"))
        )

    def _palette(self) -> Colours:
        """Return the 256 colours of the palette; missing ones are black."""
        import numpy as np

        palette = np.zeros((256, 4), np.uint8)
        palette[:, 3] = 255
        colours = np.array(self.image.getpalette("RGB") or [], np.uint8).reshape(-1, 3)
        palette[: len(colours), :3] = colours[:256]
        if isinstance(self._transparent, bytes):
            alpha = np.frombuffer(self._transparent, np.uint8)
            palette[: len(alpha), 3] = alpha
        elif self._transparent is not None:
            palette[self._transparent, 3] = 0
        return _packed(palette)

    def _grey_of_16_bits(self) -> Colours:
        import numpy as np

        # The conversion to RGBA of these images depends on the version of Pillow.
        values = np.asarray(self.image)
        shades: Colours = values.astype(np.uint32) // 256 * 0x01010100 + 255
        if self._transparent is not None:
            shades[values == self._transparent] = 0
        return shades


def _transparency_of(image: PngImageFile, raw: str) -> Any:
    """Return the transparent colour or palette index of an image, or the alpha of its palette.

    A colour is scaled to the bits per channel of Pillow's pixels. Raises `ValueError` if the
    file's transparency does not fit its pixel format.
    """
    transparent = image.info.get("transparency")
    if image.mode == "P" and isinstance(transparent, int):
        if transparent in range(256):
            return transparent
    elif image.mode == "P" and isinstance(transparent, bytes):
        if len(transparent) <= 256:
            return transparent
    elif image.mode == "RGB" and isinstance(transparent, tuple):
        bits = 8 if raw.endswith("16B") else 0
        return tuple(channel >> bits for channel in transparent)
    elif image.mode in ("1", "L", "I", "I;16") and isinstance(transparent, int):
        return transparent * _GREY_FACTORS.get(raw, 1)
    elif transparent is None or image.mode in ("RGBA", "LA"):
        return None
    raise ValueError("its transparency does not fit its pixel format")


def _packed(channels: Any) -> Colours:
    """Return an array whose last axis is red, green, blue and alpha as an array of colours."""
    import numpy as np

    colours: Colours = np.ascontiguousarray(channels).view(">u4")[..., 0]
    return colours.astype(np.uint32)


def channels_of(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return an array of colours with an additional axis for red, green, blue and alpha.

    >>> import numpy as np
    >>> channels_of(np.array([0x00FFFF80], np.uint32)).tolist()
    [[0, 255, 255, 128]]
    """
    return colours.astype(">u4").view("u1").reshape(*colours.shape, 4)


def decode(data: bytes, name: str, path: str = "") -> Picture | Finding:
    """Return a PNG file as a picture, or a finding if it is damaged or too large.

    `path` is the file's path for findings, by default its `name`. A picture that is too large is
    not decoded. Raises `SaveError` if numpy or Pillow is not installed.

    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (2, 1), (0, 255, 255, 128)).save(file, "png")
    >>> picture = decode(file.getvalue(), "sprites/layer1.png")
    >>> [f"{colour:08x}" for colour in picture.colours[0]]
    ['00ffff80', '00ffff80']
    >>> print(decode(file.getvalue()[:-9], "sprites/layer1.png").message)
    image `sprites/layer1.png` cannot be read: the file is incomplete
    """
    _check_installed()
    span = Span(path or name)
    if data[:8] != _SIGNATURE[: len(data)]:
        return BrokenImage(span, name, "it is not a PNG file")
    try:
        image = _opened(data)
        if image.width * image.height > MAX_PIXELS:
            return LargeImage(span, name, image.size, MAX_PIXELS)
        # `verify` tests checksums. A verified image cannot be decoded, so it is opened again.
        _opened(data).verify()
        raw = image.tile[0][3]  # only available before decoding
        image.load()
        return Picture(name, image, str(raw))
    except _DECODING_ERRORS as error:
        return BrokenImage(span, name, _damage(data, error))


def _opened(data: bytes) -> PngImageFile:
    # `Image.open` would try other formats, and has another limit on size.
    from PIL.PngImagePlugin import PngImageFile

    return PngImageFile(io.BytesIO(data))


def _damage(data: bytes, error: Exception) -> str:
    """Return the reason why Pillow cannot read a file.

    >>> _damage(_SIGNATURE, OSError("Truncated File Read"))
    'the file is incomplete'
    """
    if b"IEND" not in data:  # the last chunk
        return "the file is incomplete"
    return f"the file is damaged: {error}"


def _check_installed() -> None:
    try:
        import numpy  # noqa: F401
        import PIL  # noqa: F401
    except ImportError as error:
        raise SaveError(
            f'reading levels needs {error.name}: pip install "savegen[levels]"'
        ) from None
