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
    MESSAGE = (
        "`{field}` is marked `SaveOverride()`, but `{name}` is not marked "
        "`override=True`"
    )
    HELP = "mark the class `@saveable(override=True)`, or the field `Saved[…]`"

    field: str
    name: str
