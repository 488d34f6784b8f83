"""PNG images as colours of pixels."""

from __future__ import annotations

import io
import struct
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from savegen.levels import png, sparse
from savegen.levels.image_findings import BrokenImage, LargeImage
from savegen.findings import Finding, Span
from savegen.runtime.errors import SaveError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL.Image import Image

    Cells = npt.NDArray[np.generic]
    Colours = npt.NDArray[np.uint32]

MOST_PIXELS = 1 << 26
# What Pillow raises for damaged files; zlib and struct are what it reads them with.
_DAMAGE = (
    *(OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError),
    *(OverflowError, struct.error, zlib.error),
)


class Picture:
    """A decoded image."""

    def __init__(
        self, name: str, image: Image, depth: int, few: sparse.Drawn | None = None
    ) -> None:
        """`few` is what is drawn, if that is known: then Pillow may decode the image later."""
        self.name = name  # the file's, for findings
        self.image = image  # Pillow's, in whatever mode it was stored
        self.size: tuple[int, int] = image.size  # width and height in pixels
        self._depth = depth  # bits of a channel in the file
        self._few = few

    @cached_property
    def has_alpha(self) -> bool:
        """Whether the file says of any pixel or colour how transparent it is."""
        return self.image.mode in ("RGBA", "LA") or "transparency" in self.image.info

    @cached_property
    def colours(self) -> Colours:
        """The pixels as 0xRRGGBBAA, in rows; 0 wherever alpha is 0."""
        colours = self._composed()
        if self.has_alpha:
            colours[(colours & 255) == 0] = 0
        return colours

    def drawn(self) -> tuple[Cells, Cells, Colours]:
        """Return x, y and colour of the pixels whose alpha is not 0, row by row."""
        import numpy as np

        if self._few is not None:
            x, y, colours = map(np.array, self._few)
            return x, y, colours.astype(np.uint32)
        if "colours" not in self.__dict__ and self.image.mode in ("P", "RGBA", "LA"):
            flat = self._seen()
            if len(flat) < self.size[0] * self.size[1] >> 6:
                return self._at(flat)
        flat = np.flatnonzero(self.colours)
        y, x = np.divmod(flat, self.size[0])
        return x, y, self.colours.reshape(-1)[flat]

    def _at(self, flat: Cells) -> tuple[Cells, Cells, Colours]:
        """Return what `drawn` does, of the pixels at some places: they are few."""
        import numpy as np

        y, x = np.divmod(flat, self.size[0])
        pixels: Any = self.image.load()
        found = [pixels[place] for place in zip(x.tolist(), y.tolist())]
        if self.image.mode == "P":
            return x, y, self._table()[np.array(found, np.intp)]
        channels = np.array(found, np.uint8).reshape(-1, len(self.image.getbands()))
        return x, y, _packed(channels)

    def _seen(self) -> Cells:
        """Return the places of the pixels whose alpha is not 0."""
        if self.image.mode != "P":
            return sparse.others(self.image.getchannel("A").tobytes(), 0)
        alpha, pixels = self._table() & 255, self.image.tobytes()
        clear = [place for place, each in enumerate(alpha.tolist()) if not each]
        if len(clear) == 1:
            return sparse.others(pixels, clear[0])
        return sparse.others(pixels.translate(alpha.astype("u1").tobytes()), 0)

    def _composed(self) -> Colours:
        """Return the colours of all pixels; transparent ones are as they are."""
        mode = self.image.mode
        if mode == "P":
            found: Colours = self._table()[self._cells()]
            return found
        if mode in ("RGBA", "RGB", "LA"):
            return self._seen_through(_packed(self._cells()))
        return self._grey(self._cells())

    def _cells(self) -> Any:
        """Return the pixels as Pillow has them: an array of rows, of channels if many."""
        import numpy as np

        return np.asarray(self.image)

    def _table(self) -> Colours:
        """Return the colours of a palette. What it lacks is black."""
        import numpy as np

        found = np.zeros((256, 4), np.uint8)
        found[:, 3] = 255
        colours = np.array(self.image.getpalette("RGB") or [], np.uint8).reshape(-1, 3)
        found[: len(colours), :3] = colours[:256]
        alpha = self.image.info.get("transparency", b"")
        if isinstance(alpha, bytes):
            found[: len(alpha), 3] = np.frombuffer(alpha[:256], np.uint8)
        else:
            found[alpha, 3] = 0
        return _packed(found)

    def _seen_through(self, colours: Colours) -> Colours:
        """Take the one colour out that the file calls transparent.

        Of 16 bits a channel Pillow keeps the upper eight, and so does this.
        """
        clear = self.image.info.get("transparency")
        if isinstance(clear, tuple) and self.image.mode == "RGB":
            r, g, b = (each >> (8 if self._depth == 16 else 0) for each in clear)
            colours[colours == (r << 24 | g << 16 | b << 8 | 255)] = 0
        return colours

    def _grey(self, values: Any) -> Colours:
        """Return shades of grey as colours, those of any depth as eight bits say them."""
        import numpy as np

        clear = self.image.info.get("transparency")
        if self._depth == 16:
            shades: Colours = (values.astype(np.uint32) >> 8) * 0x01010100 + 255
            if clear is not None:
                shades[values == clear] = 0
            return shades
        if self.image.mode == "1":
            values = values.astype(np.uint8) * np.uint8(255)
        table: Colours = np.arange(256, dtype=np.uint32) * 0x01010100 + 255
        if clear is not None:
            table[min(clear * 255 // ((1 << self._depth) - 1), 255)] = 0
        found: Colours = table[values]
        return found


def _packed(channels: Any) -> Colours:
    """Return arrays of L and A, R, G and B, or R, G, B and A as arrays of colours."""
    import numpy as np

    count = channels.shape[-1]
    if count == 4:
        whole = np.ascontiguousarray(channels)
        return _numbers(whole)
    whole = np.full((*channels.shape[:-1], 4), 255, np.uint8)
    whole[..., :3] = channels[..., :1] if count == 2 else channels
    if count == 2:
        whole[..., 3] = channels[..., 1]
    return _numbers(whole)


def _numbers(whole: Any) -> Colours:
    import numpy as np

    found: Colours = whole.view(">u4")[..., 0].astype(np.uint32)
    return found


def channels_of(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return colours as red, green, blue and alpha, one axis more.

    >>> import numpy as np
    >>> channels_of(np.array([0x00FFFF80], np.uint32)).tolist()
    [[0, 255, 255, 128]]
    """
    return colours.astype(">u4").view("u1").reshape(*colours.shape, 4)


def decode(
    data: bytes, name: str, path: str = "", *, sprites: bool = False
) -> Picture | Finding:
    """Return a PNG file as a picture, or what is wrong with it.

    `path` is what findings call the file, if that is more than its `name`. Of `sprites` not
    much more is wanted than `drawn`. How large the image is, is known from its header, before
    anything is decoded. Raises `SaveError` without Pillow.

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
    head = png.header(data)
    if isinstance(head, str):
        return BrokenImage(span, name, head)
    if head.width * head.height > MOST_PIXELS:
        return LargeImage(span, name, (head.width, head.height), MOST_PIXELS)
    if damage := png.damage(data):
        return BrokenImage(span, name, damage)
    try:
        few = sparse.drawn(data) if sprites else None
        image = _opened(data)
        if few is None and not _is_whole(image, data):
            return BrokenImage(span, name, png.CUT)
        return Picture(name, image, head.depth, few)
    except _DAMAGE as error:
        return BrokenImage(span, name, str(error) or type(error).__name__)


def _opened(data: bytes) -> Image:
    # Not `Image.open`: it would ask what other formats a file may be.
    from PIL.PngImagePlugin import PngImageFile

    return PngImageFile(io.BytesIO(data))


def _is_whole(image: Image, data: bytes) -> bool:
    """Decode an image; tell whether all of its rows are in the file.

    Pillow takes those that lack for rows of zeros. So the last pixel is something else before:
    if it still is then, somebody has drawn just that, or nobody has.
    """
    from PIL.Image import new

    last = image.width - 1, image.height - 1
    bands = len(image.getbands())
    image.im = new(image.mode, image.size, None).im
    image.im.putpixel(last, 201 if bands == 1 else (201, 202, 203, 204)[:bands])
    before = image.im.getpixel(last)
    image.load()
    is_drawn = image.im.getpixel(last) != before and not png.is_interlaced(data)
    return is_drawn or not png.is_short(data)


def _check_installed() -> None:
    try:
        import numpy  # noqa: F401
        import PIL  # noqa: F401
    except ImportError as error:
        raise SaveError(
            f'reading levels needs {error.name}: pip install "savegen[levels]"'
        ) from None
