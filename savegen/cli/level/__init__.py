"""`savegen level`: levels drawn in an image editor, looked at without the game."""

from __future__ import annotations

import click

from savegen.cli._verbs import group_of

COMMANDS = {
    "new": "Create a level folder with a colour for each prefab.",
    "check": "Check levels for errors.",
    "preview": "Draw a level with labels and a legend.",
    "pack": "Make the image files smaller without changing a pixel.",
    "schema": "Print the path of the schema of level.lvl.",
    "upgrade": "Rewrite level.lvl in the current form.",
}


@click.group(
    cls=group_of(COMMANDS, __name__),
    short_help="Create, check, draw, pack and upgrade levels.",
)
def command() -> None:
    """Create, check, draw, pack and upgrade levels that you draw in an image editor.

    A LEVEL is a folder. Its file `level.lvl` maps colours to prefabs; the images in its
    folders `geometry`, `sprites` and `visuals` place them. Run `savegen build` first: it
    writes the schema that lists your prefabs. None of these commands runs the game.
    """
