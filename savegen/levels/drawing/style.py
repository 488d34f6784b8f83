"""The colours of a preview, and functions that write text in it."""

from __future__ import annotations

from functools import cache
from typing import Any

from PIL import ImageDraw, ImageFont

Rgba = tuple[int, int, int, int]  # red, green, blue, alpha

PAPER: Rgba = (246, 245, 241, 255)
BACKGROUND: Rgba = (255, 255, 255, 255)  # the empty map
TEXT: Rgba = (36, 41, 47, 255)
FAINT: Rgba = (110, 118, 129, 255)
FRAME: Rgba = (140, 149, 159, 255)
# Grey, which is visible on bright and on dark maps.
LINE: Rgba = (128, 134, 142, 48)
STRONG: Rgba = (128, 134, 142, 96)


def rgba_of(colour: int, alpha: int | None = None) -> Rgba:
    """Return a colour 0xRRGGBBAA as red, green, blue and alpha, or with a different alpha.

    >>> rgba_of(0xFF8000FF), rgba_of(0xFF8000FF, 9)
    ((255, 128, 0, 255), (255, 128, 0, 9))
    """
    red, green, blue, own_alpha = colour.to_bytes(4, "big")
    return red, green, blue, own_alpha if alpha is None else alpha


def mixed(rgba: Rgba, other: Rgba = TEXT, part: float = 0.5) -> Rgba:
    """Return a colour mixed with `part` of another one; by default it gets darker.

    >>> mixed((255, 255, 255, 255)), mixed((0, 0, 0, 255), part=1.0)
    ((146, 148, 151, 255), (36, 41, 47, 255))
    """
    r, g, b = (round(a * (1 - part) + b * part) for a, b in zip(rgba[:3], other))
    return r, g, b, 255


@cache
def letters(size: int) -> Any:
    """Return Pillow's built-in font, the same on every machine, with letters of `size` pixels."""
    return ImageFont.load_default(size)


def write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    size: int,
    rgba: Rgba = FAINT,
    anchor: str = "lm",
) -> None:
    """Draw a line of text. By default `at` is the middle of its left edge; see Pillow's anchors."""
    draw.text(at, text, rgba, letters(size), anchor)


def width_of(text: str, size: int) -> int:
    """Return the width of a text in pixels."""
    return round(float(letters(size).getlength(text)))


def shortened(text: str, size: int, width: int) -> str:
    """Return a text, cut and with an ellipsis if it is wider than `width` pixels.

    >>> shortened("GoblinGuard", 12, 400)
    'GoblinGuard'
    >>> shortened("GoblinGuard", 12, 50)
    'Goblin…'
    """
    if width_of(text, size) <= width:
        return text
    while text and width_of(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"
