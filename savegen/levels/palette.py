"""Compare the colours of an image with the known colours of a level."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from savegen.levels.colours import nearest, text_of
from savegen.levels.image_findings import (
    BlurredEdges,
    MoreColours,
    OpaqueBackground,
    UnknownColour,
)
from savegen.levels.images import Picture
from savegen.findings import Finding, Span

if TYPE_CHECKING:
    from savegen.levels.images import Colours

_MOST = 12  # colours of one image that are told one by one


class Met(NamedTuple):
    """A colour in an image: how often it is there, and the first of its pixels."""

    colour: int
    pixels: int
    pixel: tuple[int, int]


def colours_in(rows: Colours) -> set[int]:
    """Return the colours in an array of rows: of each run one pixel is looked at.

    >>> import numpy as np
    >>> sorted(colours_in(np.array([[7, 7, 5], [7, 7, 7]], np.uint32)))
    [5, 7]
    """
    import numpy as np

    flat = rows.reshape(-1)
    ends = np.flatnonzero(flat[1:] != flat[:-1])
    return {*np.unique(flat[ends]).tolist(), *flat[-1:].tolist()}


def faults(picture: Picture, known: Collection[int], span: Span) -> Iterator[Finding]:
    """Yield what is wrong with the colours of an image, those of most pixels first.

    Half transparent pixels are told together: they come from smoothed edges.
    """
    unknown = colours_in(picture.colours) - {0, *known}
    if not unknown:
        return
    met = _counted(picture.colours, unknown)
    opaque = [each for each in met if each.colour & 255 == 255]
    if not picture.has_alpha and opaque and _is_background(opaque[0], picture):
        yield OpaqueBackground(span, picture.name, *_told(opaque.pop(0), known))
    for each in opaque[:_MOST]:
        yield UnknownColour(span, picture.name, *_told(each, known))
    if more := opaque[_MOST:]:
        count = sum(each.pixels for each in more)
        yield MoreColours(span, picture.name, len(more), count)
    if blurred := [each for each in met if each.colour & 255 < 255]:
        first = min(blurred, key=lambda each: each.pixel[::-1])
        whole = first._replace(pixels=sum(each.pixels for each in blurred))
        yield BlurredEdges(span, picture.name, *_told(whole, known))


def _counted(rows: Colours, wanted: set[int]) -> list[Met]:
    import numpy as np

    found, firsts, counts = np.unique(
        rows.reshape(-1), return_index=True, return_counts=True
    )
    width = rows.shape[1]
    columns = zip(found.tolist(), firsts.tolist(), counts.tolist())
    met = [
        Met(colour, count, (first % width, first // width))
        for colour, first, count in columns
        if colour in wanted
    ]
    return sorted(met, key=lambda each: (-each.pixels, each.pixel[::-1]))


def _is_background(met: Met, picture: Picture) -> bool:
    """Tell whether a colour is that of the corners' first, or of half of an image."""
    width, height = picture.size
    return met.pixel == (0, 0) or met.pixels * 2 > width * height


def _told(met: Met, known: Collection[int]) -> tuple[str, tuple[int, int], int, str]:
    return text_of(met.colour), met.pixel, met.pixels, nearest(met.colour, known)
