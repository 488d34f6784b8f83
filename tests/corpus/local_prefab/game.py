from savegen import Saved, part, prefab, saveable

from _savegen.components.game import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


def declare() -> type:
    @prefab
    class Orc:
        body = part(Body)

    return Orc
