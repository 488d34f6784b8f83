"""Report a class with two bases that both have slots, which Python refuses to create."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if len(cls.slotted_bases) > 1:
        first, second = (b.rpartition(":")[2] for b in cls.slotted_bases[:2])
        yield SlotsConflict(cls.span, cls.qualname, first, second)


class SlotsConflict(Finding, frozen=True):
    code = "SG117"
    MESSAGE = (
        "Python cannot create `{name}`: its bases `{first}` and `{second}` both "
        "have non-empty `__slots__`"
    )
    HELP = (
        "write `__slots__ = ()` in one of the two bases, and declare its slots in "
        "`{name}`"
    )

    name: str
    first: str
    second: str
