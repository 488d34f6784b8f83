"""A class of the project must be saveable, plain data, or left out."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from savegen import Saved, saveable

from _savegen.components.game import KnightSaveLoad, SirSaveLoad
from armoury import Shield

T = TypeVar("T")


class Horse:
    def __init__(self) -> None:
        self.speed = 3


class Fast(Horse):
    pass


class Box(Generic[T]):
    pass


class Alone(abc.ABC):
    pass


@dataclass
class Stable:
    horses: list[Horse]


class Person:
    """The base of a saveable class can be referred to."""


class Speaks(Protocol):
    def speak(self) -> None: ...


class Colour(Enum):
    RED = 1


@saveable
class Knight(KnightSaveLoad, Person):
    horse: Saved[Horse]
    fast: Saved[Fast | None] = None
    many: Saved[list[Horse]]
    box: Saved[Box[int]]
    alone: Saved[Alone]
    shield: Saved[Shield]
    stable: Saved[Stable]

    friend: Saved[Person | None] = None
    herald: Saved[Speaks | None] = None
    colour: Saved[Colour] = Colour.RED
    unmarked: Horse


@saveable
class Sir(SirSaveLoad, Knight):
    # Its base has been told already; this one is its own.
    second_horse: Saved[Horse]
