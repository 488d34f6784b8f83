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

    name: str
    first: str
    second: str

    @property
    def message(self) -> str:
        return (
            f"Python cannot create `{self.name}`: its bases `{self.first}` and"
            f" `{self.second}` both have non-empty `__slots__`"
        )

    @property
    def help(self) -> str:
        return (
            "write `__slots__ = ()` in one of the two bases, and declare its slots in"
            f" `{self.name}`"
        )
