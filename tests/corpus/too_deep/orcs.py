from savegen import Saved, saveable

from _savegen.components.orcs import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 0
