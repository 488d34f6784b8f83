"""`savegen saves`: save files, read without the game that wrote them."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "list": "List the slots of a folder.",
    "show": "Show what is in a save.",
    "verify": "Look whether saves are whole, and would load.",
    "diff": "Tell what differs between two saves.",
    "migrate": "Write a save as the game of today would.",
    "export": "Write a save as readable JSON.",
}


class _Verbs(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"savegen.cli.saves.{name}")
        found: click.Command = module.command
        return found

    def format_commands(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Verbs, short_help="List, show, verify, compare and move saves.")
def command() -> None:
    """Look into save files. Nothing of the game runs, but for `migrate` and `verify --game`.

    A SAVE is a file, `saves/slot-1/3.sav`, or a slot, `saves/slot-1`, which stands for its
    newest save that is whole.
    """
