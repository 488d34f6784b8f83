"""A class that is kept as such must have a number: only saveable ones do."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "unnumbered"):
        yield UnnumberedClass(found.span, found.path, found.text)


class UnnumberedClass(Finding, frozen=True):
    code = "SG210"

    field: str
    type: str

    @property
    def message(self) -> str:
        return f"`{self.field}` holds a class, and `{self.type}` is not a saveable one"

    @property
    def help(self) -> str:
        return (
            f"mark `{self.type}` with `@saveable`, or keep a member of an enumeration"
        )
