"""Findings about a level folder: each one names the file and the place in it.

For `level.lvl` the place is the span. Findings about images are in `image_findings.py`.
"""

from __future__ import annotations

from savegen.findings import Finding, Severity

# -- files


class UnreadableFile(Finding, frozen=True):
    code = "SG501"
    MESSAGE = "`{name}` {reason}"

    name: str
    reason: str


class AbsentImage(Finding, frozen=True):
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


class KeyTwice(Finding, frozen=True):
    code = "SG506"
    MESSAGE = "the key {key!r} appears twice, first in line {line}"
    HELP = "remove one of them"

    key: str
    line: int  # of the first


class WrongShape(Finding, frozen=True):
    """Something in `level.lvl` has a form that no game accepts."""

    code = "SG507"
    MESSAGE = "{what}"

    what: str


class NewerVersion(Finding, frozen=True):
    code = "SG508"
    MESSAGE = (
        "the level has version {version},"
        " but your savegen reads only versions up to {known}"
    )
    HELP = "update savegen"

    version: int
    known: int


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


class ColourTwice(Finding, frozen=True):
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
    MESSAGE = "`{name}` is ignored: there is no layer {known}"

    name: str
    known: str


# -- entries


class UnknownPrefab(Finding, frozen=True):
    code = "SG521"
    MESSAGE = "there is no prefab {known}"

    known: str


class WrongEntry(Finding, frozen=True):
    """An entry has an unknown parameter, or a value that is not allowed."""

    code = "SG522"
    MESSAGE = "{what}"

    what: str


class IdTwice(Finding, frozen=True):
    code = "SG523"
    MESSAGE = "only one object can have the id {id!r}: {why}"
    HELP = "give the other object its own colour and entry, with another `$id`"

    id: str
    why: str


class DanglingReference(Finding, frozen=True):
    """A parameter refers to an object that is missing or of the wrong kind."""

    code = "SG524"
    MESSAGE = "{what}"

    what: str


class TooMany(Finding, frozen=True):
    code = "SG525"
    MESSAGE = (
        "the level has {count} `{tag}`, but at most {most} may be placed:"
        " the first extra one is in {where}"
    )

    tag: str
    most: int
    count: int
    where: str  # the first that is too many


class RefusedValue(Finding, frozen=True):
    """The game's own code raised an error for a value of an entry."""

    code = "SG541"
    MESSAGE = "the game does not accept {owner}: {reason}"

    tag: str
    parameter: str  # "" if no single one is to blame
    reason: str

    @property
    def owner(self) -> str:
        return f"{self.parameter!r} of {self.tag}" if self.parameter else self.tag
