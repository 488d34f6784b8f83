"""Python lays out the slots of one base only."""

from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import (
    CentaurSaveLoad,
    FoalSaveLoad,
    GriffinSaveLoad,
    HorseSaveLoad,
)


class Man:
    __slots__ = ("name",)


@saveable
@dataclass(slots=True)
class Horse(HorseSaveLoad):
    speed: Saved[int]


class Ghost:
    __slots__ = ()


@saveable
class Centaur(CentaurSaveLoad, Man, Horse):
    arrows: Saved[int] = 0


# One line of slots is none too many, and empty ones do not count.
@saveable
class Foal(FoalSaveLoad, Horse, Ghost):
    __slots__ = ("age",)
    age: Saved[int]


class Wings:
    pass


@saveable
class Griffin(GriffinSaveLoad, Wings, Horse):
    height: Saved[int] = 0
