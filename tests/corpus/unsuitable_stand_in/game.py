"""A stand-in needs a class outside the project, and has no methods that save."""

from savegen import Activation, Saved, before_save, on_activate, saveable

from _savegen.components.game import (
    BytesSaveLoad,
    ChainSaveLoad,
    CountSaveLoad,
    GoblinStandInSaveLoad,
    GoodSaveLoad,
    NumberSaveLoad,
    OverridingSaveLoad,
    PatternSaveLoad,
    RefilledSaveLoad,
    SpawnedSaveLoad,
    ThreadSaveLoad,
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


@saveable(of="itertools.count")
class Count(CountSaveLoad):
    pass


@saveable(of="itertools.chain")
class Chain(ChainSaveLoad):
    pass


@saveable(of="re.Pattern")
class Pattern(PatternSaveLoad):
    pattern: Saved[str]


@saveable(of="io.BytesIO")
class Bytes(BytesSaveLoad):
    title: Saved[str]


@saveable(of="io.StringIO")
class Refilled(RefilledSaveLoad):
    text: Saved[str]

    @before_save
    def keep(self) -> None:
        self.text = self.getvalue()  # type: ignore

    @on_activate
    def refill(self, reason: Activation) -> None:
        self.write(self.text)  # type: ignore


@saveable(of="threading.Thread")
class Thread(ThreadSaveLoad):
    name: Saved[str]


@saveable
class User(UserSaveLoad):
    tree: Saved[Tree]
    kind: Saved[type[Tree]]
    cell: Saved[Cell]
