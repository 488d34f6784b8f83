"""A class that is gone stays in the lock: old saves may hold it."""

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 0
