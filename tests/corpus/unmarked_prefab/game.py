from savegen import Saved, part, saveable

from _savegen.components.game import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1


class Orc:
    body = part(Body)
