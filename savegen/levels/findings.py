"""Findings about a level folder: each one names the file and the place in it.

For `level.lvl` the place is the span. Findings about images are in `image_findings.py`.
"""

from __future__ import annotations

from savegen.findings import Finding, Severity

# -- files


class UnreadableFile(Finding, frozen=True):
    """A file of the level is missing or cannot be read."""

    code = "SG501"

    name: str
    reason: str

    @property
    def message(self) -> str:
        return f"`{self.name}` {self.reason}"


class AbsentImage(Finding, frozen=True):
    """A layer has no image in a folder in which other layers have one."""

    code = "SG502"
    severity = Severity.WARNING

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is missing, but other layers have such an image"

    @property
    def help(self) -> str:
        return "if the layer should be empty here, save a fully transparent image"


class StrayFile(Finding, frozen=True):
    """A file in the folder is not used."""

    code = "SG503"
    severity = Severity.WARNING

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is not part of a level and is ignored"

    @property
    def help(self) -> str:
        return "move it out of the level folder, or correct its name"


class ClashingNames(Finding, frozen=True):
    """Two names are the same on Windows or macOS."""

    code = "SG504"

    name: str
    other: str

    @property
    def message(self) -> str:
        if self.name == self.other:
            return f"{self.name!r} appears twice"
        return f"{self.name!r} and {self.other!r} are the same file name on Windows or macOS"

    @property
    def help(self) -> str:
        return "rename or remove one of them"


# -- level.lvl


class NotJson(Finding, frozen=True):
    """`level.lvl` is not valid JSON."""

    code = "SG505"

    reason: str

    @property
    def message(self) -> str:
        return f"this is not valid JSON: {self.reason}"


class KeyTwice(Finding, frozen=True):
    """A key in `level.lvl` appears twice in one object."""

    code = "SG506"

    key: str
    line: int  # of the first

    @property
    def message(self) -> str:
        return f"the key {self.key!r} appears twice, first in line {self.line}"

    @property
    def help(self) -> str:
        return "remove one of them"


class WrongShape(Finding, frozen=True):
    """Something in `level.lvl` has a form that no game accepts."""

    code = "SG507"

    what: str

    @property
    def message(self) -> str:
        return self.what


class NewerVersion(Finding, frozen=True):
    """The level needs a newer savegen."""

    code = "SG508"

    version: int
    known: int

    @property
    def message(self) -> str:
        known = f"your savegen reads only versions up to {self.known}"
        return f"the level has version {self.version}, but {known}"

    @property
    def help(self) -> str:
        return "update savegen"


class UnequalLists(Finding, frozen=True):
    """Two lists that belong together have different lengths."""

    code = "SG509"

    names: tuple[str, str]
    lengths: tuple[int, int]

    @property
    def message(self) -> str:
        names = "`{}` and `{}`".format(*self.names)
        if len({*self.lengths}) == 1:
            return f"{names} belong together, but one of them is missing"
        lengths = "{} and {}".format(*self.lengths)
        return f"{names} must have the same length, but have {lengths} items"

    @property
    def help(self) -> str:
        return "add the missing items, or remove the extra ones"


class ColourTwice(Finding, frozen=True):
    """A colour has two entries."""

    code = "SG510"

    colour: str
    line: int  # of the first

    @property
    def message(self) -> str:
        return f"the colour {self.colour} appears twice, first in line {self.line}"

    @property
    def help(self) -> str:
        return "choose another colour for one of them, here and in the image"


class UnsafeLayer(Finding, frozen=True):
    """The name of a layer is not a safe file name."""

    code = "SG511"

    name: str

    @property
    def message(self) -> str:
        return (
            f"{self.name!r} cannot be the name of a layer: it is not a safe file name"
        )

    @property
    def help(self) -> str:
        return "rename the layer and its images, with letters, digits, `-` and `_`"


class UnknownLayer(Finding, frozen=True):
    """An image belongs to no layer."""

    code = "SG512"

    name: str
    known: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is ignored: there is no layer {self.known}"


# -- entries


class UnknownPrefab(Finding, frozen=True):
    """An entry names a prefab that the game does not have."""

    code = "SG521"

    known: str

    @property
    def message(self) -> str:
        return f"there is no prefab {self.known}"


class WrongEntry(Finding, frozen=True):
    """An entry has an unknown parameter, or a value that is not allowed."""

    code = "SG522"

    what: str

    @property
    def message(self) -> str:
        return self.what


class IdTwice(Finding, frozen=True):
    """Two objects would have the same id."""

    code = "SG523"

    id: str
    why: str

    @property
    def message(self) -> str:
        return f"only one object can have the id {self.id!r}: {self.why}"

    @property
    def help(self) -> str:
        return "give the other object its own colour and entry, with another `$id`"


class DanglingReference(Finding, frozen=True):
    """A parameter refers to an object that is missing or of the wrong kind."""

    code = "SG524"

    what: str

    @property
    def message(self) -> str:
        return self.what


class TooMany(Finding, frozen=True):
    """The level has more objects of a prefab than it may have."""

    code = "SG525"

    tag: str
    most: int
    count: int
    where: str  # the first that is too many

    @property
    def message(self) -> str:
        most = f"at most {self.most} may be placed"
        extra = f"the first extra one is in {self.where}"
        return f"the level has {self.count} `{self.tag}`, but {most}: {extra}"
