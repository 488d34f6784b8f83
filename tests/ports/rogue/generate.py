from __future__ import annotations

from typing import TYPE_CHECKING

from . import prototypes, tiles
from .entity import Altar
from .game_map import GameMap

if TYPE_CHECKING:
    from .engine import Engine


class RectangularRoom:
    def __init__(self, x, y, width, height):
        self.x1, self.y1 = x, y
        self.x2, self.y2 = x + width, y + height

    @property
    def inner(self):
        return slice(self.x1 + 1, self.x2), slice(self.y1 + 1, self.y2)

    @property
    def center(self):
        return (self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2


def generate_dungeon(width: int, height: int, engine: Engine, floor: int) -> GameMap:
    player = engine.player
    dungeon = GameMap(engine, width, height)
    rooms = [
        RectangularRoom(1, 1, 12, 8),
        RectangularRoom(16, 2, 10, 9),
        RectangularRoom(4, 11, 20, 8),
    ]
    for room in rooms:
        dungeon.tiles[room.inner] = tiles.floor
    dungeon.tiles[6:22, 6] = tiles.floor
    dungeon.tiles[14, 6:15] = tiles.floor
    player.place(*rooms[0].center, dungeon)
    for _ in range(6 + floor):
        place_monster(dungeon, engine)
    for _ in range(8):
        place_item(dungeon, engine)
    altar = Altar(engine.rng.randint(1, 9))
    altar.place(*rooms[2].center, dungeon)
    altar.visits[player.name] = floor
    dungeon.downstairs_location = rooms[-1].center
    dungeon.update_fov(player.x, player.y)
    return dungeon


def place_monster(dungeon: GameMap, engine: Engine) -> None:
    x, y = free_place(dungeon, engine)
    if engine.rng.random() < 0.8:
        monster = prototypes.orc.spawn(dungeon, x, y)
    else:
        monster = prototypes.troll.spawn(dungeon, x, y)
    engine.turns.schedule(monster.speed, monster)


def place_item(dungeon: GameMap, engine: Engine) -> None:
    x, y = free_place(dungeon, engine)
    prototype = engine.rng.choice(prototypes.treasures)
    prototype.spawn(dungeon, x, y)


def free_place(dungeon, engine):
    while True:
        x = engine.rng.randrange(dungeon.width)
        y = engine.rng.randrange(dungeon.height)
        if dungeon.walkable(x, y) and dungeon.blocking_at(x, y) is None:
            return x, y
