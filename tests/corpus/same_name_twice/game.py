"""A second class of one name is born with its module; the first keeps what it has."""

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 0
