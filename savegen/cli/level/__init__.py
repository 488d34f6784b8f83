"""`savegen level`: levels drawn in an image editor, looked at without the game."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "new": "Begin a level: every prefab with a colour, and empty images.",
    "check": "Look whether levels are right, and would load.",
    "preview": "Draw a level: rectangles, sprites with labels, a legend.",
    "pack": "Make the images smaller, pixel for pixel the same.",
    "schema": "Tell where the schema of level.lvl is.",
    "upgrade": "Write level.lvl as it is written today.",
}


class _Verbs(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"savegen.cli.level.{name}")
        found: click.Command = module.command
        return found

    def format_commands(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Verbs, short_help="Begin, check, draw, pack and upgrade levels.")
def command() -> None:
    """Work on levels that are drawn in an image editor. Nothing of the game runs.

    A LEVEL is a folder: `level.lvl` says what colours mean, and the images in `geometry`,
    `sprites` and `visuals` where they are. What prefabs there are, the schema knows that
    `savegen build` wrote.
    """
