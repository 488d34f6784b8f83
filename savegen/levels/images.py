"""PNG images as colours of pixels. Pillow decodes them."""

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

MOST_PIXELS = 1 << 26
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The errors that Pillow, zlib and struct raise for damaged files.
_DAMAGE = (
    *(OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError),
    *(OverflowError, struct.error, zlib.error),
)
# Pillow's names for grey of 1, 2 and 4 bits, and their factors to 8 bits.
_GREY_FACTORS = {"1": 255, "L;2": 85, "L;4": 17}


class Picture:
    """A decoded image."""

    def __init__(self, name: str, image: PngImageFile, raw: str) -> None:
        """`raw` is Pillow's name for the format of pixels in the file.

        Raises `ValueError` if the transparency does not fit the image.
        """
        self.name = name  # of the file, for findings
        self.image = image  # in the mode of the file
        self.size: tuple[int, int] = image.size  # width and height in pixels
        self.has_16_bits = raw.endswith("16B")  # in each channel
        self._transparent = _transparency_of(image, raw)
        if self._transparent is not None:  # Pillow uses it to convert
            image.info["transparency"] = self._transparent

    @cached_property
    def has_alpha(self) -> bool:
        """Whether the file contains transparency for any pixel or colour."""
        return self.image.mode in ("RGBA", "LA") or self._transparent is not None

    @cached_property
    def colours(self) -> Colours:
        """The pixels as rows of 0xRRGGBBAA; 0 where alpha is 0.

        Of channels with 16 bits, only the upper eight are used.
        """
        colours = self._all_colours()
        if self.has_alpha:
            colours[(colours & 255) == 0] = 0
        return colours

    def drawn(self) -> tuple[Cells, Cells, Colours]:
        """Return x, y and colour of the pixels whose alpha is not 0, row by row."""
        import numpy as np

        from savegen.levels.partition.arrays import true_places

        if self.image.mode == "P":
            pixels = self.image.tobytes()
            alpha = (self._palette() & 255).astype(np.uint8).tobytes()
            flat = true_places(np.frombuffer(pixels.translate(alpha), np.uint8))
            found = self._palette()[np.frombuffer(pixels, np.uint8)[flat]]
        elif self.image.mode == "RGBA":
            alpha = self.image.tobytes("raw", "A")
            flat = true_places(np.frombuffer(alpha, np.uint8))
            found = self._colours_at(flat)
        else:
            flat = np.flatnonzero(self.colours)
            found = self.colours.reshape(-1)[flat]
        y, x = np.divmod(flat, self.size[0])
        return x, y, found

    def _colours_at(self, places: Cells) -> Colours:
        """Return the colours of pixels of an RGBA image; a few are read one by one."""
        import numpy as np

        width, height = self.size
        if len(places) > width * height >> 6:
            many: Colours = self.colours.reshape(-1)[places]
            return many
        pixels: Any = self.image.load()
        found = [pixels[at % width, at // width] for at in places.tolist()]
        return _packed(np.array(found, np.uint8).reshape(-1, 4))

    def _all_colours(self) -> Colours:
        """Return the colours of all pixels; transparent ones keep their colours."""
        import numpy as np

        if self.image.mode == "P":
            found: Colours = self._palette()[np.asarray(self.image)]
            return found
        if self.has_16_bits and len(self.image.getbands()) == 1:
            return self._grey_of_16_bits()
        is_rgba = self.image.mode == "RGBA"
        return _packed(
            np.asarray(self.image if is_rgba else self.image.convert("RGBA"))
        )

    def _palette(self) -> Colours:
        """Return the 256 colours of the palette; missing ones are black."""
        import numpy as np

        found = np.zeros((256, 4), np.uint8)
        found[:, 3] = 255
        colours = np.array(self.image.getpalette("RGB") or [], np.uint8).reshape(-1, 3)
        found[: len(colours), :3] = colours[:256]
        if isinstance(self._transparent, bytes):
            found[: len(self._transparent), 3] = np.frombuffer(
                self._transparent, np.uint8
            )
        elif self._transparent is not None:
            found[self._transparent, 3] = 0
        return _packed(found)

    def _grey_of_16_bits(self) -> Colours:
        """Return the colours of 16-bit grey: how Pillow converts it depends on its version."""
        import numpy as np

        values = np.asarray(self.image)
        shades: Colours = values.astype(np.uint32) // 256 * 0x01010100 + 255
        if self._transparent is not None:
            shades[values == self._transparent] = 0
        return shades


def _transparency_of(image: PngImageFile, raw: str) -> Any:
    """Return the transparent colour or palette index of an image, or the alpha of its palette.

    The colour has as many bits as Pillow's pixels, so that Pillow can convert with it; in the
    file it has the bits of the file. Raises `ValueError` if it is for another kind of image.
    """
    transparent = image.info.get("transparency")
    if image.mode == "P" and isinstance(transparent, (int, bytes)):
        if (
            transparent in range(256)
            if isinstance(transparent, int)
            else len(transparent) <= 256
        ):
            return transparent
    elif image.mode == "RGB" and isinstance(transparent, tuple):
        return (
            tuple(each >> 8 for each in transparent)
            if raw.endswith("16B")
            else transparent
        )
    elif image.mode in ("1", "L", "I", "I;16") and isinstance(transparent, int):
        return transparent * _GREY_FACTORS.get(raw, 1)
    elif transparent is None or image.mode in ("RGBA", "LA"):
        return None
    raise ValueError("its transparency is for another kind of image")


def _packed(channels: Any) -> Colours:
    """Return an array of red, green, blue and alpha as an array of colours."""
    import numpy as np

    found: Colours = np.ascontiguousarray(channels).view(">u4")[..., 0]
    return found.astype(np.uint32)


def channels_of(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return an array of colours with an additional axis for red, green, blue and alpha.

    >>> import numpy as np
    >>> channels_of(np.array([0x00FFFF80], np.uint32)).tolist()
    [[0, 255, 255, 128]]
    """
    return colours.astype(">u4").view("u1").reshape(*colours.shape, 4)


def decode(data: bytes, name: str, path: str = "") -> Picture | Finding:
    """Return a PNG file as a picture, or a finding if it is damaged or too large.

    `path` is the file's path for findings, by default its `name`. The size is checked before
    anything is decoded. Raises `SaveError` if numpy or Pillow is not installed.

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
        if image.width * image.height > MOST_PIXELS:
            return LargeImage(span, name, image.size, MOST_PIXELS)
        _opened(data).verify()  # tests checksums; then this image cannot be decoded
        raw = image.tile[0][3]  # only available before decoding
        image.load()
        return Picture(name, image, str(raw))
    except _DAMAGE as error:
        return BrokenImage(span, name, _damage(data, error))


def _opened(data: bytes) -> PngImageFile:
    # `Image.open` would try other formats, and has its own limit on size.
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
