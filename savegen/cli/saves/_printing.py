"""Print JSON and errors for the commands on saves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from savegen.cli._console import Console


def print_json(console: Console, value: Any) -> None:
    """Print a value as JSON; values without a JSON form are printed as text."""
    console.print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


@contextmanager
def reporting_save_errors(console: Console, source: str = "") -> Iterator[None]:
    """Catch a `SaveError`, print it after the name of its file, and exit with code 1."""
    from savegen.runtime.errors import SaveError

    try:
        yield
    except SaveError as error:
        console.error(f"{source}: {error}" if source else str(error))
        raise click.exceptions.Exit(1) from None
