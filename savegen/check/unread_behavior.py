"""Which behaviour a method saves is read, not run: a member of an enumeration, by its name."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for mark in cls.behavior_marks:
        if not mark.behavior:
            yield UnreadBehavior(mark.span, mark.method, mark.word)


class UnreadBehavior(Finding, frozen=True):
    code = "SG130"

    method: str
    word: str

    @property
    def message(self) -> str:
        return f"the `{self.word}` of `{self.method}` names no member of an enumeration"

    @property
    def help(self) -> str:
        example = f"`@{self.word}(Behaviors.GIVE_TOY)`"
        return f"write it out, as in {example}; the project must have the class"
