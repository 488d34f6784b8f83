"""`savegen saves export`: write a save as readable JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import json_text, opened, reporting_save_errors
from savegen.findings import SavegenError

if TYPE_CHECKING:
    from savegen.saves.coding import VerifiedSave


@click.command()
@option.save
@click.option(
    "-o",
    "target",
    metavar="FILE",
    shell_complete=option.files,
    help="The file to write. Default: stdout.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Write only metadata, field values and states, without types, stable numbers and"
    " thumbnail: easier to read, but `savegen saves import` cannot read the file.",
)
@option.common
@click.pass_obj
def command(console: Console, save: str, target: str | None, plain: bool) -> int:
    """Write SAVE as readable JSON, class by class.

    The game cannot load JSON. To change a save by hand, export it without --plain, change the
    JSON, and turn it into a save file with `savegen saves import`.
    """
    from savegen.saves.text import export

    content = opened(console, save)
    with reporting_save_errors(console):
        text = json_text(_plain(content)) if plain else export(content).decode()
    if target is None:
        console.print(text.rstrip("\n"))
    else:
        data = f"{text.rstrip()}\n".encode("utf-8", "backslashreplace")
        write_new_file(console, target, data)
    return 0


def write_new_file(console: Console, target: str, data: bytes) -> None:
    """Write a new file. Raises `SavegenError` if it already exists."""
    if disk.exists(target):
        raise SavegenError(f"{target} already exists: choose another file")
    disk.make_folders(disk.parent(disk.resolve(target)))
    disk.write(target, data)
    console.status(f"wrote {target}")


def _plain(content: VerifiedSave) -> dict[str, Any]:
    import msgspec

    from savegen.saves.viewing import View

    metadata: dict[str, Any] = msgspec.to_builtins(content.metadata)
    view = View(content.body, content.guard)
    tables: dict[str, list[Any]] = {}
    for key in view.values:
        row = {field: view.plain(value) for field, value in view.named(key).items()}
        name = view.class_name(key)
        tables.setdefault(name, []).append({"object": view.name(key), **row})
    states = {name: view.plain(s) for name, s in view.states.items()}
    return {"metadata": metadata, "tables": tables, "states": states}
