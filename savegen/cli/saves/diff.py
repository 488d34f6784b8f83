"""`savegen saves diff`: compare the objects and fields of two saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import print_json, reporting_save_errors

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

    savegen matches objects by the keys that the manager gave them. An object without a key is
    matched by the path of fields that leads to it. The order of objects makes no difference.
    """
    from savegen.saves.differing import differences
    from savegen.saves.opening import open_save
    from savegen.saves.viewing import View

    with reporting_save_errors(console):
        found = differences(
            *(View(each.body, each.guard) for each in map(open_save, (old, new)))
        )
    if form == "json":
        print_json(console, [*map(_data, found)])
    elif not found:
        console.print("no difference")
    else:
        _print(console, found)
    return int(exit_code and bool(found))


def _data(difference: Difference) -> dict[str, Any]:
    return difference._asdict()


def _print(console: Console, found: list[Difference]) -> None:
    last = ""
    for each in found:
        sign, style = _SIGNS[each.what]
        if each.what != "changed":
            console.print(f"{sign} {each.name}", style)
            last = ""
            continue
        if each.name != last:
            console.print(f"  {each.name}", "message")
            last = each.name
        console.print(f"      {each.field}: {each.old} → {each.new}")
    count = f"{len(found)} difference{'s' if len(found) != 1 else ''}"
    console.note(count)
