"""Report a field that holds a function or another callable: code cannot be saved."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "callable"):
        yield CallableField(found.span, found.path, found.text, found.is_inside)


class CallableField(Finding, frozen=True):
    code = "SG203"
    HELP = (
        "remove the mark, and set the attribute again in a method marked "
        "`@on_activate`"
    )

    field: str
    type: str
    is_inside: bool = False  # a container, for example

    @property
    def message(self) -> str:
        if self.is_inside:
            return f"`{self.field}` holds callables, which cannot be saved"
        return f"`{self.field}` is a callable, which cannot be saved"
