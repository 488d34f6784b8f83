"""What can be wrong with an image of a level: it has no lines, so the words tell the pixel."""

from __future__ import annotations

from savegen.report import Finding

Pixel = tuple[int, int]  # x and y, from 0 at the top left


class BrokenImage(Finding, frozen=True):
    """An image cannot be decoded."""

    code = "SG531"

    name: str
    reason: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is no whole PNG image: {self.reason}"


class LargeImage(Finding, frozen=True):
    """An image says that it is larger than any that is decoded."""

    code = "SG532"

    name: str
    size: tuple[int, int]
    most: int

    @property
    def message(self) -> str:
        size = "{} × {}".format(*self.size)
        return f"`{self.name}` has {size} pixels; at most {self.most:,} are read"


class UnevenSize(Finding, frozen=True):
    """An image is not a whole number of times as large as the geometry of its layer."""

    code = "SG533"

    name: str
    size: tuple[int, int]
    units: tuple[int, int]  # the geometry's

    @property
    def message(self) -> str:
        size, units = ("{} × {}".format(*each) for each in (self.size, self.units))
        return (
            f"`{self.name}` has {size} pixels: that is no whole multiple, the same on"
            f" both axes, of the geometry's {units}"
        )


class UnknownColour(Finding, frozen=True):
    """Pixels have a colour that stands for nothing."""

    code = "SG534"

    name: str
    colour: str
    pixel: Pixel  # the first
    count: int
    nearest: str = ""  # a known colour, or none

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return f"`{self.name}`: nothing is {self.colour}, the colour of {where}"

    @property
    def help(self) -> str | None:
        return _nearest(self.nearest)


class MoreColours(Finding, frozen=True):
    """There are too many unknown colours in an image to name each."""

    code = "SG535"

    name: str
    colours: int
    count: int

    @property
    def message(self) -> str:
        more = f"{self.colours} more colours that stand for nothing"
        return f"`{self.name}`: there are {more}, in {self.count} pixels"


class OpaqueBackground(Finding, frozen=True):
    """An image has no transparency, and what it is painted on stands for nothing."""

    code = "SG536"

    name: str
    colour: str
    pixel: Pixel
    count: int
    nearest: str = ""

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return f"`{self.name}` has no transparency, and nothing is {self.colour}, its background: {where}"

    @property
    def help(self) -> str:
        return _nearest(self.nearest) or "make the background transparent"


class BlurredEdges(Finding, frozen=True):
    """Pixels are half transparent, in colours that stand for nothing."""

    code = "SG537"

    name: str
    colour: str  # of the first
    pixel: Pixel
    count: int
    nearest: str = ""

    @property
    def message(self) -> str:
        where = _where(self.count, self.pixel)
        return f"`{self.name}` is half transparent, and that in colours that stand for nothing, in {where}, {self.colour}"

    @property
    def help(self) -> str:
        return "draw with a tool that does not smooth edges (no anti-aliasing)"


class CrowdedImage(Finding, frozen=True):
    """An image draws so many objects that no game could have them."""

    code = "SG538"

    name: str
    count: int
    most: int  # of the whole level

    @property
    def message(self) -> str:
        many = f"`{self.name}` draws {self.count:,} objects"
        return f"{many}; all images of a level may draw {self.most:,}"

    @property
    def help(self) -> str:
        return "make the background transparent"


def _where(count: int, pixel: Pixel) -> str:
    """Return how many pixels, and which.

    >>> _where(1, (3, 4)), _where(2000, (3, 4))
    ('the pixel 3,4', '2,000 pixels, first 3,4')
    """
    place = "{},{}".format(*pixel)
    return f"the pixel {place}" if count == 1 else f"{count:,} pixels, first {place}"


def _nearest(colour: str) -> str | None:
    return f"the nearest colour that is known is {colour}" if colour else None
