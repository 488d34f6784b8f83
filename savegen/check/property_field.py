"""A field under the name of a property is set through it, or cannot be set at all."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.attribute in cls.properties and not field.override:
            span = field.span if field.own else cls.span
            yield PropertyField(span, cls.qualname, field.name)


class PropertyField(Finding, frozen=True):
    code = "SG126"

    name: str
    field: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.field}` is a property, which loading cannot set"

    @property
    def help(self) -> str:
        return "mark the attribute that the property reads instead"
