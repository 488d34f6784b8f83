from savegen import Saved, converter, saveable

from _savegen.components.game import GoblinSaveLoad, OrcSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[float] = 1.0


@saveable
class Orc(OrcSaveLoad, Goblin):
    gold: Saved[int] = 3


@converter(Goblin, "hp")
def from_percent(old):
    return old / 100


@converter(Goblin, "hp")
def from_text(old):
    return float(old)


@converter(Orc, "hp")
def of_orcs(old):
    return old * 2
