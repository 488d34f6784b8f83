from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from savegen import Saved, saveable

from physics import Area
from shapes import Vec2


@dataclass
class Stats:
    kills: Counter[str] = field(default_factory=Counter)


@saveable(prefab=True, position="position")
class Player:
    SIZE = Vec2(0.75, 1.375)

    position: Saved[Vec2] = Vec2()
    velocity: Saved[Vec2] = Vec2()
    hp: Saved[float] = 2.0
    stats: Saved[Stats]

    def __init__(self) -> None:
        self.stats = Stats()

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    def bounce(self, speed: float) -> None:
        self.velocity = Vec2(self.velocity.x, -speed)

    def heal(self, hearts: float) -> bool:
        if self.hp >= 3:
            return False
        self.hp = min(self.hp + hearts, 3.0)
        return True
