"""The declaration of a prefab must be readable without running it."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab
from savegen.report import Finding


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    for fault in prefab.faults:
        yield UnreadPrefab(fault.span, fault.reason)


class UnreadPrefab(Finding, frozen=True):
    code = "SG401"

    reason: str

    @property
    def message(self) -> str:
        return self.reason
