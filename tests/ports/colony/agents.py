from __future__ import annotations

import enum
from collections import Counter, deque
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple


class Task(enum.Enum):
    REST = 1
    HAUL = 2
    DIG = 3


class Place(NamedTuple):
    x: int
    y: int


@dataclass(eq=False)
class Agent:
    """One ant. Each follows the next, in a chain as long as the colony."""

    name: str
    place: Place
    rng: Random
    energy: float = 1.0
    task: Task = Task.REST
    follows: Agent | None = None
    carried: Counter[str] = field(default_factory=Counter)
    memory: deque[Place] = field(default_factory=lambda: deque(maxlen=4))

    def act(self) -> None:
        self.memory.append(self.place)
        if self.follows is not None and self.rng.random() < 0.5:
            ahead = self.follows.place
            dx = (ahead.x > self.place.x) - (ahead.x < self.place.x)
            dy = (ahead.y > self.place.y) - (ahead.y < self.place.y)
        else:
            dx, dy = self.rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        self.place = Place(self.place.x + dx, self.place.y + dy)
        self.energy -= 0.01
        if self.energy <= 0:
            self.task = Task.REST
        if self.task is Task.REST:
            self.energy += 0.05
        if self.rng.random() < 0.1:
            self.task = self.rng.choice(list(Task))


@dataclass(eq=False)
class Digger(Agent):
    depth: int = 0

    def act(self) -> None:
        super().act()
        if self.task is Task.DIG:
            self.depth += 1
            self.carried["clay"] += self.rng.randint(1, 3)


@dataclass(eq=False)
class Scout(Agent):
    seen: set[Place] = field(default_factory=set)

    def act(self) -> None:
        super().act()
        self.seen.add(self.place)
        if len(self.seen) > 20:
            self.seen.clear()
