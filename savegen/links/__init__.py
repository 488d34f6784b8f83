"""Pass 3: run the generated program that builds every prefab, and use its results."""

from savegen.links.faults import findings
from savegen.links.program import PROGRAM, Failure, Game, Linked, link, run
from savegen.links.record import (
    INFO,
    PROGRAMS,
    WRITTEN,
    Stale,
    files,
    recorded,
    stale,
)

__all__ = [
    "INFO",
    "PROGRAM",
    "PROGRAMS",
    "WRITTEN",
    "Failure",
    "Game",
    "Linked",
    "Stale",
    "files",
    "findings",
    "link",
    "recorded",
    "run",
    "stale",
]
