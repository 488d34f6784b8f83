from savegen import Saved, part, prefab, saveable

from _savegen.components.game import GroundSaveLoad


@saveable
class Ground(GroundSaveLoad):
    friction: Saved[float] = 1.0
    owner: Saved["Ground | None"] = None
    friends: Saved[list["Ground"]]

    def __init__(self) -> None:
        self.friends = []


@prefab(static=True)
class Stone:
    ground = part(Ground)


@prefab
class Ice(Stone):
    pass


@prefab(static=False)
class Boulder(Stone):
    pass


@prefab(static=True, position="ground.friction")
class Placed:
    ground = part(Ground).show(owner=None, friends=None)


@prefab(static=1)
class Wrong:
    ground = part(Ground).show(owner=None, friends=None)
