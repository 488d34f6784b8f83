"""The finding for a value that the game itself refuses."""

from __future__ import annotations

from savegen.findings import Finding


class RefusedValue(Finding, frozen=True):
    """The game's own code raised an error for a value of an entry."""

    code = "SG541"

    tag: str
    parameter: str  # "" if no single one is to blame
    reason: str

    @property
    def message(self) -> str:
        owner = f"{self.parameter!r} of {self.tag}" if self.parameter else self.tag
        return f"the game does not accept {owner}: {self.reason}"
