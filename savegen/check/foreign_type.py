"""Report a type from outside the project that savegen does not know."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "foreign"):
        yield ForeignType(found.span, found.path, found.text)


class ForeignType(Finding, frozen=True):
    code = "SG202"

    field: str
    type: str

    @property
    def message(self) -> str:
        return f"`{self.field}` holds `{self.type}`, which savegen does not know how to save"

    @property
    def help(self) -> str:
        return (
            "make it transient and create it again in a method marked `@on_activate`, mark a\n"
            "shared object `Annotated[…, Asset()]`, or name a codec under"
            " `[tool.savegen.codecs]`"
        )
