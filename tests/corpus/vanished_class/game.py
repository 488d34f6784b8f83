"""A class is gone while another with fields like it is new: renamed, or not?"""

from savegen import Saved, saveable

from _savegen.components.game import HobgoblinSaveLoad, HouseSaveLoad


@saveable
class Hobgoblin(HobgoblinSaveLoad):
    hp: Saved[int] = 0
    gold: Saved[int] = 0
    rank: Saved[int] = 0


# Nothing like what is gone.
@saveable
class House(HouseSaveLoad):
    rooms: Saved[list[str]]
