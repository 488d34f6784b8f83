"""What can be wrong with a level folder: each finding names the file and the place in it.

In `level.lvl` that place is the span. What is wrong with an image is in `image_findings.py`.
"""

from __future__ import annotations

from savegen.report import Finding, Severity

# -- files


class UnreadableFile(Finding, frozen=True):
    """A file that a level needs is not there, or is nothing that may be read."""

    code = "SG501"

    name: str
    reason: str

    @property
    def message(self) -> str:
        return f"`{self.name}` {self.reason}"


class AbsentImage(Finding, frozen=True):
    """A layer lacks an image that other layers have."""

    code = "SG502"
    severity = Severity.WARNING

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is missing, which other layers have"


class StrayFile(Finding, frozen=True):
    """Something in the folder is no part of a level."""

    code = "SG503"
    severity = Severity.WARNING

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is no part of a level"


class ClashingNames(Finding, frozen=True):
    """Two names differ in nothing that every system tells apart."""

    code = "SG504"

    name: str
    other: str

    @property
    def message(self) -> str:
        if self.name == self.other:
            return f"{self.name!r} is there twice"
        return f"{self.name!r} and {self.other!r} are one name on some systems"


# -- level.lvl


class NotJson(Finding, frozen=True):
    """The text of `level.lvl` is no JSON."""

    code = "SG505"

    reason: str

    @property
    def message(self) -> str:
        return f"this is no JSON: {self.reason}"


class KeyTwice(Finding, frozen=True):
    """An object in `level.lvl` has a key twice."""

    code = "SG506"

    key: str
    line: int  # of the first

    @property
    def message(self) -> str:
        return f"the key {self.key!r} is there twice, first in line {self.line}"


class WrongShape(Finding, frozen=True):
    """Something in `level.lvl` is not what it must be, whatever the game."""

    code = "SG507"

    what: str

    @property
    def message(self) -> str:
        return self.what


class NewerVersion(Finding, frozen=True):
    """The level was made for a later savegen."""

    code = "SG508"

    version: int
    known: int

    @property
    def message(self) -> str:
        known = f"this savegen reads up to {self.known}"
        return f"the level is of version {self.version}; {known}"

    @property
    def help(self) -> str:
        return "update savegen"


class UnequalLists(Finding, frozen=True):
    """Two lists that belong together, place by place, differ in length."""

    code = "SG509"

    names: tuple[str, str]
    lengths: tuple[int, int]

    @property
    def message(self) -> str:
        first, second = (
            f"{length} in `{name}`" for name, length in zip(self.names, self.lengths)
        )
        return f"there are {first}, but {second}"


class ColourTwice(Finding, frozen=True):
    """One colour stands for two things."""

    code = "SG510"

    colour: str
    line: int  # of the first

    @property
    def message(self) -> str:
        return f"the colour {self.colour} is there twice, first in line {self.line}"


class UnsafeLayer(Finding, frozen=True):
    """The name of a layer is none that a file can have everywhere, or leads elsewhere."""

    code = "SG511"

    name: str

    @property
    def message(self) -> str:
        return f"a layer cannot be called {self.name!r}: its images have that name"


class UnknownLayer(Finding, frozen=True):
    """An image belongs to no layer that `layer_names` has."""

    code = "SG512"

    name: str
    known: str

    @property
    def message(self) -> str:
        return f"`{self.name}` belongs to no layer: there is no {self.known}"


# -- entries


class UnknownPrefab(Finding, frozen=True):
    """An entry names a prefab that the game does not have."""

    code = "SG521"

    known: str

    @property
    def message(self) -> str:
        return f"there is no prefab {self.known}"


class WrongEntry(Finding, frozen=True):
    """A parameter that a prefab does not have, or a value that it does not take."""

    code = "SG522"

    what: str

    @property
    def message(self) -> str:
        return self.what


class IdTwice(Finding, frozen=True):
    """Two objects would have the same `$id`."""

    code = "SG523"

    id: str
    why: str

    @property
    def message(self) -> str:
        return f"only one object can be {self.id!r}: {self.why}"


class DanglingReference(Finding, frozen=True):
    """A parameter names an object that the level does not have, or one of another kind."""

    code = "SG524"

    what: str

    @property
    def message(self) -> str:
        return self.what


class TooMany(Finding, frozen=True):
    """More of a prefab are placed than a level may have."""

    code = "SG525"

    tag: str
    most: int
    count: int
    where: str  # the first that is too many

    @property
    def message(self) -> str:
        most = f"a level may have {self.most}"
        return f"{self.count} of `{self.tag}` are placed; {most}: {self.where}"
