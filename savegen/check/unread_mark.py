"""Report marks that savegen cannot read.

Their arguments are not literals, or the mark is inside a type, where it marks no field.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for fault in cls.faults:
        yield UnreadMark(fault.span, fault.reason)


class UnreadMark(Finding, frozen=True):
    code = "SG119"
    severity = Severity.ERROR

    reason: str

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str | None:
        if self.reason.endswith("takes only keyword arguments"):
            return (
                'write `@saveable(name=value)`, for example `@saveable(was="OldName")`'
            )
        if self.reason.endswith("tuple of string literals"):
            name = self.reason.split("`")[1]
            value = "path_cache" if name == "transient" else "old_name"
            return f'write for example `{name}=("{value}",)`'
        if self.reason.endswith("takes only one positional argument"):
            return (
                'write the others with their names, for example `Save("health", ge=0)`'
            )
        return None
