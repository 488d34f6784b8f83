"""Report names in `transient` that are no attributes of the class, or that are also saved."""

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
    MESSAGE = "`{name}` lists `{attribute}` in `transient`, but has no such attribute"
    HELP = "correct the name, or remove `{attribute}` from `transient`"

    name: str
    attribute: str


class SavedTransient(Finding, frozen=True):
    code = "SG142"
    MESSAGE = "`{name}.{attribute}` is both marked and listed in `transient`"
    HELP = "remove `{attribute}` from `transient` to save it, or remove the mark"

    name: str
    attribute: str
