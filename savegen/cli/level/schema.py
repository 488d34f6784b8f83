"""`savegen level schema`: print the path or the text of the schema of level.lvl."""

from __future__ import annotations

import click

from savegen import disk
from savegen.cli import _options as option
from savegen.cli._console import Console
from savegen.cli.level._level import SCHEMA, generated_file


@click.command()
@click.option("--text", is_flag=True, help="Print the schema instead of its path.")
@option.common
@click.pass_obj
def command(console: Console, text: bool) -> int:
    """Print the path of the JSON schema of level.lvl.

    Editors use the schema for completion and error checking in level.lvl. Levels made with
    `savegen level new` already refer to it (`$schema`). For other levels in VS Code,
    `savegen init --optional` sets it up; or add its path to the setting `json.schemas`.
    """
    path = generated_file(console, SCHEMA)
    if text:
        console.print(disk.read(path).decode().rstrip("\n"))
    else:
        console.print(disk.relative(path, disk.resolve("")))
    return 0
