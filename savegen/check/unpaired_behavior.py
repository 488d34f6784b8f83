"""Report a behaviour that is saved but not loaded, loaded but not saved, or neither."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import BehaviorMark, SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    first: dict[tuple[str, str], BehaviorMark] = {}
    for mark in cls.behavior_marks:
        first.setdefault((mark.behavior, mark.word), mark)
    for (behavior, word), mark in first.items():
        other = "deserializer" if word == "serializer" else "serializer"
        if behavior and (behavior, other) not in first:
            yield UnpairedBehavior(mark.span, behavior, mark.method, word, other)
    known = {behavior for behavior, _ in first}
    for behavior, span in cls.named_behaviors:
        if behavior not in known:
            yield UnpairedBehavior(span, behavior)


class UnpairedBehavior(Finding, frozen=True):
    code = "SG127"

    behavior: str
    method: str = ""  # "": it has none at all
    word: str = ""
    other: str = ""

    @property
    def message(self) -> str:
        if not self.method:
            return f"no method saves or loads `{self.behavior}`"
        does, not_done = "saves", "loads"
        if self.word == "deserializer":
            does, not_done = not_done, does
        return f"`{self.method}` {does} `{self.behavior}`, but no method {not_done} it"

    @property
    def help(self) -> str:
        member = self.behavior.rpartition(".")[2]
        if not self.method:
            return "write a serializer and a deserializer for it, or remove the member"
        return f"write the method and mark it `@{self.other}(Behaviors.{member})`"
