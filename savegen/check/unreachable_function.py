"""A migration or converter must be importable by module and name."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedModule
from savegen.report import Finding


def in_module(module: SavedModule) -> Iterator[Finding]:
    for found in module.unreachable:
        yield UnreachableFunction(found.span, found.word, found.name, found.place)


class UnreachableFunction(Finding, frozen=True):
    code = "SG321"
    MESSAGE = "{word} `{name}` cannot be imported: it {place}"
    HELP = "define it at module level and give it a unique name"

    word: str
    name: str
    place: str  # "is inside a function"
