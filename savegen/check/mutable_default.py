"""Report a mutable default in a class body, which all objects would share."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.own and field.default is not None:
            yield MutableDefault(field.span, field.name, field.default)


class MutableDefault(Finding, frozen=True):
    code = "SG115"
    MESSAGE = "all objects share the default `{default}` of `{name}`"
    HELP = "assign it in `__init__`, or use a dataclass with `field(default_factory=…)`"

    name: str
    default: str
