from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

import moods
from moods import Mood

from savegen import Save, Saved, saveable

from _savegen.components.game import BatSaveLoad, ChiefSaveLoad, GoblinSaveLoad

MOST = 100


@dataclass(frozen=True)
class Place:
    x: float
    y: float


def next_name() -> str:
    return "Grub"


@saveable
class Goblin(GoblinSaveLoad):
    STRONG = 9

    hp: Annotated[float, Save(default=MOST)]
    strength: Annotated[int, Save(default=STRONG)]
    name: Annotated[str, Save(default_factory=next_name)]
    mood: Annotated[Mood, Save(default=Mood.CALM)]
    kinds: Annotated[list[str], Save(default=["a", "\u00fc", 'the "b"', "it's"])]
    home: Annotated[Place, Save(default=Place(1, y=-2.5))]
    slots: Annotated[dict[str, int], Save(default_factory=dict)]
    past: Annotated[
        tuple[Place, Place, Place, moods.Mood],
        Save(default=(Place(0, 0), Place(x=1.25, y=2.5), Place(3, 4), moods.Mood.ANGRY)),
    ]
    level: Saved[int] = 3
    grudge: Saved[str]
    fixed: Saved[int]

    def __init__(self, grudge: str) -> None:
        self.fixed = 4
        self.grudge = grudge
        self.rest: Annotated[int, Save()] = 4
        self.queue: Annotated[deque[int], Save()] = deque()
        self.groups: Annotated[defaultdict[str, list[int]], Save()] = defaultdict(list)
        self.money: Annotated[Decimal, Save()] = Decimal("0.10")
        self.place: Annotated[Place, Save()] = Place(0, 0)
        self.state: Annotated[Mood, Save()] = Mood.CALM
        self.shown: Annotated[str, Save()] = next_name()
        if grudge:
            self.depends: Annotated[int, Save()] = 3
        self.again: Annotated[int, Save()] = 3
        self.again = len(grudge)


@saveable
class Chief(ChiefSaveLoad, Goblin):
    def __init__(self) -> None:
        super().__init__("none")
        self.rest = 5


@saveable
@dataclass
class Bat(BatSaveLoad):
    speed: Saved[float]
    wings: Saved[int] = 2
    grudges: Saved[list[str]] = field(default_factory=list)
