"""Colours as numbers, 0xRRGGBBAA, and as level authors write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_TEXT = re.compile("#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
WANTED = '"#rrggbb", "#rrggbbaa" or {"r": 0, "g": 0, "b": 0, "a": 255}'


def colour_of(value: Any) -> int | None:
    """Return a colour that is written in JSON as a number; None if it is none.

    >>> hex(colour_of("#00FFFF")), hex(colour_of({"r": 0, "g": 255, "b": 255, "a": 128}))
    ('0xffffff', '0xffff80')
    >>> colour_of("cyan"), colour_of({"r": 256, "g": 0, "b": 0})
    (None, None)
    """
    if isinstance(value, str) and _TEXT.fullmatch(value):
        return int(value[1:].ljust(8, "f"), 16)
    if not isinstance(value, dict) or not {*"rgb"} <= value.keys() <= {*"rgba"}:
        return None
    channels = [value["r"], value["g"], value["b"], value.get("a", 255)]
    if any(type(each) is not int or not 0 <= each <= 255 for each in channels):
        return None
    return int.from_bytes(bytes(channels), "big")


def text_of(colour: int) -> str:
    """Return a colour as it is written: alpha is told only where it is not full.

    >>> text_of(0x00FFFFFF), text_of(0x00FFFF80)
    ('#00ffff', '#00ffff80')
    """
    return f"#{colour:08x}".removesuffix("ff")


def nearest(colour: int, known: Iterable[int]) -> str:
    """Return which of some colours is the most like another one; "" if there are none.

    >>> nearest(0x01FEFFFF, [0x000000FF, 0x00FFFFFF])
    '#00ffff'
    """

    def distance(other: int) -> tuple[int, int]:
        apart = zip(colour.to_bytes(4, "big"), other.to_bytes(4, "big"))
        return sum((a - b) ** 2 for a, b in apart), other

    best = min(known, key=distance, default=None)
    return "" if best is None else text_of(best)
