"""A mark in a class that nothing saves looks as if the field were safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import GoblinSaveLoad


class Lost:
    hp: Saved[int] = 0

    def __init__(self) -> None:
        self.mp: Annotated[int, Save()] = 0
        self.unmarked = 0


@dataclass
class Data:
    hp: Saved[int] = 0


class Base:
    """Its marks count: a saveable class inherits them."""

    name: Saved[str] = ""


@saveable
class Goblin(GoblinSaveLoad, Base):
    hp: Saved[int] = 0


class Orphan(Goblin):
    """A subclass is not saveable by its base alone."""

    gold: Saved[int] = 0
