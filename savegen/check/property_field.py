"""Report marked properties that a load could not set, or not without calling their setter."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.override:
            continue
        span = field.span if field.own else cls.span
        if field.setter and field.attribute in cls.read_only:
            yield ReadOnlyProperty(span, cls.qualname, field.name)
        elif field.attribute in cls.properties and not field.setter:
            yield PropertyField(span, cls.qualname, field.name)


class PropertyField(Finding, frozen=True):
    code = "SG126"

    name: str
    field: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.field}` is a property, and a load does not call its setter"

    @property
    def help(self) -> str:
        return (
            "mark the attribute that the property reads, or let the load call the setter:"
            " `Annotated[…, Save(setter=True)]`"
        )


class ReadOnlyProperty(Finding, frozen=True):
    code = "SG144"

    name: str
    field: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.field}` is a property without a setter, so a load cannot set it"

    @property
    def help(self) -> str:
        return "mark the attribute that the property reads, or add a setter"
