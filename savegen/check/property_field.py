"""Report marked properties that a load could not set, or not without calling their setter."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Span


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.override:
            continue
        span = field.span if field.own else cls.span
        if field.setter and field.attribute in cls.read_only:
            yield ReadOnlyProperty(span, cls.qualname, field.name)
        elif field.attribute in cls.properties and not field.setter:
            yield from _of_property(span, cls, field.name)


def _of_property(span: Span, cls: SavedClass, name: str) -> Iterator[Finding]:
    for origin in cls.property_fields:
        if origin.field == name:
            owner = "" if origin.owner == cls.name else origin.owner
            yield PropertyField(span, cls.qualname, name, owner, origin.annotation)


class PropertyField(Finding, frozen=True):
    code = "SG126"

    name: str
    field: str
    owner: str  # full name of the base that has the property; "" if the class has it
    annotation: str

    @property
    def message(self) -> str:
        what = f"`{self.name}.{self.field}` is a property"
        if self.owner:
            base = self.owner.rpartition(":")[2]
            what = f"`{self.field}` is a property of `{base}`"
        return f"{what}, and a load does not call its setter"

    @property
    def help(self) -> str:
        setter = f"`{self.field}: {self.annotation}`"
        if self.owner and ":" not in self.owner:  # a class of a library
            return f"let the load call the setter: {setter}"
        return (
            "mark the attribute that the property reads, or let the load call the setter:"
            f" {setter}"
        )


class ReadOnlyProperty(Finding, frozen=True):
    code = "SG144"
    MESSAGE = "`{name}.{field}` is a property without a setter, so a load cannot set it"
    HELP = "mark the attribute that the property reads, or add a setter"

    name: str
    field: str
