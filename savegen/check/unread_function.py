"""The arguments of `@migration` and `@converter` must be literals."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedModule
from savegen.report import Finding


def in_module(module: SavedModule) -> Iterator[Finding]:
    for fault in module.unread:
        yield UnreadFunction(fault.span, fault.reason)


class UnreadFunction(Finding, frozen=True):
    code = "SG320"

    reason: str

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str | None:
        if self.reason.startswith("`@migration`"):
            return "write for example `@migration(to=3)`"
        if self.reason.startswith("`@converter`"):
            return 'write for example `@converter(Goblin, "hp")`'
        return None
