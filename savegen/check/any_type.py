"""A type that allows everything: no code can be written for everything."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "anything"):
        yield AnyType(found.span, found.path, found.text)


class AnyType(Finding, frozen=True):
    code = "SG204"

    field: str
    type: str

    @property
    def message(self) -> str:
        return f"`{self.field}` may be anything: `{self.type}` is no type to save"

    @property
    def help(self) -> str:
        return "name the types that it can have, such as `int | str`"
