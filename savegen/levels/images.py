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
# What Pillow raises for damaged files; zlib and struct are what it reads them with.
_DAMAGE = (
    *(OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError),
    *(OverflowError, struct.error, zlib.error),
)
# What Pillow calls shades of grey of 1, 2 and 4 bits, and what a step of each is in 8 bits.
_STEPS = {"1": 255, "L;2": 85, "L;4": 17}


class Picture:
    """A decoded image."""

    def __init__(self, name: str, image: PngImageFile, raw: str) -> None:
        """`raw` is what Pillow calls a pixel in the file. Raises `ValueError` if it has two headers."""
        self.name = name  # the file's, for findings
        self.image = image  # Pillow's, in whatever mode it was stored
        self.size: tuple[int, int] = image.size  # width and height in pixels
        self.has_16_bits = raw.endswith("16B")  # a channel
        self._clear = _clear_of(image, raw)
        if self._clear is not None:  # Pillow converts by it
            image.info["transparency"] = self._clear

    @cached_property
    def has_alpha(self) -> bool:
        """Whether the file says of any pixel or colour how transparent it is."""
        return self.image.mode in ("RGBA", "LA") or self._clear is not None

    @cached_property
    def colours(self) -> Colours:
        """The pixels as 0xRRGGBBAA, in rows; 0 wherever alpha is 0.

        Of 16 bits a channel Pillow keeps the upper eight, and so does this.
        """
        colours = self._composed()
        if self.has_alpha:
            colours[(colours & 255) == 0] = 0
        return colours

    def drawn(self) -> tuple[Cells, Cells, Colours]:
        """Return x, y and colour of the pixels whose alpha is not 0, row by row."""
        import numpy as np

        from savegen.levels.partition.arrays import true_places

        if self.image.mode == "P":
            pixels = self.image.tobytes()
            alpha = (self._table() & 255).astype(np.uint8).tobytes()
            flat = true_places(np.frombuffer(pixels.translate(alpha), np.uint8))
            found = self._table()[np.frombuffer(pixels, np.uint8)[flat]]
        elif self.image.mode == "RGBA":
            alpha = self.image.tobytes("raw", "A")
            flat = true_places(np.frombuffer(alpha, np.uint8))
            found = self._at(flat)
        else:
            flat = np.flatnonzero(self.colours)
            found = self.colours.reshape(-1)[flat]
        y, x = np.divmod(flat, self.size[0])
        return x, y, found

    def _at(self, places: Cells) -> Colours:
        """Return the colours of some pixels of RGBA; while they are few, no others are made."""
        import numpy as np

        width, height = self.size
        if len(places) > width * height >> 6:
            few: Colours = self.colours.reshape(-1)[places]
            return few
        pixels: Any = self.image.load()
        found = [pixels[at % width, at // width] for at in places.tolist()]
        return _packed(np.array(found, np.uint8).reshape(-1, 4))

    def _composed(self) -> Colours:
        """Return the colours of all pixels; transparent ones are as they are."""
        import numpy as np

        if self.image.mode == "P":
            found: Colours = self._table()[np.asarray(self.image)]
            return found
        if self.has_16_bits and len(self.image.getbands()) == 1:
            return self._grey_of_16_bits()
        is_rgba = self.image.mode == "RGBA"
        return _packed(
            np.asarray(self.image if is_rgba else self.image.convert("RGBA"))
        )

    def _table(self) -> Colours:
        """Return the colours of a palette. What it lacks is black."""
        import numpy as np

        found = np.zeros((256, 4), np.uint8)
        found[:, 3] = 255
        colours = np.array(self.image.getpalette("RGB") or [], np.uint8).reshape(-1, 3)
        found[: len(colours), :3] = colours[:256]
        if isinstance(self._clear, bytes):
            found[: len(self._clear), 3] = np.frombuffer(self._clear, np.uint8)
        elif self._clear is not None:
            found[self._clear, 3] = 0
        return _packed(found)

    def _grey_of_16_bits(self) -> Colours:
        """Return shades of grey: Pillow's versions differ in how they convert these."""
        import numpy as np

        values = np.asarray(self.image)
        shades: Colours = values.astype(np.uint32) // 256 * 0x01010100 + 255
        if self._clear is not None:
            shades[values == self._clear] = 0
        return shades


def _clear_of(image: PngImageFile, raw: str) -> Any:
    """Return the colour or the place in the palette that is clear, or the alpha of each place.

    Colours are in the bits that Pillow keeps: it converts by them, but leaves them as the file
    has them. Raises `ValueError` if they are those of another kind of image.
    """
    clear = image.info.get("transparency")
    if image.mode == "P" and isinstance(clear, (int, bytes)):
        if clear in range(256) if isinstance(clear, int) else len(clear) <= 256:
            return clear
    elif image.mode == "RGB" and isinstance(clear, tuple):
        return tuple(each >> 8 for each in clear) if raw.endswith("16B") else clear
    elif image.mode in ("1", "L", "I", "I;16") and isinstance(clear, int):
        return clear * _STEPS.get(raw, 1)
    elif clear is None or image.mode in ("RGBA", "LA"):
        return None
    raise ValueError("its transparency is that of another kind of image")


def _packed(channels: Any) -> Colours:
    """Return arrays of R, G, B and A as arrays of colours."""
    import numpy as np

    found: Colours = np.ascontiguousarray(channels).view(">u4")[..., 0]
    return found.astype(np.uint32)


def channels_of(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return colours as red, green, blue and alpha, one axis more.

    >>> import numpy as np
    >>> channels_of(np.array([0x00FFFF80], np.uint32)).tolist()
    [[0, 255, 255, 128]]
    """
    return colours.astype(">u4").view("u1").reshape(*colours.shape, 4)


def decode(data: bytes, name: str, path: str = "") -> Picture | Finding:
    """Return a PNG file as a picture, or what is wrong with it.

    `path` is what findings call the file, if that is more than its `name`. How large the image
    is, is known from its header, before anything is decoded. Raises `SaveError` without Pillow.

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
        _opened(
            data
        ).verify()  # the checksums; an image that was verified cannot be decoded
        raw = image.tile[0][3]  # Pillow tells it until it decodes
        image.load()
        return Picture(name, image, str(raw))
    except _DAMAGE as error:
        return BrokenImage(span, name, _damage(data, error))


def _opened(data: bytes) -> PngImageFile:
    # Not `Image.open`: it would ask what other formats a file may be, and has a limit of its own.
    from PIL.PngImagePlugin import PngImageFile

    return PngImageFile(io.BytesIO(data))


def _damage(data: bytes, error: Exception) -> str:
    """Return what has happened to a file that Pillow cannot read.

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
