"""A package and a module of one name: imports reach the package only."""

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 0
