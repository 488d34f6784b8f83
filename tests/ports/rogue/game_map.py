from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Iterator, Optional, Set

import numpy as np

from . import tiles
from .entity import Actor, Entity, Item

if TYPE_CHECKING:
    from .engine import Engine


class GameMap:
    def __init__(
        self, engine: Engine, width: int, height: int, entities: Iterable[Entity] = ()
    ):
        self.engine = engine
        self.width, self.height = width, height
        self.entities: Set[Entity] = set(entities)
        self.tiles = np.full((width, height), fill_value=tiles.wall, order="F")
        self.visible = np.full((width, height), fill_value=False, order="F")
        self.explored = np.full((width, height), fill_value=False, order="F")
        self.downstairs_location = (0, 0)

    @property
    def gamemap(self) -> GameMap:
        return self

    @property
    def actors(self) -> Iterator[Actor]:
        found = [e for e in self.entities if isinstance(e, Actor) and e.is_alive]
        yield from sorted(found, key=lambda actor: (actor.x, actor.y, actor.name))

    def items_at(self, x, y):
        found = [e for e in self.entities if isinstance(e, Item)]
        here = [e for e in found if e.x == x and e.y == y]
        return sorted(here, key=lambda item: item.name)

    def blocking_at(self, x: int, y: int) -> Optional[Actor]:
        for actor in self.actors:
            if actor.blocks and actor.x == x and actor.y == y:
                return actor
        return None

    def nearest_enemy(self, x, y):
        others = [a for a in self.actors if a is not self.engine.player]
        return min(others, key=lambda a: abs(a.x - x) + abs(a.y - y), default=None)

    def walkable(self, x, y):
        inside = 0 <= x < self.width and 0 <= y < self.height
        return inside and bool(self.tiles["walkable"][x, y])

    def update_fov(self, x, y):
        self.visible[:] = False
        self.visible[max(0, x - 4) : x + 5, max(0, y - 4) : y + 5] = True
        self.explored |= self.visible


class GameWorld:
    """Makes a new map for each floor."""

    def __init__(self, *, engine: Engine, map_width: int, map_height: int):
        self.engine = engine
        self.map_width = map_width
        self.map_height = map_height
        self.current_floor = 0

    def generate_floor(self) -> None:
        from .generate import generate_dungeon

        self.current_floor += 1
        self.engine.game_map = generate_dungeon(
            self.map_width, self.map_height, self.engine, self.current_floor
        )
