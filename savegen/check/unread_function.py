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
