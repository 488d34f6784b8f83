"""Fields that hold a saveable class itself."""

from savegen import Saved, saveable

from _savegen.components.game import OrcSaveLoad, SpawnerSaveLoad, TrollSaveLoad


class Monster:
    pass


@saveable
class Orc(OrcSaveLoad, Monster):
    pass


@saveable
class Troll(TrollSaveLoad, Monster):
    pass


@saveable
class Spawner(SpawnerSaveLoad):
    next: Saved[type[Monster]] = Orc
    waves: Saved[list[type[Orc] | None]]
    costs: Saved[dict[type[Orc | Troll], int]]
