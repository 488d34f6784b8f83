"""`savegen saves`: save files, read without the game that wrote them."""

from __future__ import annotations

import click

from savegen.cli._verbs import group_of

COMMANDS = {
    "list": "List the slots of a folder.",
    "show": "Show what is in a save.",
    "verify": "Look whether saves are whole, and would load.",
    "diff": "Tell what differs between two saves.",
    "migrate": "Write a save as the game of today would.",
    "export": "Write a save as readable JSON.",
}


@click.group(
    cls=group_of(COMMANDS, __name__),
    short_help="List, show, verify, compare and move saves.",
)
def command() -> None:
    """Look into save files. Nothing of the game runs, but for `migrate` and `verify --game`.

    A SAVE is a file, `saves/slot-1/3.sav`, or a slot, `saves/slot-1`, which stands for its
    newest save that is whole.
    """
