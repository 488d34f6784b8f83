"""Findings about the images of a level: the message names the pixel."""

from __future__ import annotations

from savegen.findings import Finding

Pixel = tuple[int, int]  # x and y, from 0 at the top left


class BrokenImage(Finding, frozen=True):
    code = "SG531"
    MESSAGE = "image `{name}` cannot be read: {reason}"
    HELP = "export it again as PNG from your image editor"

    name: str
    reason: str


class LargeImage(Finding, frozen=True):
    code = "SG532"
    MESSAGE = (
        "`{name}` has {size[0]} × {size[1]} pixels; the limit is {most:,} in total"
    )
    HELP = "split the level, or draw it with fewer pixels per unit"

    name: str
    size: tuple[int, int]
    most: int


class UnevenSize(Finding, frozen=True):
    """The size of an image is not a multiple of the geometry's size."""

    code = "SG533"
    MESSAGE = (
        "`{name}` has {size[0]} × {size[1]} pixels, but its layer needs"
        " {units[0]} × {units[1]} or a multiple, such as {twice[0]} × {twice[1]}"
    )
    HELP = "change the canvas of the image to such a size"

    name: str
    size: tuple[int, int]
    units: tuple[int, int]  # the geometry's

    @property
    def twice(self) -> tuple[int, int]:
        return 2 * self.units[0], 2 * self.units[1]


class UnknownColour(Finding, frozen=True):
    """Pixels have a colour without an entry."""

    code = "SG534"
    MESSAGE = "`{name}` contains the unknown colour {colour}: {where}"
    HELP = "{advice}"

    name: str
    colour: str
    pixel: Pixel  # the first
    count: int
    nearest: str = ""  # a known colour, or none

    @property
    def where(self) -> str:
        """The number of the pixels, and the place of the first.

        >>> from savegen.findings import Span
        >>> UnknownColour(Span("a.png"), "a.png", "#000000", (3, 4), 2000).where
        '2,000 pixels, the first at 3,4'
        """
        place = "{},{}".format(*self.pixel)
        if self.count == 1:
            return f"1 pixel, at {place}"
        return f"{self.count:,} pixels, the first at {place}"

    @property
    def advice(self) -> str:
        if not self.nearest:
            return "add an entry for this colour to `level.lvl`"
        return f"draw with {self.nearest}, the nearest known colour, or add an entry for {self.colour}"


class MoreColours(Finding, frozen=True):
    """An image contains too many unknown colours to list each of them."""

    code = "SG535"
    MESSAGE = "`{name}` contains {colours:,} more unknown colours, in {count:,} pixels"
    HELP = "draw with a hard pencil (no anti-aliasing), and save only as PNG"

    name: str
    colours: int
    count: int


class OpaqueBackground(UnknownColour, frozen=True):
    """An image has no transparency, and its background colour has no entry."""

    code = "SG536"
    MESSAGE = (
        "`{name}` has no transparency,"
        " and its background {colour} is an unknown colour: {where}"
    )

    @property
    def advice(self) -> str:
        known = f" (the nearest known colour is {self.nearest})" if self.nearest else ""
        return f"make the background transparent, or draw it in a known colour{known}"


class BlurredEdges(UnknownColour, frozen=True):
    """Pixels are semi-transparent, in colours without an entry."""

    code = "SG537"
    MESSAGE = (
        "`{name}` contains semi-transparent pixels in unknown colours,"
        " such as {colour}: {where}"
    )
    HELP = "draw and erase with hard edges (no anti-aliasing)"


class CrowdedImage(Finding, frozen=True):
    code = "SG538"
    MESSAGE = (
        "`{name}` contains {count:,} objects;"
        " all images of a level together may contain {most:,}"
    )
    HELP = "make the background transparent"

    name: str
    count: int
    most: int  # of the whole level
