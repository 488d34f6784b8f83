"""What the game refuses of a level that is written as it must be."""

from __future__ import annotations

from savegen.report import Finding


class RefusedValue(Finding, frozen=True):
    """The game's own code does not take what an entry says of a parameter."""

    code = "SG541"

    tag: str
    parameter: str  # "" if no single one is to blame
    reason: str

    @property
    def message(self) -> str:
        owner = f"{self.parameter!r} of {self.tag}" if self.parameter else self.tag
        return f"{owner} is refused by the game: {self.reason}"
