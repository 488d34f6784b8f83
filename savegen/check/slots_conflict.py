"""Python refuses two bases that both have slots: said here before the game is started."""

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
        return f"`{self.name}` cannot have two bases with slots, `{self.first}` and `{self.second}`"

    @property
    def help(self) -> str:
        return "leave `__slots__` empty in one of them"
