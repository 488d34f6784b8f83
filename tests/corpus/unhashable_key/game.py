"""What cannot be hashed is neither a key nor in a set."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from savegen import Saved, saveable

from _savegen.components.game import BoxSaveLoad


@dataclass
class Spot:
    x: int = 0


@dataclass(frozen=True)
class Held:
    items: list[int]


class Turn(NamedTuple):
    moves: list[int]


@dataclass(frozen=True)
class Point:
    x: int = 0


@dataclass(unsafe_hash=True)
class Known:
    x: int = 0


@dataclass
class Keyed:
    x: int = 0

    def __hash__(self) -> int:
        return self.x


@saveable
class Box(BoxSaveLoad):
    lists: Saved[dict[list[int], str]]
    spots: Saved[set[Spot]]
    held: Saved[frozenset[Held]] = frozenset()
    turns: Saved[dict[Turn, int]]
    tuples: Saved[set[tuple[int, list[int]]]]
    counted: Saved[Counter[bytearray]]
    ordered: Saved[OrderedDict[dict[str, int], int]]
    inside: Saved[list[defaultdict[set[int], int]]]
    maybe: Saved[set[list[int] | None]]

    # These can be hashed.
    points: Saved[dict[Point, list[int]]]
    known: Saved[set[Known]]
    keyed: Saved[set[Keyed]]
    boxes: Saved[dict[Box, int]]
    deep: Saved[dict[tuple[frozenset[Point], int], int]]
