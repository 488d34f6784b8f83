"""`savegen level schema`: what editors can know of level.lvl."""

from __future__ import annotations

import click

from savegen import disk
from savegen.cli import Console, common
from savegen.cli.level._level import SCHEMA, generated


@click.command(short_help="Print the path of the schema of level.lvl.")
@click.option("--text", is_flag=True, help="Print the schema instead of its path.")
@common
@click.pass_obj
def command(console: Console, text: bool) -> int:
    """Print the path of the JSON schema of level.lvl.

    An editor uses the schema to complete and check level.lvl. A level that `savegen level new`
    created names it in `$schema`. For other levels in VS Code, add it to the setting
    `json.schemas`, with `level.lvl` as `fileMatch`.
    """
    path = generated(console, SCHEMA)
    if text:
        console.say(disk.read(path).decode().rstrip("\n"))
    else:
        console.say(disk.relative(path, disk.resolve("")))
    return 0
