"""`savegen saves`: read save files without the game that wrote them."""

from __future__ import annotations

import click

from savegen.cli import _options as option

COMMANDS = {
    "list": "List the save slots in a folder.",
    "show": "Show the content of a save.",
    "verify": "Check saves for damage.",
    "diff": "Compare two saves.",
    "migrate": "Run the game's migrations on a save.",
    "export": "Write a save as readable JSON.",
    "import": "Turn exported JSON into a save.",
}


@click.group(cls=option.group_of(COMMANDS, __name__))
def command() -> None:
    """List, show, verify, compare, migrate, export and import save files.

    A slot is a folder with the numbered saves of one playthrough. SAVE is a save file
    (`saves/slot-1/3.sav`) or a slot (`saves/slot-1`); given a slot, savegen reads its newest
    undamaged save. Only `migrate` and `verify --game` execute code of the game.
    """
