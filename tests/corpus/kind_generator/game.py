"""Random generators: the same object before and after, set back to where it stood."""

from random import Random

import numpy as np

from savegen import Saved, saveable

from _savegen.components.game import DungeonSaveLoad


@saveable
class Dungeon(DungeonSaveLoad):
    dice: Saved[Random]
    weather: Saved[np.random.Generator | None] = None
    decks: Saved[dict[str, Random]]
