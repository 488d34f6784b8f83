"""Open a save, print JSON and report errors, for the commands on saves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from savegen.cli._console import Console

if TYPE_CHECKING:
    from savegen.saves.coding import VerifiedSave


def opened(console: Console, path: str) -> VerifiedSave:
    """Return a save after printing what was skipped; exit with code 1 if it cannot be read."""
    from savegen.saves.opening import open_save

    with reporting_save_errors(console):
        save = open_save(path)
    for note in save.notes:
        console.note(f"skipped: {note}")
    return save


def json_text(value: Any) -> str:
    """Return a value as JSON; values without a JSON form become text."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@contextmanager
def reporting_save_errors(console: Console, source: str = "") -> Iterator[None]:
    """Catch a `SaveError`, print it after the name of its file, and exit with code 1."""
    from savegen.runtime.errors import SaveError

    try:
        yield
    except SaveError as error:
        console.error(f"{source}: {error}" if source else str(error))
        raise click.exceptions.Exit(1) from None
