"""A stand-in needs a class outside the project, and has no methods that save."""

from savegen import Saved, saveable

from _savegen.components.game import (
    GoblinStandInSaveLoad,
    GoodSaveLoad,
    NumberSaveLoad,
    OverridingSaveLoad,
    SpawnedSaveLoad,
    UserSaveLoad,
)
from enginelib import Cell, Tree


class Goblin:
    pass


@saveable(of="game.Goblin")
class GoblinStandIn(GoblinStandInSaveLoad):
    hp: Saved[int]


@saveable(of=Cell)
class Number(NumberSaveLoad):
    hp: Saved[int]


@saveable(of="enginelib.Rock", override=True)
class Overriding(OverridingSaveLoad):
    hp: Saved[int]

    def save_data(self, references):
        return self.save_data_(references)

    def load_data(self, data, references):
        self.load_data_(data, references)


@saveable(of="enginelib.Bush", prefab=True)
class Spawned(SpawnedSaveLoad):
    hp: Saved[int]


@saveable(of="enginelib.Tree", prefab=False)
class Good(GoodSaveLoad):
    hp: Saved[int]


@saveable
class User(UserSaveLoad):
    tree: Saved[Tree]
    kind: Saved[type[Tree]]
    cell: Saved[Cell]
