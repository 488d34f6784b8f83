"""Syntax of newer Pythons is read by older ones, too."""

from enum import Enum

from savegen import Saved, saveable

from _savegen.components.game import (
    BoxSaveLoad,
    CrateSaveLoad,
    RackSaveLoad,
    ShelfSaveLoad,
)

type Grid = list[list[int]]
type Maybe[T] = T | None
type Table[K, V] = dict[K, list[Maybe[V]]]
type Tree = dict[str, Tree | int]


class Side(Enum):
    LEFT = 1


@saveable
class Box[T: Side](BoxSaveLoad):
    grid: Saved[Grid]
    side: Saved[T]
    best: Saved[Maybe[float]] = None
    sides: Saved[Table[str, T]]

    def put(self, item: T) -> None:
        print(f"{f"{item}"}")


class Pair[A, B]:
    first: Saved[A]
    second: Saved[B | None] = None


@saveable
class Crate(CrateSaveLoad, Pair[int, str]):
    pass


class Many[*Us, R]:
    last: Saved[R]


class Side2[Side](Many[int, str, Side]):
    """Its parameter hides the enumeration."""


class Half[A](Pair[A, Side]):
    pass


@saveable
class Shelf(ShelfSaveLoad, Half[Crate]):
    pass


@saveable
class Rack(RackSaveLoad, Side2[float]):
    pass
