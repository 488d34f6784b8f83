"""The option of the commands that execute code of the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from savegen.cli._between import between

_USUAL = 120
F = TypeVar("F", bound=Callable[..., Any])


def timeout(command: F) -> F:
    """Give a command that executes code of the game an option that limits the time."""
    return click.option(
        "--timeout",
        "seconds",
        type=between(1, 1_000_000),
        default=_USUAL,
        show_default=True,
        metavar="N",
        help="Stop the code of the game after N seconds.",
    )(command)
