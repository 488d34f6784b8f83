"""A field of a plain class can hold an object of a subclass, wherever it is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypedDict

import attrs
import msgspec

from savegen import Saved, saveable

from _savegen.components.game import HeroSaveLoad


@dataclass
class Effect:
    turns: int


@dataclass
class Poison(Effect):
    damage: int = 1


class Strong(Poison):
    """Without a decorator, it has the fields of its base."""


@attrs.frozen
class Spot:
    x: int


@attrs.frozen
class Marked(Spot):
    name: str = ""


class Stats(msgspec.Struct):
    hp: int


class More(Stats):
    mana: int = 0


class At(NamedTuple):
    x: int


class Below(At):
    pass


class Keys(TypedDict):
    """A dict of a subclass looks like one of its base."""

    a: int


class MoreKeys(Keys):
    b: int


class Skill(Enum):
    """Without members, so that it can have subclasses."""


class Magic(Skill):
    FIRE = 1


class Craft(Skill):
    IRON = 1


@dataclass
class Node:
    children: list[Node] = field(default_factory=list)


@dataclass
class Leaf(Node):
    effects: dict[str, Effect] = field(default_factory=dict)


@dataclass
class Talk:
    """With three subclasses that contain each other, the union would be too large."""

    then: list[Talk]
    otherwise: list[Talk]


@dataclass
class Choice(Talk):
    pass


@dataclass
class Jump(Talk):
    pass


@dataclass
class Line(Talk):
    pass


@saveable
class Hero(HeroSaveLoad):
    effects: Saved[list[Effect]]
    effect: Saved[Effect | None] = None
    either: Saved[Effect | int | None] = None
    poison: Saved[Poison]
    spots: Saved[set[Spot]]
    stats: Saved[Stats]
    at: Saved[At] = At(1)
    keys: Saved[Keys]
    skill: Saved[Skill | None] = None
    node: Saved[Node]
    talk: Saved[Talk]
