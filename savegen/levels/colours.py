"""Read and write colours, which are numbers 0xRRGGBBAA, and report unknown ones in images."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from savegen.findings import Finding, Span
from savegen.levels.findings import (
    BlurredEdges,
    ManyUnknownColours,
    OpaqueBackground,
    Pixel,
    UnknownColour,
)
from savegen.levels.images import Picture

if TYPE_CHECKING:
    from savegen.levels.images import Colours

COLOUR_FORMS = '"#rrggbb", "#rrggbbaa" or {"r": 0, "g": 0, "b": 0, "a": 255}'
_TEXT = re.compile("#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_MAX_LISTED = 12  # unknown colours per image with a separate finding


class _ColourCount(NamedTuple):
    colour: int
    pixels: int  # their number
    first: Pixel

    @property
    def is_opaque(self) -> bool:
        return self.colour & 255 == 255


def colour_of(value: Any) -> int | None:
    """Return the number of a colour in one of the JSON forms; `None` if it is not a colour.

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
    if any(type(byte) is not int or not 0 <= byte <= 255 for byte in channels):
        return None
    return int.from_bytes(bytes(channels), "big")


def text_of(colour: int) -> str:
    """Return a colour as text, with alpha only if it is not opaque.

    >>> text_of(0x00FFFFFF), text_of(0x00FFFF80)
    ('#00ffff', '#00ffff80')
    """
    return f"#{colour:08x}".removesuffix("ff")


def nearest_colour(colour: int, known: Iterable[int]) -> str:
    """Return the most similar one of the known colours as text; "" if there are none.

    >>> nearest_colour(0x01FEFFFF, [0x000000FF, 0x00FFFFFF])
    '#00ffff'
    """

    def distance(other: int) -> tuple[int, int]:
        channels = zip(colour.to_bytes(4, "big"), other.to_bytes(4, "big"))
        return sum((a - b) ** 2 for a, b in channels), other

    best = min(known, key=distance, default=None)
    return "" if best is None else text_of(best)


def colours_in(rows: Colours) -> set[int]:
    """Return the colours in an array. This is fast if neighbouring pixels are mostly equal.

    >>> import numpy as np
    >>> sorted(colours_in(np.array([[7, 7, 5], [7, 7, 7]], np.uint32)))
    [5, 7]
    """
    import numpy as np

    flat = rows.reshape(-1)
    ends = np.flatnonzero(flat[1:] != flat[:-1])
    return {*np.unique(flat[ends]).tolist(), *flat[-1:].tolist()}


def unknown_colours(
    picture: Picture, known: Collection[int], path: str
) -> Iterator[Finding]:
    """Yield the unknown colours of an image, those with the most pixels first.

    Semi-transparent colours share one finding: they come from anti-aliasing.
    """
    unknown = colours_in(picture.colours) - {0, *known}
    if not unknown:
        return
    span, name = Span(path), picture.name
    counts = _counts(picture.colours, unknown)
    opaque = [colour for colour in counts if colour.is_opaque]
    if not picture.has_alpha and opaque and _is_background(opaque[0], picture):
        yield OpaqueBackground(span, name, *_fields(opaque.pop(0), known))
    for colour in opaque[:_MAX_LISTED]:
        yield UnknownColour(span, name, *_fields(colour, known))
    if unlisted := opaque[_MAX_LISTED:]:
        total = sum(colour.pixels for colour in unlisted)
        yield ManyUnknownColours(span, name, len(unlisted), total)
    if blurred := [colour for colour in counts if not colour.is_opaque]:
        topmost = min(blurred, key=lambda colour: colour.first[::-1])
        total = sum(colour.pixels for colour in blurred)
        yield BlurredEdges(span, name, *_fields(topmost._replace(pixels=total), known))


def _counts(rows: Colours, unknown: set[int]) -> list[_ColourCount]:
    import numpy as np

    colours, firsts, counts = np.unique(
        rows.reshape(-1), return_index=True, return_counts=True
    )
    width = rows.shape[1]
    columns = zip(colours.tolist(), firsts.tolist(), counts.tolist())
    unknown_counts = [
        _ColourCount(colour, count, (first % width, first // width))
        for colour, first, count in columns
        if colour in unknown
    ]
    return sorted(unknown_counts, key=lambda it: (-it.pixels, it.first[::-1]))


def _is_background(colour: _ColourCount, picture: Picture) -> bool:
    """Return whether a colour covers the top left pixel, or more than half of an image."""
    width, height = picture.size
    return colour.first == (0, 0) or colour.pixels * 2 > width * height


def _fields(
    colour: _ColourCount, known: Collection[int]
) -> tuple[str, Pixel, int, str]:
    """Return the fields of an `UnknownColour` after `name`."""
    number, count, first = colour
    return text_of(number), first, count, nearest_colour(number, known)
