from itertools import count

import game
from savegen.runtime import SaveLoadManager


def start() -> int:
    return 1


def kept() -> "count[int]":
    return game._kept


def keep(manager: SaveLoadManager) -> None:
    manager.add_state("kept", kept, lambda it: setattr(game, "_kept", it))
