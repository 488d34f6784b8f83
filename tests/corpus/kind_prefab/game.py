"""Which prefab: a member of what the second pass generates."""

from savegen import Saved, saveable

from _savegen.components.game import TurretSaveLoad
from _savegen.types import PrefabType


@saveable
class Turret(TurretSaveLoad):
    missile: Saved[PrefabType | None] = None
    queue: Saved[list[PrefabType]]
