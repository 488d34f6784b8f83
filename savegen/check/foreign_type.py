"""A type from outside the project, whose insides nobody has described."""

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
        return f"`{self.field}` holds `{self.type}`, which savegen does not know"

    @property
    def help(self) -> str:
        return (
            "make it transient and make it again in a method marked `@on_activate`; or mark\n"
            "what is shared `Annotated[…, Asset()]`, or name a codec under"
            " `[tool.savegen.codecs]`"
        )
