"""The commonest save bug there is: an attribute that nobody thought of saving."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check.unsuitable_class import nature
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in () if nature(cls) else cls.forgotten:
        yield ForgottenState(found.span, found.owner, found.attribute)


class ForgottenState(Finding, frozen=True):
    code = "SG140"
    severity = Severity.WARNING

    name: str
    attribute: str

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.attribute}` is not saved: a load leaves it as it is"

    @property
    def help(self) -> str:
        return (
            "mark it `Saved[…]`; if it need not be saved, say so:"
            f' `@saveable(transient=("{self.attribute}",))`'
        )
