"""The findings of the codemods: files that cannot be rewritten."""

from __future__ import annotations

from dataclasses import dataclass

from savegen.report import Finding


@dataclass(frozen=True)
class Unwirable(Finding):
    """A generated base cannot be added without breaking something."""

    code = "SG106"

    reason: str

    @property
    def message(self) -> str:
        return f"the generated base cannot be added: {self.reason}"
