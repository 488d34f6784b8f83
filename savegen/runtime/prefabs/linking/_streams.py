"""Write JSON for the command line to the real stdout, which the game's output does not reach."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def take_stdout() -> int:
    """Return a descriptor of the real stdout, and redirect all other output to stderr.

    The redirection includes C code, buffered output of Python, and code that runs at exit.
    """
    real = os.dup(1)
    os.dup2(2, 1)
    return real


def write(descriptor: int, data: bytes) -> None:
    """Write all of `data` to a file descriptor."""
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def end(code: int) -> NoReturn:
    """Exit at once, without waiting for threads or running exit handlers."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the game may have closed or replaced it
            continue
    os._exit(code)
