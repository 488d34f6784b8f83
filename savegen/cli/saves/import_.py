"""`savegen saves import`: turn JSON from `savegen saves export` into a save file."""

from __future__ import annotations

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.saves._printing import reporting_save_errors
from savegen.cli.saves.export import write_new_file


@click.command(name="import")
@click.argument("source", metavar="JSON", shell_complete=option.files)
@click.option(
    "-o",
    "target",
    metavar="FILE",
    required=True,
    shell_complete=option.files,
    help="The save file to write, for example saves/copy/1.sav.",
)
@option.common
@click.pass_obj
def command(console: Console, source: str, target: str) -> int:
    """Turn JSON from `savegen saves export` into a save file.

    You may change values in the JSON first. savegen checks that each value has the type of its
    field. Other faults appear when the game loads the file. JSON that was exported with --plain
    cannot be imported.
    """
    from savegen.runtime.errors import SaveCorruptError
    from savegen.saves.coding import read
    from savegen.saves.consistency import faults
    from savegen.saves.text import imported

    with reporting_save_errors(console, source):
        data = imported(disk.read(source))
        content = read(data)
        for fault in faults(content.body, content.guard):
            raise SaveCorruptError(fault)
    write_new_file(console, target, data)
    return 0
