"""The real stdout, kept for the one thing that is to be read from it."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def take_stdout() -> int:
    """Return a descriptor of the real stdout; whatever prints from now on prints to stderr.

    That includes C code, what Python has not yet written, and what runs at the end.
    """
    real = os.dup(1)
    os.dup2(2, 1)
    return real


def write(descriptor: int, data: bytes) -> None:
    """Write all of `data`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def end(code: int) -> NoReturn:
    """End the program at once, whatever threads there are and whatever waits to run."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the game may have closed it, or put something else there
            continue
    os._exit(code)
