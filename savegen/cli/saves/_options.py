"""What the commands on saves share: options, what goes wrong, and progress."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from savegen.cli import Console

F = TypeVar("F", bound=Callable[..., Any])


def json_format(command: F) -> F:
    """Give a command the choice between a text for people and JSON for programs."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="Print text, or one JSON document.",
    )(command)


def say_json(console: Console, value: Any) -> None:
    """Print a value as JSON: what JSON has no form for, as text."""
    console.say(json.dumps(value, indent=2, ensure_ascii=False, default=str))


@contextmanager
def told_apart(console: Console, source: str = "") -> Iterator[None]:
    """Print what is wrong with a save, and in which file, and end with exit code 1."""
    from savegen.runtime.errors import SaveError

    try:
        yield
    except SaveError as error:
        console.error(f"{source}: {error}" if source else str(error))
        raise click.exceptions.Exit(1) from None
