"""Report `Saved[T]` in a method, which pyright rejects; `Annotated` is accepted everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in cls.fields:
        if field.own and field.bare_saved:
            yield SavedInMethod(field.span, field.name)


class SavedInMethod(Finding, frozen=True):
    code = "SG114"
    severity = Severity.INFO
    MESSAGE = "savegen accepts `self.{name}: Saved[…]`, but pyright rejects it"
    HELP = "write `Annotated[…, Save()]`, or declare the field in the class body"

    name: str
