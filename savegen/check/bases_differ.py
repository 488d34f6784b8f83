"""Report a class whose bases have different fields under one name.

An object has only one attribute of a name, and a save one number for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, describe
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field, first, second in cls.differing:
        pair = [
            (base.rpartition(":")[2], describe(kind)) for base, kind in (first, second)
        ]
        yield BasesDiffer(cls.span, field, cls.simple_name, *pair[0], *pair[1])


class BasesDiffer(Finding, frozen=True):
    """Two bases of a class have different fields under one name."""

    code = "SG311"

    name: str  # of the field
    cls: str
    first: str  # base, and what it declares
    first_kind: str
    second: str
    second_kind: str

    @property
    def message(self) -> str:
        return (
            f"`{self.cls}` inherits two fields named `{self.name}`: `{self.first}` declares"
            f" `{self.first_kind}`, and `{self.second}` declares `{self.second_kind}`"
        )

    @property
    def help(self) -> str:
        return (
            f"an object has only one attribute `{self.name}`: rename one of the two fields,"
            " or give both the same type"
        )
