"""Report a marked class that does not inherit from its generated base yet."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check.unsuitable_class import nature
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def takes_bases(cls: SavedClass) -> bool:
    """Return whether a class can inherit from a generated base at all."""
    return not cls.local and not nature(cls)


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if cls.mixin_place is None and takes_bases(cls):
        yield MissingMixin(cls.span, cls.qualname, cls.mixin)


class MissingMixin(Finding, frozen=True):
    code = "SG110"
    severity = Severity.WARNING
    MESSAGE = "`{name}` does not inherit from `{mixin}` yet"
    HELP = "run `savegen wire`"

    name: str
    mixin: str
