"""`savegen saves diff`: compare the objects and fields of two saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import json_text, opened, reporting_save_errors

if TYPE_CHECKING:
    from savegen.saves.differing import Difference

_SIGNS = {"added": ("+", "help"), "removed": ("-", "error"), "changed": (" ", "")}


@click.command()
@click.argument("old", shell_complete=option.files)
@click.argument("new", shell_complete=option.files)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if the saves differ.")
@option.text_or_json
@option.common
@click.pass_obj
def command(console: Console, old: str, new: str, exit_code: bool, form: str) -> int:
    """Compare two saves.

    savegen lists the objects that NEW adds, those that it lacks, and the fields that differ. OLD
    and NEW are save files or slots.

    savegen matches objects by the keys that the manager gave them. It matches an object without
    a key by the fields through which it is reached. The order of objects makes no difference.
    """
    from savegen.saves.differing import differences
    from savegen.saves.viewing import View

    saves = [opened(console, path) for path in (old, new)]
    with reporting_save_errors(console):
        found = differences(*(View(save.body, save.guard) for save in saves))
    if form == "json":
        console.print(json_text([difference._asdict() for difference in found]))
    elif not found:
        console.print("no difference")
    else:
        _print(console, found)
    return int(exit_code and bool(found))


def _print(console: Console, differences: list[Difference]) -> None:
    heading = ""
    for difference in differences:
        sign, style = _SIGNS[difference.what]
        if difference.what != "changed":
            console.print(f"{sign} {difference.name}", style)
            heading = ""
            continue
        if difference.name != heading:
            heading = difference.name
            console.print(f"  {heading}", "message")
        console.print(f"      {difference.field}: {difference.old} → {difference.new}")
    count = len(differences)
    console.note(f"{count} difference{'s' if count != 1 else ''}")
