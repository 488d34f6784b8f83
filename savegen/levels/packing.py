"""Make the images of a level smaller by using palettes; no pixel changes."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from savegen.levels.images import Picture, channels_of, decode
from savegen.levels.colours import colours_in
from savegen.findings import Finding

_MOST = 256  # colours of a palette
# How colours are shown, and how large: that is no pixel, and stays.
_KEPT = {"icc_profile", "dpi"}


def packed(data: bytes, name: str, path: str = "") -> bytes | Finding:
    """Return the same pixels as a smaller PNG file, `data` if there is none, or what is wrong.

    Colours that nobody can see, of alpha 0, become one. Animations, and images of 16 bits a
    channel, which would lose some, stay as they are.

    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (100, 100), (0, 255, 255, 128)).save(file, "png")
    >>> small = packed(file.getvalue(), "layer1.png")
    >>> len(small) < len(file.getvalue()), packed(small, "layer1.png") == small
    (True, True)
    """
    picture = decode(data, name, path)
    if not isinstance(picture, Picture):
        return picture
    if _would_lose(picture):
        return data
    smaller = _written(picture)
    if len(smaller) >= len(data) or not _is_same(picture, smaller):
        return data
    return smaller


def _would_lose(picture: Picture) -> bool:
    """Tell whether a file holds more than the colours of its pixels."""
    return picture.has_16_bits or picture.image.n_frames > 1


def _is_same(picture: Picture, data: bytes) -> bool:
    again = decode(data, picture.name)
    return isinstance(again, Picture) and np.array_equal(again.colours, picture.colours)


def _written(picture: Picture) -> bytes:
    known = np.array(sorted(colours_in(picture.colours)), np.uint32)
    if len(known) <= _MOST:
        places = np.searchsorted(known, picture.colours)
        image, told = _with_palette(known, places)
    else:
        channels = channels_of(picture.colours)
        image, told = Image.fromarray(channels), {}
        if (channels[..., 3] == 255).all():
            image = image.convert("RGB")
    kept = {key: picture.image.info[key] for key in _KEPT & picture.image.info.keys()}
    file = io.BytesIO()
    image.save(file, "png", optimize=True, **told, **kept)
    return file.getvalue()


def _with_palette(known: Any, places: Any) -> tuple[Image.Image, dict[str, Any]]:
    """Return an image of few colours, and its alpha: what is not told there is opaque."""
    channels = channels_of(known)
    order = channels[:, 3].argsort(kind="stable")  # the opaque ones last
    ranks = order.argsort()
    image = Image.fromarray(ranks.astype("u1")[places])
    image.putpalette(channels[order, :3].tobytes())
    alpha = channels[order, 3].tobytes().rstrip(b"\xff")
    return image, {"transparency": alpha} if alpha else {}
