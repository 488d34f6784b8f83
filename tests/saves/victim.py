"""Reads files as a game would that trusts nobody: little memory, no import, no file, no code.

`python -m tests.saves.victim FILE …` prints a line for each: what came of it. Each is read in a
process of its own, which may take 32 MiB and 16 times what the file says that it holds. With
`--guardless` prices are not looked at; with `--curious` reading a file opens another one.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.saves.container import container, layout, prices
from savegen.runtime.saves.journal import playback
from savegen.runtime.saves.container.limits import MIB, Limits
from savegen.runtime.saves.metadata import Metadata
from tests.saves.documents import walls

FORBIDDEN = (
    "import",
    "exec",
    "compile",
    "open",
    "pickle.",
    "marshal.",
    "os.",
    "subprocess.",
    "ctypes.",
    "socket.",
)


JOURNAL = b"journal:"  # then the length of the save, the save, and its journal


def everything(data: bytes) -> list[Any]:
    if data.startswith(JOURNAL):
        return [played(data)]
    _, document = container.read(data)
    return [[*table.pieces] for table in document.tables]


def played(data: bytes) -> list[Any]:
    """Read a save and its journal. Raises `SaveError` if any of that is left out."""
    start = len(JOURNAL) + 4
    end = start + int.from_bytes(data[start - 4 : start], "big")
    metadata, document = container.read(data[start:end])
    base = container.digest_of(data[start:end])
    found = playback.playback(document, metadata, data[end:], base, Limits())
    if found.notes:
        raise SaveError(found.notes[0])
    return [*found.document.tables]


def size_of(data: bytes) -> int:
    """Return what a file says that it holds, but no more than it can."""
    try:
        raw = layout.unverified(data).raw if data.startswith(layout.MAGIC) else 0
    except SaveError:
        raw = 0
    return max(len(data), min(raw, 1100 * len(data)))


def confine(data: bytes) -> None:
    """Let this process take no more memory than reading may take."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + 32 * MIB + 16 * size_of(data)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def outcome(data: bytes, read: Callable[[bytes], Any]) -> str:
    confine(data)
    events: list[str] = []
    sys.addaudithook(
        lambda event, _: events.append(event) if event.startswith(FORBIDDEN) else None
    )
    try:
        read(data)
        said = "read"
    except SaveError as error:
        said = f"{type(error).__name__}: {str(error)[:200]}"
    except BaseException as error:
        said = f"BARE {type(error).__name__}"
    return said if not events else f"EVENTS {events[:5]}"


def curious(data: bytes) -> None:
    with open(os.devnull):
        everything(data)


def main(names: list[str]) -> None:
    read: Callable[[bytes], Any] = everything
    if "--guardless" in names:
        prices.Budget.pay = lambda self, price: None  # type: ignore[method-assign]
    if "--curious" in names:
        read = curious
    # Whatever is loaded at first use.
    for kind in ({}, {"compress": True}, {"format": "json"}):
        everything(b"".join(container.write(walls(3), Metadata(), **kind)))
    for name in names:
        if name.startswith("--"):
            continue
        data = Path(name).read_bytes()
        sys.stdout.flush()
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            if status:
                print(f"DIED {status}")
        else:
            print(outcome(data, read), flush=True)
            os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
