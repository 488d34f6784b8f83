"""Report `@saveable` on a NamedTuple, TypedDict, Protocol or enum.

Such classes are values by nature, and Python does not let them have a generated base.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding

_NATURES = {
    "typing.NamedTuple": "a NamedTuple",
    "typing.TypedDict": "a TypedDict",
    "typing.Protocol": "a Protocol",
    "enum.Enum": "an enum",
    "enum.IntEnum": "an enum",
    "enum.StrEnum": "an enum",
    "enum.Flag": "an enum",
    "enum.IntFlag": "an enum",
}


def nature(cls: SavedClass) -> str | None:
    """Return why a class cannot be saveable, such as "an enum"; `None` if it can."""
    return next((_NATURES[base] for base in cls.bases if base in _NATURES), None)


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if found := nature(cls):
        yield UnsuitableClass(cls.span, cls.qualname, found)


class UnsuitableClass(Finding, frozen=True):
    code = "SG125"
    MESSAGE = "`{name}` is {nature} and cannot be marked `@saveable`"
    HELP = "remove `@saveable`; a field of this type is saved without it"

    name: str
    nature: str
