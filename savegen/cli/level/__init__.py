"""`savegen level`: levels drawn in an image editor, looked at without the game."""

from __future__ import annotations

import click

from savegen.cli._verbs import group_of

COMMANDS = {
    "new": "Begin a level: every prefab with a colour, and empty images.",
    "check": "Look whether levels are right, and would load.",
    "preview": "Draw a level: rectangles, sprites with labels, a legend.",
    "pack": "Make the images smaller, pixel for pixel the same.",
    "schema": "Tell where the schema of level.lvl is.",
    "upgrade": "Write level.lvl as it is written today.",
}


@click.group(
    cls=group_of(COMMANDS, __name__),
    short_help="Begin, check, draw, pack and upgrade levels.",
)
def command() -> None:
    """Work on levels that are drawn in an image editor. Nothing of the game runs.

    A LEVEL is a folder: `level.lvl` says what colours mean, and the images in `geometry`,
    `sprites` and `visuals` where they are. What prefabs there are, the schema knows that
    `savegen build` wrote.
    """
