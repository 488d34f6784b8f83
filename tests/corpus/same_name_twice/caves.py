from savegen import Saved, saveable

from _savegen.components.caves import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[int] = 0
