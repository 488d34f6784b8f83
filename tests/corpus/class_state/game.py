"""What a function assigns to a class belongs to no object, so no save contains it."""

from __future__ import annotations

from typing import ClassVar

import shop
from savegen import Activation, Saved, on_activate, saveable

from _savegen.components.game import GameSaveLoad, OrcSaveLoad, QuietSaveLoad


class Creature:
    born = 0

    def __init__(self) -> None:
        type(self).born += 1


@saveable(transient=("listed",))
class Orc(OrcSaveLoad, Creature):
    made = 0
    limit: ClassVar[int] = 3
    picture: ClassVar[str] = ""
    listed = 0
    sold = 0
    level = 1
    remembered: Saved[int] = 0
    number: Saved[int]
    silent = 0  # savegen: ignore[SG151]

    def __init__(self) -> None:
        super().__init__()
        Orc.made += 1
        Orc.listed += 1
        Orc.silent += 1
        Orc.remembered += 1
        self.number = Orc.made

    @classmethod
    def spawn(cls) -> Orc:
        cls.limit -= 1
        return cls()

    @staticmethod
    def load() -> None:
        Orc.picture = shop.picture("orc.png")  # perhaps made from a file

    def __init_subclass__(cls) -> None:
        cls.level = 2


@saveable
class Game(GameSaveLoad):
    instance: Game | None = None
    window: ClassVar[Game | None] = None
    depth: Saved[int]
    kinds = 0

    def __init__(self) -> None:
        self.__class__.instance = self
        self.show()
        self.depth = 1

    @on_activate
    def wake(self, reason: Activation) -> None:
        self.show()

    def show(self) -> None:
        Game.window = self


Game.kinds = 3


@saveable(transient=True)
class Quiet(QuietSaveLoad):
    count = 0
    depth: Saved[int] = 0

    def grow(self) -> None:
        Quiet.count += 1
