"""Some classes are values by nature, and Python lets nothing be added to their bases."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding

_NATURES = {
    "typing.NamedTuple": "a NamedTuple",
    "typing.TypedDict": "a TypedDict",
    "typing.Protocol": "a Protocol",
    "enum.Enum": "an enumeration",
    "enum.IntEnum": "an enumeration",
    "enum.StrEnum": "an enumeration",
    "enum.Flag": "an enumeration",
    "enum.IntFlag": "an enumeration",
}


def nature(cls: SavedClass) -> str | None:
    """Return what a class is that cannot be saveable; `None` for any other."""
    return next((_NATURES[base] for base in cls.bases if base in _NATURES), None)


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if found := nature(cls):
        yield UnsuitableClass(cls.span, cls.qualname, found)


class UnsuitableClass(Finding, frozen=True):
    code = "SG125"

    name: str
    nature: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is {self.nature}, which cannot be saveable"

    @property
    def help(self) -> str:
        return "unmark it: a field may hold such a value as it is"
