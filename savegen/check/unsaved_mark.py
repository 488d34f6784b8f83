"""A mark in a class that nothing saves looks as if the field were safe."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_module(module: SavedModule) -> Iterator[Finding]:
    for mark in module.unsaved:
        yield UnsavedMark(mark.span, mark.qualname, mark.field)


class UnsavedMark(Finding, frozen=True):
    code = "SG120"
    severity = Severity.WARNING

    name: str
    field: str

    @property
    def message(self) -> str:
        return f"`{self.field}` is marked, but `{self.name}` and its subclasses are not"

    @property
    def help(self) -> str:
        return "mark the class `@saveable`"
