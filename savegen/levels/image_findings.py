"""Findings about the images of a level: the message names the pixel."""

from __future__ import annotations

from savegen.findings import Finding

Pixel = tuple[int, int]  # x and y, from 0 at the top left


class BrokenImage(Finding, frozen=True):
    """An image cannot be decoded."""

    code = "SG531"

    name: str
    reason: str

    @property
    def message(self) -> str:
        return f"image `{self.name}` cannot be read: {self.reason}"

    @property
    def help(self) -> str:
        return "export it again as PNG from your image editor"


class LargeImage(Finding, frozen=True):
    """An image is larger than the limit."""

    code = "SG532"

    name: str
    size: tuple[int, int]
    most: int

    @property
    def message(self) -> str:
        size = "{} × {}".format(*self.size)
        return f"`{self.name}` has {size} pixels; the limit is {self.most:,} in total"

    @property
    def help(self) -> str:
        return "split the level, or draw it with fewer pixels per unit"


class UnevenSize(Finding, frozen=True):
    """The size of an image is not a multiple of the geometry's size."""

    code = "SG533"

    name: str
    size: tuple[int, int]
    units: tuple[int, int]  # the geometry's

    @property
    def message(self) -> str:
        size, units = ("{} × {}".format(*each) for each in (self.size, self.units))
        twice = "{} × {}".format(*(2 * each for each in self.units))
        return (
            f"`{self.name}` has {size} pixels, but its layer needs {units}"
            f" or a multiple, such as {twice}"
        )

    @property
    def help(self) -> str:
        return "change the canvas of the image to such a size"


class UnknownColour(Finding, frozen=True):
    """Pixels have a colour without an entry."""

    code = "SG534"

    name: str
    colour: str
    pixel: Pixel  # the first
    count: int
    nearest: str = ""  # a known colour, or none

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return f"`{self.name}` contains the unknown colour {self.colour}: {where}"

    @property
    def help(self) -> str:
        if not self.nearest:
            return "add an entry for this colour to `level.lvl`"
        return f"draw with {self.nearest}, the nearest known colour, or add an entry for {self.colour}"


class MoreColours(Finding, frozen=True):
    """An image contains too many unknown colours to list each of them."""

    code = "SG535"

    name: str
    colours: int
    count: int

    @property
    def message(self) -> str:
        more = f"{self.colours:,} more unknown colours"
        return f"`{self.name}` contains {more}, in {self.count:,} pixels"

    @property
    def help(self) -> str:
        return "draw with a hard pencil (no anti-aliasing), and save only as PNG"


class OpaqueBackground(Finding, frozen=True):
    """An image has no transparency, and its background colour has no entry."""

    code = "SG536"

    name: str
    colour: str
    pixel: Pixel
    count: int
    nearest: str = ""

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return (
            f"`{self.name}` has no transparency,"
            f" and its background {self.colour} is an unknown colour: {where}"
        )

    @property
    def help(self) -> str:
        known = f" (the nearest known colour is {self.nearest})" if self.nearest else ""
        return f"make the background transparent, or draw it in a known colour{known}"


class BlurredEdges(Finding, frozen=True):
    """Pixels are semi-transparent, in colours without an entry."""

    code = "SG537"

    name: str
    colour: str  # of the first
    pixel: Pixel
    count: int
    nearest: str = ""

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return (
            f"`{self.name}` contains semi-transparent pixels in unknown colours,"
            f" such as {self.colour}: {where}"
        )

    @property
    def help(self) -> str:
        return "draw and erase with hard edges (no anti-aliasing)"


class CrowdedImage(Finding, frozen=True):
    """An image contains more objects than a level can have."""

    code = "SG538"

    name: str
    count: int
    most: int  # of the whole level

    @property
    def message(self) -> str:
        many = f"`{self.name}` contains {self.count:,} objects"
        return f"{many}; all images of a level together may contain {self.most:,}"

    @property
    def help(self) -> str:
        return "make the background transparent"


def _where(count: int, pixel: Pixel) -> str:
    """Return the number of pixels and the place of the first.

    >>> _where(1, (3, 4)), _where(2000, (3, 4))
    ('1 pixel, at 3,4', '2,000 pixels, the first at 3,4')
    """
    place = "{},{}".format(*pixel)
    return (
        f"{count:,} pixels, the first at {place}"
        if count > 1
        else f"1 pixel, at {place}"
    )
