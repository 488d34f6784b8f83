"""Pass 3: build every prefab in the game's Python, and write the files that describe them.

`program.py` runs the game, and stops it after a time limit: `timeout` in `cli/_options.py`.
"""

from savegen.build.links.faults import findings
from savegen.build.links.program import (
    PROGRAM,
    Failure,
    GameProgram,
    LinkResult,
    link,
    run,
)
from savegen.build.links.record import (
    INFO,
    PROGRAMS,
    SOURCES,
    WRITTEN,
    Stale,
    files,
    loaded_files,
    stale,
)

__all__ = [
    "INFO",
    "PROGRAM",
    "PROGRAMS",
    "SOURCES",
    "WRITTEN",
    "Failure",
    "GameProgram",
    "LinkResult",
    "Stale",
    "files",
    "findings",
    "link",
    "loaded_files",
    "run",
    "stale",
]
