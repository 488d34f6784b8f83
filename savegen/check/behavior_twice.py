"""Report two methods that save, or load, the same behaviour; only one would run."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import BehaviorMark, SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    first: dict[tuple[str, str], BehaviorMark] = {}
    for mark in cls.behavior_marks:
        other = first.setdefault((mark.behavior, mark.word), mark)
        if mark.behavior and mark.method != other.method:
            methods = (other.method, mark.method)
            yield BehaviorTwice(mark.span, mark.behavior, mark.word, methods)


class BehaviorTwice(Finding, frozen=True):
    code = "SG128"
    HELP = "merge the two methods, or give each its own behaviour"

    behavior: str
    word: str
    methods: tuple[str, str]

    @property
    def message(self) -> str:
        do = "save" if self.word == "serializer" else "load"
        first, second = self.methods
        return f"`{first}` and `{second}` both {do} `{self.behavior}`"
