from savegen import Saved, saveable

from _savegen.components.foes import FoeSaveLoad


@saveable
class Foe(FoeSaveLoad):
    hp: Saved[int] = 0
