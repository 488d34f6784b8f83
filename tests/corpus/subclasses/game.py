"""With `subclasses=True` a subclass gets its mixin from its base, whether it is marked or not."""

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import CaveSaveLoad, EnemySaveLoad, GiantSaveLoad


@saveable(subclasses=True)
class Enemy(EnemySaveLoad):
    hp: Saved[int] = 3


class Orc(Enemy):
    rage: Saved[float] = 0.5

    def __init__(self) -> None:
        self.path: list[int] = []


@saveable(was="Ork", transient=("club",))
class Troll(Orc):
    def __init__(self) -> None:
        self.club = 3


@saveable
class Giant(GiantSaveLoad, Enemy):
    """It has its own base, as it may."""


@saveable(subclasses=True)
class Undead(Enemy):
    pass


class Hut:
    @dataclass(slots=True)
    class Cook(Enemy):
        meals: Saved[int] = 1


@saveable
class Cave(CaveSaveLoad):
    foe: Saved[Enemy | None] = None


def summon() -> Enemy:
    class Imp(Enemy):
        """A load could not find it."""

    return Imp()
