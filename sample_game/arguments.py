"""The arguments on the command line, for the game with a window and the one without."""

from __future__ import annotations

import argparse
from typing import NoReturn

from sample_game.level import FOLDER

LEVELS = sorted(folder.name for folder in FOLDER.iterdir())


class Parser(argparse.ArgumentParser):
    """Prints a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help explains the arguments)\n")


def parser(program: str, description: str | None, levels: list[str]) -> Parser:
    """Return a parser for `LEVEL`, which can be left out."""
    result = Parser(program, description=description)
    names = ", ".join(levels)
    result.add_argument("level", nargs="?", choices=levels, metavar="LEVEL", help=names)
    return result
