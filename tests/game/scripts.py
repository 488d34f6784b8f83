"""The recorded playthroughs. `tests/playthroughs/NAME.txt` begins in the level NAME.

`old-save.txt` begins in a save of version 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sample_game.game import Game
from sample_game.keys import Keys, read_script

TESTS = Path(__file__).parents[1]
SCRIPTS = TESTS / "playthroughs"
OLD_SAVE = TESTS / "golden" / "0.3" / "world.sav"


def begin(script: str, saves: Path) -> Game:
    """Return a game at the beginning of a script."""
    if script != "old-save":
        return Game(saves, script)
    game = Game(saves, "cellar")
    game.slots.import_(OLD_SAVE, script)
    game.load(script)
    return game


def keys_of(script: str) -> list[Keys]:
    return read_script(SCRIPTS / f"{script}.txt")


def straight(keys: Iterable[Keys]) -> list[Keys]:
    """Return the keys that are left when each step back in time has taken back two frames.

    >>> [*map(int, straight([Keys.LEFT, Keys.UP, Keys.UP, Keys.REWIND, Keys.RIGHT]))]
    [1, 2]
    """
    left: list[Keys] = []
    for pressed in keys:
        if Keys.REWIND in pressed:
            del left[-2:]
        else:
            left.append(pressed)
    return left
