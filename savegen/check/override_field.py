"""A field that the class saves itself needs a class that does so."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.own and field.override and not cls.wraps:
            yield OverrideField(field.span, field.name, cls.qualname)


class OverrideField(Finding, frozen=True):
    code = "SG122"

    field: str
    name: str

    @property
    def message(self) -> str:
        return f"`{self.field}` is marked `SaveOverride`, but `{self.name}` saves nothing itself"

    @property
    def help(self) -> str:
        return "mark the class `@saveable(override=True)`"
