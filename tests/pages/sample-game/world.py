from __future__ import annotations

import pygame

from _savegen.prefab_info import PREFAB_INFO
from _savegen.registry import REGISTRY
from savegen.levels import load_level
from savegen.runtime import SaveLoadManager
from enemies import Enemy
from physics import Area, Contact, Ground, Matter, Tile, move
from player import Player
from shapes import Vec2
from things import Thing


class World:
    def __init__(self) -> None:
        self.manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
        self.enemies: pygame.sprite.Group[Enemy] = pygame.sprite.Group()
        self.manager.groups["enemies"] = self.enemies
        self.events: list[str] = []

    def start(self, name: str) -> None:
        level = load_level(f"levels/{name}", self.manager)
        height, width = level.cell_to_rectangle[0].shape
        rocks = (
            Area(tile.left, tile.top, tile.left + tile.width, tile.top + tile.height)
            for tile in level.static
        )
        tiles = (Tile(rock, Matter.ROCK) for rock in rocks)
        self.ground = Ground(tiles, Area(0, 0, width, height))
        self.enemies.add(*self.manager.find(Enemy))

    @property
    def player(self) -> Player:
        return next(self.manager.find(Player))

    def step(self) -> None:
        self.enemies.update(self)
        for enemy in self.enemies.sprites():
            if enemy.hp <= 0:
                enemy.die(self)
        for thing in self.manager.find(Thing):
            if thing.area.meets(self.player.area):
                thing.touch(self.player, self)

    def move(self, one: Player | Enemy, by: Vec2) -> Contact:
        contact = move(one.position, one.SIZE, by, self.ground)
        one.position = contact.position
        return contact

    def hurt(self, player: Player, damage: float) -> None:
        player.hp -= damage

    def tell(self, kind: str, position: Vec2) -> None:
        self.events.append(kind)
