"""The findings of the codemods: files that cannot be rewritten."""

from __future__ import annotations

from savegen.report import Finding


class Unwirable(Finding, frozen=True):
    """A generated base cannot be added without breaking something."""

    code = "SG106"

    reason: str

    @property
    def message(self) -> str:
        return f"the generated base cannot be added: {self.reason}"
