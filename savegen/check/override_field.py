"""Report a field marked `SaveOverride()` in a class without `override=True`."""

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
        return f"`{self.field}` is marked `SaveOverride()`, but `{self.name}` is not marked `override=True`"

    @property
    def help(self) -> str:
        return "mark the class `@saveable(override=True)`, or the field `Saved[…]`"
