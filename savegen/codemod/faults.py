"""Findings of the codemods: files that cannot be rewritten."""

from __future__ import annotations

from savegen.report import Finding


class Unwirable(Finding, frozen=True):
    """A generated base cannot be added to a class safely."""

    code = "SG106"

    reason: str

    @property
    def message(self) -> str:
        return f"cannot add the generated base class: {self.reason}"

    @property
    def help(self) -> str:
        return "fix the cause, or write the import and the base class yourself"
