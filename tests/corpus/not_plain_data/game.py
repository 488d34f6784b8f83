"""Classes that look like plain data, and what they hold that is not a field."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, NamedTuple

from savegen import Saved, saveable

from _savegen.components.game import HolderSaveLoad

Untyped = namedtuple("Untyped", "x y")


@dataclass
class Stats:
    shared: ClassVar[list[int]] = []
    start: InitVar[int]
    _: KW_ONLY
    hp: int = field(init=False)
    marked: Saved[int] = 0

    def __post_init__(self, start: int) -> None:
        self.hp = start
        self.made_up = start


class Point(NamedTuple):
    x: int = 0

    @property
    def double(self) -> int:
        return 2 * self.x


class Derived(Stats):
    """Has the fields of its base; without a decorator, `extra` is none."""

    extra: int = 0


@saveable
class Holder(HolderSaveLoad):
    stats: Saved[Stats | None] = None
    point: Saved[Point] = Point()
    untyped: Saved[Untyped | None] = None
    derived: Saved[Derived | None] = None
