"""Report an asset in a class with `override=True`, whose own data must be plain."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, reached
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields if cls.wraps else ():
        if not field.override and any(
            k.kind == "asset" for _, k in reached(field, module)
        ):
            span = field.span if field.own else cls.span
            yield AssetInOverride(span, cls.qualname, field.name)


class AssetInOverride(Finding, frozen=True):
    code = "SG211"
    MESSAGE = "`{name}` is marked `override=True`, so `{field}` cannot be an asset"
    HELP = (
        "mark `{field}` with `SaveOverride()`, and save the id of the asset in "
        "your `save_data`"
    )

    name: str
    field: str
