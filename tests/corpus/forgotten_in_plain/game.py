"""Attributes of plain classes that are no fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import pygame

from savegen import Saved, saveable

from _savegen.components.game import HeroSaveLoad


class Named:
    def __init__(self) -> None:
        self.label = "unnamed"
        self.hits = 0


@dataclass
class Wound(Named):
    depth: int

    def __post_init__(self) -> None:
        super().__init__()


@dataclass
class Effect:
    turns: int
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.turns
        self.icon = pygame.Surface((8, 8))

    @property
    def is_over(self) -> bool:
        return self.left == 0

    @cached_property
    def strength(self) -> int:
        return 2 * self.turns


class Poison(Effect):
    def burn(self) -> None:
        self.burnt = True


@dataclass
class Known:
    """What needs no field is silenced."""

    value: int

    def __post_init__(self) -> None:
        self.double = 2 * self.value  # savegen: ignore[SG140]


@dataclass(frozen=True)
class Spot:
    x: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "tile", self.x // 8)


@dataclass(eq=False)
class Rune:
    """A load makes what its hash needs."""

    number: int

    def __post_init__(self) -> None:
        self.__code = self.number * 31

    def __hash__(self) -> int:
        return self.__code


@saveable
class Hero(HeroSaveLoad):
    wound: Saved[Wound]
    effects: Saved[list[Effect]]
    known: Saved[Known]
    spot: Saved[Spot]
    runes: Saved[set[Rune]]
