"""Prefabs whose parameters are of every kind that JSON has a form for."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from pathlib import PurePath
from types import ModuleType
from typing import Annotated, Literal, NamedTuple, TypedDict

import attrs
import msgspec
import pygame
from arcade.types import Rect

from _savegen.components.game import BodySaveLoad, BrainSaveLoad, GunSaveLoad
from _savegen.types import PrefabType
from savegen import Asset, Save, Saved, part, prefab, saveable


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Doors(Flag):
    NORTH = 1
    SOUTH = 2


class Vec2(NamedTuple):
    x: float
    y: float = 0.0


@dataclass
class Node:
    hp: int
    items: list[int] = field(default_factory=list)
    next: Node | None = None
    seen: int = field(default=7, init=False)


@attrs.define
class Stats:
    _hp: int
    best: Vec2 = attrs.field(default=Vec2(1, 2))


class Bag(TypedDict, total=False):
    coins: int
    moods: list[Mood]


class Route(msgspec.Struct, frozen=True):
    places: tuple[Vec2, ...]
    target: Body | None = None


@saveable
class Body(BodySaveLoad):
    """What can be hit."""

    size: Saved[Vec2] = Vec2(1, 1)
    """How big it is, in metres."""
    price: Saved[Decimal | None] = None
    weight: Annotated[float | None, Save(gt=0)] = None
    born: Saved[date] = date(2000, 1, 1)
    age: Saved[timedelta]


@saveable
class Gun(GunSaveLoad):
    ammo: Annotated[int, Save(ge=0, le=99.5)] = 3
    """How many "shots" are left.

    Nobody carries more than 99, and this is a long story about why that is so.
    """
    side: Saved[Literal["left", "right", 0, None]] = "left"
    doors: Saved[Doors] = Doors(0)
    rocket: Saved[PrefabType | None] = None
    tint: Saved[pygame.Color]
    place: Saved[pygame.Vector2]
    area: Saved[pygame.Rect]
    view: Saved[Rect]
    share: Saved[Fraction] = Fraction(1, 2)
    path: Saved[PurePath] = PurePath("a")
    pair: Saved[complex] = 1j
    raw: Saved[bytearray]
    icon: Annotated[ModuleType | None, Asset(), Save()] = None


@saveable
class Brain(BrainSaveLoad):
    mood: Saved[Mood] = Mood.CALM
    moods: Saved[dict[str, list[tuple[Vec2, Mood] | None]]]
    node: Saved[Node | None] = None
    stats: Saved[Stats]
    bag: Saved[Bag]
    route: Saved[Route]
    target: Saved[Body | None] = None
    foes: Saved[set[Body]]
    kind: Saved[type[Body]] = Body
    grid: Saved[dict[tuple[int, int], Mood]]
    queue: Saved[deque[Fraction]]
    groups: Saved[defaultdict[Mood, list[int]]]
    order: Saved[OrderedDict[int, Node]]
    count: Saved[Counter[str]]
    either: Saved[Mood | Node | list[Fraction] | None] = None
    kept: Annotated[int, Save(editor=False)] = 1


@prefab
class Orc:
    """A foe that shoots."""

    body = part(Body)
    gun = part(Gun)
    brain = part(Brain)
