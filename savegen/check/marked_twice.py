"""One field marked twice in a class: a merge leaves that behind, and only one can count."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Span


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for name, span in cls.marked_again:
        yield MarkedTwice(span, cls.qualname, name)


class MarkedTwice(Finding, frozen=True):
    code = "SG146"

    name: str
    field: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.field}` is marked twice"

    @property
    def help(self) -> str:
        return "keep one of them"
