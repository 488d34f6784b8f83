"""A subclass of a plain class is left out if one of its fields cannot be saved."""

from collections.abc import Callable
from dataclasses import dataclass

from savegen import Saved, saveable

from _savegen.components.game import HeroSaveLoad


@dataclass
class Effect:
    turns: int


@dataclass
class Bomb(Effect):
    on_burst: Callable[[], None]


@dataclass
class Wick:
    light: object


@dataclass
class Rocket(Effect):
    wick: Wick


@dataclass
class Poison(Effect):
    damage: int = 1


@saveable
class Hero(HeroSaveLoad):
    effects: Saved[list[Effect]]
