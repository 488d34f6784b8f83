"""Define the finding for a file that cannot be rewritten."""

from __future__ import annotations

from savegen.findings import Finding


class Unwirable(Finding, frozen=True):
    """A generated base cannot be added to a class safely."""

    code = "SG106"
    MESSAGE = "cannot add the generated base class: {reason}"
    HELP = "fix the cause, or write the import and the base class yourself"

    reason: str
