"""A load finds migrations and converters by module and name: they must be where that leads."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedModule
from savegen.report import Finding


def in_module(module: SavedModule) -> Iterator[Finding]:
    for found in module.unreachable:
        yield UnreachableFunction(found.span, found.word, found.name, found.place)


class UnreachableFunction(Finding, frozen=True):
    code = "SG321"

    word: str
    name: str
    place: str  # "is inside a function"

    @property
    def message(self) -> str:
        return f"{self.word} `{self.name}` {self.place}: no load can find it"

    @property
    def help(self) -> str:
        return "make it a function of the module, with a name of its own"
