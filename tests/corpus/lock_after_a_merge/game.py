"""A merge took the lines of both sides: the next run puts them in order."""

from enum import Enum
from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import MageSaveLoad


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@saveable
class Mage(MageSaveLoad):
    hp: Saved[int] = 0
    magic: Annotated[int, Save(was="mana")] = 0
    mine: Saved[str] = ""
    yours: Saved[str] = ""
    both: Saved[float] = 0.0
    mood: Saved[Mood] = Mood.CALM
