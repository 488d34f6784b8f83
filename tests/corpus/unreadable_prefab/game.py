from savegen import Saved, part, prefab, saveable

from _savegen.components.game import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


def body_of(size: int) -> Body:
    return Body()


@prefab
class Orc:
    body = part(body_of, 3)
