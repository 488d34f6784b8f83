"""Points and boxes. They are frozen, so savegen saves them as values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Facing(Enum):
    """The direction that somebody faces. The value is the sign of x."""

    LEFT = -1
    RIGHT = 1


@dataclass(frozen=True, slots=True)
class Vec2:
    """A point or a direction: x grows to the right, y downwards."""

    x: float = 0.0
    y: float = 0.0

    def __str__(self) -> str:
        return f"({self.x:g}, {self.y:g})"

    def __add__(self, other: Vec2) -> Vec2:
        return Vec2(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec2) -> Vec2:
        return Vec2(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vec2:
        return Vec2(self.x * factor, self.y * factor)

    @property
    def length(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

    def towards(self, goal: Vec2, step: float) -> Vec2:
        """Return the point `step` nearer to `goal`, never one past it."""
        way = goal - self
        return goal if way.length <= step else self + way * (step / way.length)


def approach(value: float, goal: float, step: float) -> float:
    """Return the number `step` nearer to `goal`, never one past it."""
    return min(goal, value + step) if value < goal else max(goal, value - step)


class Box(NamedTuple):
    """An upright rectangle between two corners."""

    low: Vec2
    high: Vec2

    def holds(self, point: Vec2) -> bool:
        return self.nearest(point) == point

    def nearest(self, point: Vec2) -> Vec2:
        """Return the point of the box that is nearest to `point`."""
        return Vec2(
            min(max(point.x, self.low.x), self.high.x),
            min(max(point.y, self.low.y), self.high.y),
        )
