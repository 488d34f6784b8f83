"""The only programs that the build side starts."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


class Failed(Exception):
    """A program could not be started, or did not end well; the message is its own."""


def output(command: Sequence[str], folder: str) -> bytes:
    """Run a program in a folder and return what it prints. Raises `Failed`."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise Failed(said.partition("\n")[0] or f"{command[0]} exits {done.returncode}")
    return done.stdout
