"""Report a serializer or deserializer whose mark does not name an enum member."""

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
    MESSAGE = "the `{word}` mark of `{method}` does not name a member of an enum"

    method: str
    word: str

    @property
    def help(self) -> str:
        example = f"`@{self.word}(Behaviors.GIVE_TOY)`"
        return f"name a member of an enum of your project, for example {example}"
