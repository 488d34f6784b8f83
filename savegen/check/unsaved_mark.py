"""Report a marked field in a class that nothing saves.

The mark looks as if the field were safe, but it has no effect there.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedModule
from savegen.report import Finding, Severity


def in_module(module: SavedModule) -> Iterator[Finding]:
    for mark in module.unsaved:
        yield UnsavedMark(mark.span, mark.qualname, mark.field)


class UnsavedMark(Finding, frozen=True):
    code = "SG120"
    severity = Severity.WARNING
    MESSAGE = (
        "`{field}` is marked, but neither `{name}` nor a subclass of it is "
        "`@saveable`"
    )
    HELP = "mark the class with `@saveable`, or remove the mark from the field"

    name: str
    field: str
