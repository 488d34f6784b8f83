"""A default in `Save` must be a literal or a name, since it is copied, not evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.own and field.unread_default:
            yield UnreadDefault(field.span, field.unread_default)


class UnreadDefault(Finding, frozen=True):
    code = "SG327"

    reason: str

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str:
        if self.reason.endswith("not both"):
            return "remove one of the two"
        return "write a function that returns the default: `Save(default_factory=that_function)`"
