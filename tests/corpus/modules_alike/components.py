from savegen import Saved, saveable

from _savegen.components.components import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    hp: Saved[int] = 0
