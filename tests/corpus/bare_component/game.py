from savegen import Saved, prefab, saveable

from _savegen.components.game import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


@prefab
class Orc:
    body = Body()
