from savegen import Saved, saveable

from _savegen.components.foes import FoundSaveLoad


@saveable
class Found(FoundSaveLoad):
    hp: Saved[int] = 0
