"""Spawners, which add objects during the game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import Annotated

from savegen import Asset, Save, Saved, saveable

from sample_game._savegen.components.spawners import SpawnerSaveLoad
from sample_game._savegen.types import PrefabType
from sample_game.colours import Tint
from sample_game.enemies import Enemy
from sample_game.shapes import Vec2


@dataclass(frozen=True)
class Sound:
    """A sound. It is loaded once and shared."""

    path: PurePath


@saveable
class Spawner(SpawnerSaveLoad):
    """Spawns one object after the other."""

    makes: Saved[PrefabType] = PrefabType.CAVE_BAT
    """What is brought up, by the name of its prefab."""
    every: Saved[timedelta] = timedelta(seconds=4)
    """The time between two of them."""
    most: Annotated[int | None, Save("at_most", ge=1)] = None
    """How many there may ever be; `null` for no end of them."""
    places: Saved[list[Vec2]]
    """Where they come up, one after the other; none for where the spawner is."""
    rivals: Saved[frozenset[str]] = frozenset()
    """Who makes it wait by being near."""
    stopped_by: Saved[type[Enemy] | None] = None
    """Whose death ends it."""
    sound: Saved[Annotated[Sound, Asset()] | None] = None
    """What is heard then, by the name of the sound."""
    mark: Saved[int | str] = ""
    """What is written on it: a number, or words."""
    light: Saved[Tint]
    """The colour that it is lit in: red, green and blue."""
    waited: Annotated[timedelta, Save(editor=False)] = timedelta()
    made: Annotated[int, Save(editor=False)] = 0

    def __init__(self, *places: Vec2) -> None:
        self.places = [*places]
        self.light = Tint(40, 60, 200)

    def update(self, seconds: float) -> Iterator[Vec2 | None]:
        """Yield the places where objects appear now; `None` is the place of the spawner."""
        self.waited += timedelta(seconds=seconds)
        while self.waited >= self.every and self.made != self.most:
            self.waited -= self.every
            yield self.places[self.made % len(self.places)] if self.places else None
            self.made += 1
            self.light.warm(by=50)
