"""Colours as numbers, 0xRRGGBBAA, and unknown colours in images."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from savegen.findings import Finding, Span
from savegen.levels.findings import (
    BlurredEdges,
    MoreColours,
    OpaqueBackground,
    Pixel,
    UnknownColour,
)
from savegen.levels.images import Picture

if TYPE_CHECKING:
    from savegen.levels.images import Colours

WANTED = '"#rrggbb", "#rrggbbaa" or {"r": 0, "g": 0, "b": 0, "a": 255}'
_TEXT = re.compile("#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_MOST = 12  # unknown colours of one image that have a finding each

_Count = tuple[int, int, Pixel]  # a colour, its number of pixels, the first of them


def colour_of(value: Any) -> int | None:
    """Return a colour that is written in JSON as a number; `None` if it is not a colour.

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
    """Return a colour as text, with alpha only if it is not opaque.

    >>> text_of(0x00FFFFFF), text_of(0x00FFFF80)
    ('#00ffff', '#00ffff80')
    """
    return f"#{colour:08x}".removesuffix("ff")


def nearest(colour: int, known: Iterable[int]) -> str:
    """Return the most similar of the known colours as text; "" if there are none.

    >>> nearest(0x01FEFFFF, [0x000000FF, 0x00FFFFFF])
    '#00ffff'
    """

    def distance(other: int) -> tuple[int, int]:
        apart = zip(colour.to_bytes(4, "big"), other.to_bytes(4, "big"))
        return sum((a - b) ** 2 for a, b in apart), other

    best = min(known, key=distance, default=None)
    return "" if best is None else text_of(best)


def colours_in(rows: Colours) -> set[int]:
    """Return the colours in an array; of each run, only one pixel is compared.

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
    opaque = [each for each in counts if each[0] & 255 == 255]
    if not picture.has_alpha and opaque and _is_background(opaque[0], picture):
        yield OpaqueBackground(span, name, *_facts(opaque.pop(0), known))
    for each in opaque[:_MOST]:
        yield UnknownColour(span, name, *_facts(each, known))
    if more := opaque[_MOST:]:
        yield MoreColours(span, name, len(more), sum(count for _, count, _ in more))
    if blurred := [each for each in counts if each[0] & 255 < 255]:
        colour, _, pixel = min(blurred, key=lambda each: each[2][::-1])
        total = sum(count for _, count, _ in blurred)
        yield BlurredEdges(span, name, *_facts((colour, total, pixel), known))


def _counts(rows: Colours, wanted: set[int]) -> list[_Count]:
    import numpy as np

    found, firsts, counts = np.unique(
        rows.reshape(-1), return_index=True, return_counts=True
    )
    width = rows.shape[1]
    columns = zip(found.tolist(), firsts.tolist(), counts.tolist())
    wanted_counts = [
        (colour, count, (first % width, first // width))
        for colour, first, count in columns
        if colour in wanted
    ]
    return sorted(wanted_counts, key=lambda each: (-each[1], each[2][::-1]))


def _is_background(found: _Count, picture: Picture) -> bool:
    """Return whether a colour is in the top left corner, or in half of an image."""
    _, count, pixel = found
    width, height = picture.size
    return pixel == (0, 0) or count * 2 > width * height


def _facts(found: _Count, known: Collection[int]) -> tuple[str, Pixel, int, str]:
    colour, count, pixel = found
    return text_of(colour), pixel, count, nearest(colour, known)
