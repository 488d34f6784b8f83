"""Members of enumerations, flags and constants, and enumerations of all bases."""

from __future__ import annotations

import enum
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto
from typing import Literal

from savegen import Saved, saveable

from _savegen.components.game import LampSaveLoad


class Colour(Enum):
    RED = "red"
    GREEN = "green"
    _ignore_ = ["unused"]

    @property
    def warm(self) -> bool:
        return self is Colour.RED


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Shape(StrEnum):
    ROUND = auto()
    SQUARE = auto()


class Part(Flag):
    BULB = auto()
    SHADE = auto()


class Right(IntFlag):
    TURN_ON = 1
    TURN_OFF = 2


class Named(enum.Enum):
    """Has no members, so that others can derive from it."""

    def greet(self) -> str:
        return f"I am {self.name}"


class Mood(Named):
    CALM = 1
    TENSE = 2
    CALM_TOO = 1


Side = Literal["left", "right"]


@saveable
class Lamp(LampSaveLoad):
    class Plug(Enum):
        FLAT = 1
        ROUND = 2

    colour: Saved[Colour] = Colour.RED
    level: Saved[Level] = Level.LOW
    shape: Saved[Shape] = Shape.ROUND
    parts: Saved[Part] = Part.BULB | Part.SHADE
    rights: Saved[Right] = Right.TURN_ON
    mood: Saved[Mood] = Mood.CALM
    plug: Saved[Plug] = Plug.FLAT
    side: Saved[Side] = "left"
    mixed: Saved[Literal["on", 1, -2, True, b"raw", None]] = None
    merged: Saved[Literal[Side, "middle", "left"]] = "middle"
    calm_or_off: Saved[Literal[Mood.CALM, "off"]] = "off"
    by_colour: Saved[dict[Colour, list[Mood]]]
    seen: Saved[set[Colour]]
    maybe: Saved[Colour | None] = None
