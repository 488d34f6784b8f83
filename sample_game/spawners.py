"""Spawners, which add objects during the game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

from savegen import Asset, Save, Saved, saveable

from sample_game._savegen.components.spawners import SpawnerSaveLoad
from sample_game._savegen.types import PrefabType
from sample_game.colours import Tint
from sample_game.enemies import AWAKE, Enemy
from sample_game.physics import SECONDS
from sample_game.shapes import Vec2

if TYPE_CHECKING:
    from sample_game.world import World

RIVALRY = 8.0  # units


@dataclass(frozen=True)
class Sound:
    """A sound. It is loaded once and shared."""

    path: PurePath


@saveable
class Spawner(SpawnerSaveLoad):
    """Spawns one object after the other, while the player is not far away."""

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
    home: Annotated[Vec2, Save(editor=False)] = Vec2()
    waited: Annotated[timedelta, Save(editor=False)] = timedelta()
    made: Annotated[int, Save(editor=False)] = 0

    def __init__(self, *places: Vec2) -> None:
        self.places = [*places]
        self.light = Tint(40, 60, 200)

    def update(self, world: World) -> None:
        """Bring up what is due."""
        if self.made == self.most or self._must_wait(world):
            return
        self.waited += timedelta(seconds=SECONDS)
        if self.waited >= self.every:
            self.waited -= self.every
            place = self.places[self.made % len(self.places)] if self.places else Vec2()
            world.spawn(self.makes, self.home + place)
            self.made += 1
            self.light.warm(by=50)

    def _must_wait(self, world: World) -> bool:
        if (world.player.position - self.home).length > AWAKE:
            return True
        stopped = self.stopped_by
        if stopped and world.player.stats.kills[stopped.__name__]:
            return True
        return any(
            type(enemy).__name__ in self.rivals
            and (enemy.position - self.home).length < RIVALRY
            for enemy in world.enemies
        )
