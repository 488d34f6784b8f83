"""Report an attribute that a class assigns but neither saves nor declares transient."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check.unsuitable_class import nature
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in () if nature(cls) else cls.forgotten:
        yield ForgottenState(found.span, found.owner, found.attribute, found.in_base)


class ForgottenState(Finding, frozen=True):
    code = "SG140"
    severity = Severity.WARNING

    name: str
    attribute: str
    in_base: bool

    @property
    def message(self) -> str:
        return f"`{self.name}.{self.attribute}` is not saved: a load leaves it as it is"

    @property
    def help(self) -> str:
        if self.in_base:
            return (
                f"mark it in the class, `{self.attribute}: Annotated[…, Save(setter=True)]`;"
                f' if it need not be\nsaved, say so: `@saveable(transient=("{self.attribute}",))`'
            )
        return (
            "mark it `Saved[…]`; if it need not be saved, say so:"
            f' `@saveable(transient=("{self.attribute}",))`'
        )
