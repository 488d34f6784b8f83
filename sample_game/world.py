"""The world of one level, and one step of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from pygame.sprite import Group

from savegen.levels import Level, load_level
from savegen.runtime import SaveLoadManager

from sample_game.enemies import Enemy
from sample_game.keys import Keys
from sample_game.level import ground_of, settle_all
from sample_game.physics import Area, Contact, Ground, move
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.shapes import Vec2
from sample_game.weapons import Missile


class Event(NamedTuple):
    """Something that happened in a step, for sounds and particles. It is not saved."""

    kind: str
    position: Vec2


class Walker(Protocol):
    """What the ground stops."""

    SIZE: Vec2
    position: Vec2
    velocity: Vec2

    @property
    def area(self) -> Area: ...


class World:
    """The things of a level, by their groups."""

    def __init__(self, manager: SaveLoadManager) -> None:
        self.manager = manager
        self.ground = Ground((), Area(0, 0, 0, 0))
        self.level: Level | None = None
        self.events: list[Event] = []
        self.players: Group[Player] = Group()
        self.enemies: Group[Enemy] = Group()
        self.missiles: Group[Missile] = Group()
        self.platforms: Group[MovingPlatform] = Group()
        manager.after_load.append(self.gather)

    def enter(self, folder: Path) -> None:
        """Start a level. Raises `LevelError`; the world is then unchanged."""
        level = load_level(folder, self.manager)
        settle_all(level)
        self.level, self.ground = level, ground_of(level)
        self.gather()

    def gather(self) -> None:
        """Fill the groups with what there is after a load."""
        for group, cls in (
            (self.players, Player),
            (self.enemies, Enemy),
            (self.missiles, Missile),
            (self.platforms, MovingPlatform),
        ):
            group.empty()
            group.add(*self.manager.find(cls))

    @property
    def player(self) -> Player:
        return next(iter(self.players))

    def step(self, keys: Keys) -> None:
        """Move everything by one sixtieth of a second."""
        self.events.clear()
        self.players.update(self, keys)

    def tell(self, kind: str, position: Vec2) -> None:
        self.events.append(Event(kind, position))

    def launch(self, missile: Missile) -> None:
        self.manager.add(missile)
        self.missiles.add(missile)
        self.tell("shot", missile.position)

    def move(self, one: Walker, by: Vec2, through_ledges: bool = False) -> Contact:
        """Move somebody as far as there is room."""
        contact = move(
            one.position, one.SIZE, by, self.ground, self.solids(), through_ledges
        )
        one.position = contact.position
        return contact

    def solids(self) -> Iterator[Area]:
        """Yield what stops a walker, besides the ground."""
        for platform in self.platforms:
            yield platform.area

    def platform_under(self, area: Area) -> MovingPlatform | None:
        for platform in self.platforms:
            if platform.holds(area):
                return platform
        return None
