from __future__ import annotations

import copy
import json
import pickle
import random
import zlib
from typing import TYPE_CHECKING

from . import prototypes
from .clock import TurnQueue
from .game_map import GameWorld
from .message_log import MessageLog

if TYPE_CHECKING:
    from .entity import Actor
    from .game_map import GameMap


OPTIONS = '{"refill": 50, "descend": 600}'


class Engine:
    game_map: GameMap
    game_world: GameWorld

    def __init__(self, player: Actor, seed: int):
        self.player = player
        self.rng = random.Random(seed)
        self.message_log = MessageLog()
        self.turns = TurnQueue()
        self.deaths = 0
        self.options = json.loads(OPTIONS)
        self.last_event = None

    def turn(self) -> None:
        """Let the next actor act."""
        actor = self.turns.next()
        if actor.is_alive and actor.gamemap is self.game_map:
            actor.ai.perform()
            self.turns.schedule(actor.speed, actor)
        self.game_map.update_fov(self.player.x, self.player.y)
        if actor is self.player and self.turns.now % self.options["refill"] == 0:
            self.refill()

    def refill(self) -> None:
        from .generate import place_item, place_monster

        if self.turns.now % self.options["descend"] == 0:
            self.game_world.generate_floor()
            self.message_log.add_message("You descend.")
        elif sum(1 for _ in self.game_map.actors) < 12:
            place_monster(self.game_map, self)
            place_item(self.game_map, self)

    def save_as(self, filename: str) -> None:
        with open(filename, "wb") as f:
            f.write(zlib.compress(pickle.dumps(self)))


def new_game(seed: int) -> Engine:
    player = copy.deepcopy(prototypes.player)
    engine = Engine(player, seed)
    engine.game_world = GameWorld(engine=engine, map_width=28, map_height=20)
    engine.game_world.generate_floor()
    engine.turns.schedule(0, player)
    engine.message_log.add_message("Hello and welcome.", (32, 160, 255))
    return engine
