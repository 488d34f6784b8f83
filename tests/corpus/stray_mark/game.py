"""Marks on what is no attribute of an object: parameters, results and variables."""

from typing import Annotated

import savegen
from savegen import Save, Saved, saveable
from savegen import Saved as Kept

score: Saved[int] = 0


def move(steps: "savegen.Saved[int]", *, fast: Kept[bool] = True) -> Saved[int]:
    total: Annotated[int, Save()] = steps
    return total


@saveable
class Hero:
    hp: Saved[int] = 3

    def __init__(self, mp: Saved[int]) -> None:
        self.mp: Annotated[int, Save()] = mp

    @property
    def size(self) -> Saved[int]:
        return self.mp

    @size.setter
    def size(self, value: Saved[int]) -> None:
        self.mp = value
