"""The findings about a level folder, SG501 to SG541: their texts and the data in them.

The span of a finding about `level.lvl` is its line and column; messages about images name a pixel.
"""

from __future__ import annotations

from savegen.findings import Finding, Severity

Pixel = tuple[int, int]  # x and y, from 0 at the top left

# -- files


class UnreadableLevelFile(Finding, frozen=True):
    code = "SG501"
    MESSAGE = "`{name}` {reason}"

    name: str
    reason: str


class MissingImage(Finding, frozen=True):
    code = "SG502"
    severity = Severity.WARNING
    MESSAGE = "`{name}` is missing, but other layers have such an image"
    HELP = "if the layer should be empty here, save a fully transparent image"

    name: str


class StrayFile(Finding, frozen=True):
    code = "SG503"
    severity = Severity.WARNING
    MESSAGE = "`{name}` is not part of a level and is ignored"
    HELP = "move it out of the level folder, or correct its name"

    name: str


class ClashingNames(Finding, frozen=True):
    code = "SG504"
    HELP = "rename or remove one of them"

    name: str
    other: str

    @property
    def message(self) -> str:
        if self.name == self.other:
            return f"{self.name!r} appears twice"
        return f"{self.name!r} and {self.other!r} are the same file name on Windows or macOS"


# -- level.lvl


class NotJson(Finding, frozen=True):
    code = "SG505"
    MESSAGE = "this is not valid JSON: {reason}"

    reason: str


class DuplicateKey(Finding, frozen=True):
    code = "SG506"
    MESSAGE = "the key {key!r} appears twice, first in line {line}"
    HELP = "remove one of them"

    key: str
    line: int  # of the first


class WrongShape(Finding, frozen=True):
    """A value in `level.lvl` has a form that no game accepts."""

    code = "SG507"
    MESSAGE = "{reason}"

    reason: str


class NewerVersion(Finding, frozen=True):
    code = "SG508"
    MESSAGE = (
        "the level has version {version},"
        " but your savegen reads only versions up to {newest}"
    )
    HELP = "update savegen"

    version: int
    newest: int  # version that this savegen reads


class UnequalLists(Finding, frozen=True):
    """Two lists that belong together have different lengths."""

    code = "SG509"
    HELP = "add the missing items, or remove the extra ones"

    names: tuple[str, str]
    lengths: tuple[int, int]

    @property
    def message(self) -> str:
        names = "`{}` and `{}`".format(*self.names)
        if len({*self.lengths}) == 1:
            return f"{names} belong together, but one of them is missing"
        lengths = "{} and {}".format(*self.lengths)
        return f"{names} must have the same length, but have {lengths} items"


class DuplicateColour(Finding, frozen=True):
    code = "SG510"
    MESSAGE = "the colour {colour} appears twice, first in line {line}"
    HELP = "choose another colour for one of them, here and in the image"

    colour: str
    line: int  # of the first


class UnsafeLayer(Finding, frozen=True):
    code = "SG511"
    MESSAGE = "{name!r} cannot be the name of a layer: it is not a safe file name"
    HELP = "rename the layer and its images, with letters, digits, `-` and `_`"

    name: str


class UnknownLayer(Finding, frozen=True):
    code = "SG512"
    MESSAGE = "`{name}` is ignored: there is no layer {suggestion}"

    name: str
    suggestion: str  # the layer, quoted, and a similar one


# -- entries


class UnknownPrefab(Finding, frozen=True):
    code = "SG521"
    MESSAGE = "there is no prefab {suggestion}"

    suggestion: str  # the prefab, quoted, and a similar one


class WrongEntry(Finding, frozen=True):
    """An entry has an unknown parameter, or a value that is not allowed."""

    code = "SG522"
    MESSAGE = "{reason}"

    reason: str


class DuplicateId(Finding, frozen=True):
    code = "SG523"
    MESSAGE = "only one object can have the id {id!r}: {why}"
    HELP = "give the other object its own colour and entry, with another `$id`"

    id: str
    why: str


class DanglingReference(Finding, frozen=True):
    """A parameter refers to an object that is missing or of the wrong kind."""

    code = "SG524"
    MESSAGE = "{reason}"

    reason: str


class TooManyOfPrefab(Finding, frozen=True):
    code = "SG525"
    MESSAGE = (
        "the level has {count} `{type_name}`, but at most {limit} may be placed:"
        " the first extra one is in {where}"
    )

    type_name: str
    limit: int
    count: int
    where: str  # the image and pixel of the first extra one


class RefusedValue(Finding, frozen=True):
    """The game's own code raised an error for a value of an entry."""

    code = "SG541"
    MESSAGE = "the game does not accept {subject}: {reason}"

    type_name: str
    parameter: str  # "" if the cause is not a single parameter
    reason: str

    @property
    def subject(self) -> str:
        return (
            f"{self.parameter!r} of {self.type_name}"
            if self.parameter
            else self.type_name
        )


# -- images


class BrokenImage(Finding, frozen=True):
    code = "SG531"
    MESSAGE = "image `{name}` cannot be read: {reason}"
    HELP = "export it again as PNG from your image editor"

    name: str
    reason: str


class LargeImage(Finding, frozen=True):
    code = "SG532"
    MESSAGE = (
        "`{name}` has {size[0]} × {size[1]} pixels; the limit is {limit:,} in total"
    )
    HELP = "split the level, or draw it with fewer pixels per unit"

    name: str
    size: tuple[int, int]
    limit: int


class SizeNotMultiple(Finding, frozen=True):
    """The size of an image is not a multiple of the geometry's size."""

    code = "SG533"
    MESSAGE = (
        "`{name}` has {size[0]} × {size[1]} pixels, but its layer needs"
        " {units[0]} × {units[1]} or a multiple, such as {twice[0]} × {twice[1]}"
    )
    HELP = "change the canvas of the image to such a size"

    name: str
    size: tuple[int, int]
    units: tuple[int, int]  # the width and height of the geometry

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
    pixel: Pixel  # the first one of this colour
    count: int
    nearest: str = ""  # the most similar known colour; "" if there is none

    @property
    def where(self) -> str:
        """The number of pixels, and the position of the first."""
        position = "{},{}".format(*self.pixel)
        if self.count == 1:
            return f"1 pixel, at {position}"
        return f"{self.count:,} pixels, the first at {position}"

    @property
    def advice(self) -> str:
        if not self.nearest:
            return "add an entry for this colour to `level.lvl`"
        return f"draw with {self.nearest}, the nearest known colour, or add an entry for {self.colour}"


class ManyUnknownColours(Finding, frozen=True):
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


class TooManyObjects(Finding, frozen=True):
    code = "SG538"
    MESSAGE = (
        "`{name}` contains {count:,} objects;"
        " all images of a level together may contain {limit:,}"
    )
    HELP = (
        "every pixel that is not transparent can place an object: make the background"
        " transparent"
    )

    name: str
    count: int
    limit: int  # in the whole level
