"""Positions of every form: in fields of each suitable type, and in attributes of attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import pygame
import pyglet.math

from _savegen.components.game import (
    BodySaveLoad,
    CellSaveLoad,
    CoinSaveLoad,
    HeroSaveLoad,
    MeasuredSaveLoad,
    StarSaveLoad,
)
from savegen import Saved, part, prefab, saveable


@dataclass(frozen=True)
class Vec2:
    x: float = 0.0
    y: float = 0.0


class Spot(NamedTuple):
    x: int
    y: int


class Point(TypedDict):
    x: float
    y: float


@saveable
class Body(BodySaveLoad):
    pos: Saved[Vec2] = Vec2()
    goal: Saved[tuple[float, float] | None] = None
    __home: Saved[pyglet.math.Vec3] = pyglet.math.Vec3(0, 0, 0)
    speed: Saved[float] = 1.0


@saveable
class Cell(CellSaveLoad):
    spot: Saved[Spot] = Spot(0, 0)
    corner: Saved[tuple[int, int, int]] = (0, 0, 0)
    path: Saved[list[float]]
    z: Saved[complex] = 0j

    def __init__(self) -> None:
        self.path = [0.0, 0.0]


@saveable
class Measured(MeasuredSaveLoad):
    point: Saved[Point]
    vector: Saved[pygame.Vector2]

    def __init__(self) -> None:
        self.point = {"x": 0.0, "y": 0.0}
        self.vector = pygame.Vector2()


@saveable
class Hero(HeroSaveLoad):
    rect: Saved[pygame.Rect]

    def __init__(self) -> None:
        self.rect = pygame.Rect(0, 0, 2, 4)


@saveable
class Star(StarSaveLoad):
    _place: Saved[tuple[float, float]] = (0.0, 0.0)

    @property
    def place(self) -> tuple[float, float]:
        return self._place

    @place.setter
    def place(self, place: tuple[float, float]) -> None:
        self._place = place


@saveable(prefab=True, position="pos")
class Coin(CoinSaveLoad):
    pos: Saved[tuple[float, float]] = (0.0, 0.0)
    worth: Saved[int] = 1


@prefab(position="body.pos")
class Tank:
    body = part(Body)
    cell = part(Cell)


@prefab
class Variant(Tank):
    body = part(Body).show(pos="start")


@prefab(position="cell.spot")
class OnGrid(Tank):
    """Its place is a cell."""


@prefab(position="goal")
class Runner:
    body = part(Body).show(goal=None)


@prefab(position="__home")
class Homer:
    body = part(Body)


@prefab(position="corner")
class Corner:
    cell = part(Cell)


@prefab(position="path")
class Path:
    cell = part(Cell)


@prefab(position="z")
class Plane:
    cell = part(Cell)


@prefab(position="point")
class Pointed:
    measured = part(Measured)


@prefab(position="measured.vector")
class Vectored:
    measured = part(Measured)


@prefab(position="rect.center")
class Player:
    hero = part(Hero)


@prefab(position="star.place")
class Shining:
    star = part(Star)
