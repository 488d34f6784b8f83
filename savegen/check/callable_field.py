"""Report a field that holds a function or another callable: code cannot be saved."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "callable"):
        yield CallableField(found.span, found.path, found.text)


class CallableField(Finding, frozen=True):
    code = "SG203"

    field: str
    type: str

    @property
    def message(self) -> str:
        return f"`{self.field}` is a callable, which cannot be saved"

    @property
    def help(self) -> str:
        return "make it transient and set it again in a method marked `@on_activate`"
