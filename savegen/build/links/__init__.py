"""Pass 3: run the generated program that builds every prefab, and use its results."""

from savegen.build.links.faults import findings
from savegen.build.links.program import PROGRAM, Failure, Game, Linked, link, run
from savegen.build.links.record import (
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
