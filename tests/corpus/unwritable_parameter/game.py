from random import Random

from savegen import Saved, part, prefab, saveable

from _savegen.components.game import DiceSaveLoad


@saveable
class Dice(DiceSaveLoad):
    sides: Saved[int] = 6
    luck: Saved[Random]


@prefab
class Table:
    dice = part(Dice)
