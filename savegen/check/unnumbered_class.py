"""Report a field that holds classes that are not saveable, which have no number in a save."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "unnumbered"):
        yield UnnumberedClass(found.span, found.path, found.text)


class UnnumberedClass(Finding, frozen=True):
    code = "SG210"
    MESSAGE = "`{field}` holds a class, but `{type}` is not saveable"

    field: str
    type: str

    @property
    def help(self) -> str:
        other = "save an enum member instead of the class"
        if hasattr(builtins, self.type):
            return other
        return f"mark `{self.type}` with `@saveable`, or {other}"
