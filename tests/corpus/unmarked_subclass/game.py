"""A subclass without a mark is reported if a field can refer to it, wherever it is defined."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import (
    CaveSaveLoad,
    EnemySaveLoad,
    FriendSaveLoad,
    KeySaveLoad,
    RatSaveLoad,
)


class Being:
    """Not saveable; a field may refer to its saveable subclasses."""


class Tree(Being): ...


@saveable
class Enemy(EnemySaveLoad, Being):
    hp: Saved[int] = 3


@saveable
class Friend(FriendSaveLoad, Being):
    hp: Saved[int] = 3


@saveable
class Key(KeySaveLoad):
    doors: Saved[int] = 3


class GoldenKey(Key):
    """No field refers to a key."""


class Orc(Enemy): ...


class Walker(Enemy, ABC):
    """It has no objects, so there is nothing to save."""

    @abstractmethod
    def walk(self) -> None: ...


@saveable
class Rat(RatSaveLoad, Walker):
    def walk(self) -> None: ...


class Mouse(Rat):  # savegen: ignore[SG213]
    ...


class Ally(Friend): ...


@dataclass
class Squad:
    foes: list[Enemy]


@saveable
class Cave(CaveSaveLoad):
    squads: Saved[dict[str, Squad]]
    first: Saved[Being | None] = None
    kind: Saved[type[Friend] | None] = None
