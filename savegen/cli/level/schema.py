"""`savegen level schema`: what editors can know of level.lvl."""

from __future__ import annotations

import click

from savegen import disk
from savegen.cli import Console, common
from savegen.cli.level._level import SCHEMA, generated


@click.command(short_help="Tell where the schema of level.lvl is.")
@click.option("--text", is_flag=True, help="Print the schema itself.")
@common
@click.pass_obj
def command(console: Console, text: bool) -> int:
    """Print the path of the JSON Schema that tells editors what level.lvl may say.

    In VS Code it belongs into the setting `json.schemas`, with `level.lvl` as `fileMatch`; a
    level that `savegen level new` began names it in `$schema`.
    """
    path = generated(console, SCHEMA)
    if text:
        console.say(disk.read(path).decode().rstrip("\n"))
    else:
        console.say(disk.relative(path, disk.resolve("")))
    return 0
