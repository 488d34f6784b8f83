"""A type whose name nothing defines: what it means cannot be known."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "unknown"):
        yield UnknownType(found.span, found.path, found.text)


class UnknownType(Finding, frozen=True):
    code = "SG201"

    field: str
    type: str

    @property
    def message(self) -> str:
        reason = self.type or "nothing is written"
        return f"the type of `{self.field}` cannot be read: {reason}"

    @property
    def help(self) -> str:
        if not self.type:
            return "write it in brackets, such as `Saved[int]`"
        return "import the name, or write the type out"
