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

    @property
    def help(self) -> str | None:
        if self.reason.endswith("takes only keyword arguments"):
            return "write `@prefab(name=value)`, for example `@prefab(max_count=1)`"
        if self.reason.startswith("the first argument of `part`"):
            return "write `part(Class, …)`, and `.set(field=…)` for its values"
        return None
