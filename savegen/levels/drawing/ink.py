"""Colours and text of a preview."""

from __future__ import annotations

from functools import cache
from typing import Any

from PIL import ImageFont

Ink = tuple[int, int, int, int]  # red, green, blue, alpha

PAPER: Ink = (246, 245, 241, 255)
GROUND: Ink = (255, 255, 255, 255)  # of the map, where nothing is drawn
TEXT: Ink = (36, 41, 47, 255)
FAINT: Ink = (110, 118, 129, 255)
FRAME: Ink = (140, 149, 159, 255)
# Grey: seen on bright maps and on dark ones.
LINE: Ink = (128, 134, 142, 48)
STRONG: Ink = (128, 134, 142, 96)


def ink_of(colour: int, alpha: int | None = None) -> Ink:
    """Return 0xRRGGBBAA as red, green, blue and alpha, which may be another one.

    >>> ink_of(0xFF8000FF), ink_of(0xFF8000FF, 9)
    ((255, 128, 0, 255), (255, 128, 0, 9))
    """
    own = colour & 255
    channels = colour >> 24, colour >> 16 & 255, colour >> 8 & 255
    return (*channels, own if alpha is None else alpha)


def shade(ink: Ink, part: float = 0.5) -> Ink:
    """Return a colour mixed with that of text: what is outlined in it is seen on any ground.

    >>> shade((255, 255, 255, 255)), shade((0, 0, 0, 255), 1.0)
    ((146, 148, 151, 255), (36, 41, 47, 255))
    """
    return _mixed(ink, TEXT, part)


def tint(ink: Ink) -> Ink:
    """Return a colour mixed with white.

    >>> tint((100, 0, 255, 255))
    (178, 128, 255, 255)
    """
    return _mixed(ink, (255, 255, 255, 255), 0.5)


def _mixed(ink: Ink, other: Ink, part: float) -> Ink:
    r, g, b = (round(a * (1 - part) + b * part) for a, b in zip(ink[:3], other))
    return r, g, b, 255


@cache
def letters(size: int) -> Any:
    """Return Pillow's own font, the same on every machine, in a height of pixels."""
    return ImageFont.load_default(size)


def width_of(text: str, size: int) -> int:
    """Return how many pixels a text is wide."""
    return round(float(letters(size).getlength(text)))


def shortened(text: str, size: int, width: int) -> str:
    """Return a text cut to a width in pixels, with dots where it was cut.

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
