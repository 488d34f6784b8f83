"""The world of one level, and one step of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pygame.sprite import Group

from savegen.levels import Level, load_level
from savegen.runtime import GameObject, SaveError, SaveLoadManager

from sample_game._savegen.types import PrefabType
from sample_game.camera import CameraArea
from sample_game.doors import Door, Switch
from sample_game.enemies import Enemy
from sample_game.keys import Keys
from sample_game.landmarks import Exit
from sample_game.level import ground_of
from sample_game.physics import Area, Contact, Grid, Ground, Matter, move
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.progress import NOON, WIDTH, Progress, Run
from sample_game.shapes import Vec2
from sample_game.spawners import Spawner
from sample_game.things import Thing
from sample_game.weapons import Missile, MissileTurret, Sentry

REACH = 0.125  # units: so near must one be to a door to unlock it


class Event(NamedTuple):
    """Something that happened in a step, for sounds and particles. It is not saved."""

    kind: str
    position: Vec2


class Place(NamedTuple):
    """Where the world is: what of a level never changes, and is not saved."""

    folder: Path
    level: Level | None
    ground: Ground


class World:
    """The things of a level, by their groups."""

    def __init__(self, manager: SaveLoadManager) -> None:
        self.manager = manager
        self.place = Place(Path(), None, Ground((), Area(0, 0, 0, 0)))
        self.things = Grid[Thing]()
        self._things: list[Thing] = []
        self.events: list[Event] = []
        self.words = ""  # what a sign or a door says in this step
        self.left_by: Exit | None = None
        self.players: Group[Player] = Group()
        self.enemies: Group[Enemy] = Group()
        self.missiles: Group[Missile] = Group()
        self.platforms: Group[MovingPlatform] = Group()
        groups = manager.groups
        groups["players"], groups["enemies"] = self.players, self.enemies
        groups["missiles"], groups["platforms"] = self.missiles, self.platforms
        manager.after_load.append(self.gather)

    def enter(self, folder: Path) -> None:
        """Start a level. Raises `LevelError` or another `SaveError`."""
        level = load_level(folder, self.manager)
        if not any(self.manager.find(Player)):
            raise SaveError(
                f"the level {level.name} places no Hero, so nobody can play it"
            )
        self.place = Place(folder, level, ground_of(level))
        for fresh, name in (Run(), "the run"), (Progress(), "the progress"):
            self.manager.add(fresh, placement=name, level=level.name)
        self.gather()

    def gather(self) -> None:
        """Put what a level has placed into the groups; find things by their places."""
        self.players.add(*self.manager.find(Player))
        self.enemies.add(*self.manager.find(Enemy))
        self.platforms.add(*self.manager.find(MovingPlatform))
        self.missiles.add(*self.manager.find(Missile))  # of saves that had no groups
        things: list[Thing] = [*self.manager.find(Thing)]
        if things != self._things:
            self._things, self.things = things, Grid[Thing]()
            for thing in things:
                self.things.put(thing.area, thing)

    @property
    def folder(self) -> Path:
        return self.place.folder

    @property
    def level(self) -> Level | None:
        return self.place.level

    @property
    def ground(self) -> Ground:
        return self.place.ground

    @property
    def player(self) -> Player:
        return next(iter(self.players))

    @property
    def run(self) -> Run:
        return next(self.manager.find(Run))

    @property
    def progress(self) -> Progress:
        return next(self.manager.find(Progress))

    @property
    def now(self) -> datetime:
        """The time in the story."""
        return NOON + self.run.time

    @property
    def level_name(self) -> str:
        return "" if self.level is None else self.level.name

    @property
    def camera(self) -> Vec2:
        """The point that the camera looks at."""
        for area in self.manager.find(CameraArea):
            if area.target is not None and area.trail:
                return area.trail[-1]
        return self.player.position

    # -- one step

    def step(self, keys: Keys) -> None:
        """Move everything by one sixtieth of a second."""
        self.events.clear()
        self.words, self.left_by = "", None
        self.platforms.update(self)
        self._move_player(keys)
        self.enemies.update(self)
        self._run_machines()
        self.missiles.update(self)
        for enemy in self.enemies.sprites():
            if enemy.hp <= 0:
                enemy.die(self)
        for area in self.manager.find(CameraArea):
            if area.target is not None:
                area.follow()
        self.run.steps += 1

    def _run_machines(self) -> None:
        for turret in self.manager.find(MissileTurret):
            turret.update(self)
        for sentry in self.manager.find(Sentry):
            sentry.update(self)
        for spawner in [*self.manager.find(Spawner)]:
            spawner.update(self)

    def _move_player(self, keys: Keys) -> None:
        player = self.player
        uses = Keys.UP in keys & ~player.held
        player.update(self, keys)
        area = player.area
        self._touch_things(player, area, uses)
        if self.ground.touched(self._feet(area), Matter.SPIKES):
            self.hurt(player, 1.0)
        if area.top > self.ground.bounds.bottom:
            player.hp = 0
        if player.hp <= 0:
            self.tell("player-dead", player.position)
            player.die()
        room = int((player.position.x - self.ground.bounds.left) // WIDTH)
        self.progress.enter(room, self.run.time)

    def _touch_things(self, player: Player, area: Area, uses: bool) -> None:
        near = Area(area.left - REACH, area.top, area.right + REACH, area.bottom)
        for thing in dict.fromkeys(self.things.near(near)):
            if isinstance(thing, Door):
                if not thing.is_open and thing.area.meets(near):
                    thing.unlock(player, self)
            elif thing.area.meets(area):
                thing.touch(player, self)
                if uses:
                    thing.use(player, self)

    @staticmethod
    def _feet(area: Area) -> Area:
        """Return what spikes must reach: they are half as high as their cell."""
        return Area(area.left + 0.125, area.top, area.right - 0.125, area.bottom - 0.5)

    # -- what the things of the world do to it

    def tell(self, kind: str, position: Vec2) -> None:
        self.events.append(Event(kind, position))

    def say(self, words: str) -> None:
        self.words = words

    def shake(self) -> None:
        for area in self.manager.find(CameraArea):
            area.shake()

    def hurt(self, player: Player, damage: float) -> None:
        if not player.safe and player.hit(damage):
            self.tell("hurt", player.position)

    def found(self, thing: object) -> None:
        """Remember for ever that something was found, if the level has placed it."""
        owner = self.manager.object_of(thing)
        placement = owner and self.manager.record_of(owner).placement
        if placement:
            self.progress.find(placement)

    def launch(self, missile: Missile) -> None:
        self.missiles.add(missile)
        self.tell("shot", missile.position)

    def spawn(self, prefab: PrefabType, place: Vec2) -> GameObject:
        """Bring up an object of a prefab."""
        thing: GameObject = self.manager.spawn(prefab, position=(place.x, place.y, 0.0))
        self.gather()
        return thing

    # -- what is where

    def walkers(self) -> Iterator[Player | Enemy]:
        """Yield who can stand on something."""
        yield from self.players
        yield from self.enemies

    def move(
        self, one: Player | Enemy | Missile, by: Vec2, through_ledges: bool = False
    ) -> Contact:
        """Move somebody as far as there is room."""
        others = self._solids(one.area.swept(by.x, by.y))
        contact = move(one.position, one.SIZE, by, self.ground, others, through_ledges)
        one.position = contact.position
        return contact

    def _solids(self, way: Area) -> list[Area]:
        """Return what is in the way besides the ground."""
        solids = [*self._closed_doors(way)]
        for platform in self.platforms:
            if platform.is_solid:
                solids.append(platform.area)
        return solids

    def is_blocked(self, area: Area) -> bool:
        """Return whether rock or a closed door is there."""
        if self.ground.touched(area, Matter.ROCK):
            return True
        return any(door.meets(area) for door in self._closed_doors(area))

    def _closed_doors(self, near: Area) -> Iterator[Area]:
        for thing in self.things.near(near):
            if isinstance(thing, Door) and not thing.is_open:
                yield thing.area

    def holds(self, area: Area) -> bool:
        """Return whether there is something to stand on below an area."""
        below = Area(area.left, area.bottom, area.right, area.bottom + 0.125)
        for tile in self.ground.near(below):
            if tile.matter is not Matter.SPIKES and tile.area.meets(below):
                return True
        return any(solid.meets(below) for solid in self._solids(below))

    def platform_under(self, area: Area) -> MovingPlatform | None:
        for platform in self.platforms:
            if platform.holds(area):
                return platform
        return None

    def press_at(self, area: Area) -> bool:
        """Press the switch that a missile has hit; return whether there is one."""
        for thing in self.things.near(area):
            if isinstance(thing, Switch) and thing.area.meets(area):
                thing.use(self.player, self)
                return True
        return False
