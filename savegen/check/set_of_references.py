"""A set keeps no order of its own: after a load it may be walked in another one."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, reached
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in (field for field in cls.fields if field.own):
        for path, kind in reached(field, module) if field.kind.references else ():
            if kind.name in ("set", "frozenset") and kind.references:
                yield SetOfReferences(field.span, path)


class SetOfReferences(Finding, frozen=True):
    code = "SG209"
    severity = Severity.WARNING

    field: str

    @property
    def message(self) -> str:
        return f"the order of the objects in `{self.field}` is not kept by a load"

    @property
    def help(self) -> str:
        return "if the order matters, use `dict[…, None]` or a list"
