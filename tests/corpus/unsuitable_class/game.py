"""Values by nature: Python would not let them have the generated base."""

from enum import Enum
from typing import NamedTuple, Protocol, TypedDict

from savegen import Saved, saveable


@saveable
class Point(NamedTuple):
    x: Saved[int]


@saveable
class Stats(TypedDict, total=False):
    hp: Saved[int]


@saveable
class Walker(Protocol):
    speed: Saved[int]


@saveable
class Mood(Enum):
    CALM = 1
