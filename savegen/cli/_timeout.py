"""The option of the commands that run the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_USUAL = 120
F = TypeVar("F", bound=Callable[..., Any])


def timeout(command: F) -> F:
    """Give a command that runs the game the option to say how long that may take."""
    return click.option(
        "--timeout",
        "seconds",
        type=click.IntRange(1, 1_000_000),
        default=_USUAL,
        show_default=True,
        metavar="SECONDS",
        help="Stop the game if it takes longer than this.",
    )(command)
