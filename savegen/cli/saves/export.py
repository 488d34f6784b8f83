"""`savegen saves export`: a save as JSON that a person can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from savegen import disk
from savegen.cli import Console, common, files
from savegen.cli.saves._options import say_json, told_apart
from savegen.report import SavegenError
from savegen.saves.plain import plain_rows

if TYPE_CHECKING:
    from savegen.saves.opening import Opened


@click.command()
@click.argument("save", shell_complete=files)
@click.option(
    "-o",
    "target",
    metavar="FILE",
    shell_complete=files,
    help="The file to write. Default: stdout.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Leave out types, stable numbers, thumbnail and checksum: easier to read, but the"
    " game cannot load the file.",
)
@common
@click.pass_obj
def command(console: Console, save: str, target: str | None, plain: bool) -> int:
    """Write SAVE as readable JSON, class by class.

    Without --plain, the game can load the result: to try it, write it into a slot, for example
    with `-o saves/copy/1.sav`.
    """
    from savegen.saves.opening import opened

    with told_apart(console):
        found = opened(save)
        for note in found.notes:
            console.note(f"skipped: {note}")
        if plain and target is None:
            say_json(console, _plain(found))
            return 0
        data = _plain_bytes(found) if plain else _loadable(found)
    if target is None:
        console.say(data.decode().rstrip("\n"))
        return 0
    if disk.exists(target):
        raise SavegenError(f"{target} already exists: choose another file")
    disk.make_folders(disk.parent(disk.resolve(target)))
    disk.put(target, data)
    console.tell(f"wrote {target}")
    return 0


def _loadable(found: Opened) -> bytes:
    from savegen.runtime.saves.container import container

    pieces = container.write(
        found.document, found.metadata, found.thumbnail, format="json"
    )
    return b"".join(pieces)


def _plain_bytes(found: Opened) -> bytes:
    import json

    text = json.dumps(_plain(found), indent=2, ensure_ascii=False, default=str)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _plain(found: Opened) -> dict[str, Any]:
    import msgspec

    about: dict[str, Any] = msgspec.to_builtins(found.metadata)
    document = found.document
    tables = {
        table.name: [*plain_rows(document, table)]
        for table in document.tables
        if table.count
    }
    return {"metadata": about, "tables": tables}
