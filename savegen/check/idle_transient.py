"""A name in `transient` that no attribute has: a slip, or what is left of one."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for name in cls.idle_transient:
        yield IdleTransient(cls.span, cls.qualname, name)
    for field in cls.fields:
        if field.own and field.name in cls.transient:
            yield SavedTransient(field.span, cls.qualname, field.name)


class IdleTransient(Finding, frozen=True):
    code = "SG141"
    severity = Severity.WARNING

    name: str
    attribute: str

    @property
    def message(self) -> str:
        return (
            f"`{self.name}` calls `{self.attribute}` transient, which it does not have"
        )

    @property
    def help(self) -> str:
        return f"take `{self.attribute}` out of `transient`"


class SavedTransient(Finding, frozen=True):
    code = "SG142"

    name: str
    attribute: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.attribute}` is marked, and called transient"

    @property
    def help(self) -> str:
        return "take one of the two away"
