"""`savegen level`: commands on level folders; none of them executes the game."""

from __future__ import annotations

import click

from savegen.cli import _options as option

COMMANDS = {
    "new": "Create a level folder with a colour for each prefab.",
    "check": "Check levels for errors.",
    "preview": "Draw a level with labels and a legend.",
    "pack": "Compress the images without changing a visible pixel.",
    "schema": "Print the path of the schema of level.lvl.",
    "upgrade": "Convert level.lvl to the current file format.",
}


@click.group(cls=option.group_of(COMMANDS, __name__))
def command() -> None:
    """Create, check, preview, compress and upgrade levels that you draw in an image editor.

    A LEVEL is a folder. Its file `level.lvl` maps colours to prefabs. The images in its folders
    `geometry` and `sprites` place the prefabs; those in `visuals` are the pictures that players
    see. Images with the same file name in these folders, such as `layer1.png`, form a layer.

    Run `savegen build` first: it writes the schema that lists your prefabs. None of these
    commands executes your code.
    """
