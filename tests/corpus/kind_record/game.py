"""Classes of data that can change, or that hold something that can: copied field by field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, NotRequired, Required, TypedDict

import attrs
import msgspec
from attrs import define

from savegen import Saved, saveable

from _savegen.components.game import HeroSaveLoad


@dataclass
class Stats:
    best: ClassVar[int] = 99
    hp: int = 7
    wounds: list[int] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        return self.hp > 0


@dataclass(slots=True)
class Slotted:
    hp: int = 7


@dataclass(frozen=True)
class Frozen:
    """Frozen, but its list is not."""

    steps: list[int] = field(default_factory=list)


@dataclass
class Sword(Stats):
    """Has the fields of its base, too."""

    edge: float = 1.0
    by: Hero | None = None


class Turn(NamedTuple):
    number: int
    moves: list[tuple[int, int]]


class Flat(NamedTuple):
    """A tuple with a reference in it."""

    number: int
    hero: Hero


class Loot(TypedDict):
    gold: int
    gems: list[str]
    note: NotRequired[str]
    log: NotRequired[list[str]]


class Options(TypedDict, total=False):
    volume: float
    keys: Required[dict[str, str]]


@define
class Pack:
    weight: float = 0.0
    items: list[str] = attrs.field(factory=list)


@attrs.mutable
class Belt:
    pouches: list[Pack] = attrs.field(factory=list)


class Letter(msgspec.Struct):
    text: str = ""
    seals: list[bytes] = []


class Sealed(msgspec.Struct, frozen=True):
    letters: list[Letter] = []


@dataclass
class Tree:
    """Leads to itself."""

    children: list[Tree] = field(default_factory=list)
    parent: Tree | None = None


@dataclass(unsafe_hash=True)
class Hashed:
    """Can be the key of a dict, and says so."""

    name: str = ""


@saveable
class Hero(HeroSaveLoad):
    stats: Saved[Stats]
    slotted: Saved[Slotted]
    frozen: Saved[Frozen]
    sword: Saved[Sword]
    turn: Saved[Turn]
    flat: Saved[Flat | None] = None
    loot: Saved[Loot]
    options: Saved[Options]
    pack: Saved[Pack]
    belt: Saved[Belt]
    letter: Saved[Letter]
    sealed: Saved[Sealed]
    tree: Saved[Tree]
    by_name: Saved[dict[str, Stats]]
    by_hash: Saved[dict[Hashed, int]]
    history: Saved[tuple[Turn, ...]] = ()

    def __init__(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self, name, value)
