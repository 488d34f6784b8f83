"""A member of an enumeration is gone that old saves may hold."""

from dataclasses import dataclass
from enum import Enum, auto

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad


class Mood(Enum):
    SLEEPY = auto()
    CALM = auto()
    MERRY = auto()


class Hat(Enum):
    CAP = 1
    TIARA = 2


@dataclass
class Clothes:
    hat: Hat


@saveable
class Goblin(GoblinSaveLoad):
    moods: Saved[list[Mood]]
    mood: Saved[Mood] = Mood.CALM
    # `Size` is not used any more, so its members are no loss.
    clothes: Saved[Clothes | None] = None
