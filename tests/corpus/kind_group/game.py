"""Sprite groups: the same object before and after, filled with the sprites that it had."""

import arcade
import pygame

from savegen import Saved, saveable

from _savegen.components.game import (
    ArenaSaveLoad,
    BatSaveLoad,
    GoblinSaveLoad,
    SkySaveLoad,
)


@saveable
class Goblin(GoblinSaveLoad, pygame.sprite.Sprite):
    hp: Saved[int] = 3


@saveable
class Bat(BatSaveLoad, arcade.Sprite):  # savegen: ignore[SG147]
    hp: Saved[int] = 1


@saveable
class Arena(ArenaSaveLoad):
    goblins: Saved[pygame.sprite.Group[Goblin]]
    layers: Saved[pygame.sprite.LayeredUpdates[Goblin]]
    boss: Saved[pygame.sprite.GroupSingle[Goblin] | None] = None

    def __init__(self) -> None:
        self.goblins = pygame.sprite.Group()
        self.layers = pygame.sprite.LayeredUpdates()


@saveable
class Sky(SkySaveLoad):
    bats: Saved["arcade.SpriteList[Bat]"]

    def __init__(self) -> None:
        self.bats = arcade.SpriteList()
