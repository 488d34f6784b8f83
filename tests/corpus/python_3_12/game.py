"""Syntax of newer Pythons is read by older ones, too."""

from enum import Enum

from savegen import Saved, saveable

from _savegen.components.game import BoxSaveLoad

type Grid = list[list[int]]
type Maybe[T] = T | None
type Tree = dict[str, Tree | int]


class Side(Enum):
    LEFT = 1


@saveable
class Box[T: Side](BoxSaveLoad):
    grid: Saved[Grid]
    side: Saved[Side] = Side.LEFT

    def put(self, item: T) -> None:
        print(f"{f"{item}"}")
