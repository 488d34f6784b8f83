"""Reads files as a game would that trusts nobody: bounded memory, no import, no file, no code.

`python -m tests.saves.victim FILE …` prints a line for each: what came of it. Each is read in a
process of its own, which may take little more than `MEMORY`. With `--guardless` memory is not
counted; with `--curious` reading a file opens another one.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves.coding import decode
from savegen.saves.limits import MIB, Guard, Limits
from tests.saves.rows_game import REGISTRY, rich

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
MEMORY = 64 * MIB
# What one step may take before it is counted, and what the interpreter needs.
SLACK = 128 * MIB
LIMITS = Limits(memory=MEMORY)


def everything(data: bytes) -> Any:
    """Read a file completely."""
    return decode(data, REGISTRY, limits=LIMITS)


def confine(data: bytes) -> None:
    """Let this process take no more memory than reading may take."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    # What is counted is an estimate: a small map takes nearly twice as much.
    counted = 2 * max(MEMORY, 16 * len(data))
    most = pages * resource.getpagesize() + counted + SLACK
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def outcome(data: bytes, read: Callable[[bytes], Any]) -> str:
    """Return what came of reading a file."""
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
        said = f"BARE {type(error).__name__}: {error}"
    return said if not events else f"EVENTS {events[:5]}"


def curious(data: bytes) -> None:
    """Read a file, and another one that nobody asked for."""
    with open(os.devnull):
        everything(data)


def main(names: list[str]) -> None:
    """Read the files that are named."""
    from savegen.saves import encode

    read: Callable[[bytes], Any] = everything
    if "--guardless" in names:
        Guard.max_memory = 1 << 62  # type: ignore[assignment, method-assign]
    if "--curious" in names:
        read = curious
    for kind in ("", "zlib", "lzma", "zstd"):  # whatever is imported at first use
        everything(encode(rich(), registry=REGISTRY, compress=kind))
    with suppress(SaveError):  # of another version
        decode(encode(Snapshot()), REGISTRY)
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
