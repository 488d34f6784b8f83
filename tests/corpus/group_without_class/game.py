"""A group in a field must say of which saveable class its sprites are."""

import pygame

from savegen import Saved, saveable

from _savegen.components.game import ArenaSaveLoad


@saveable
class Arena(ArenaSaveLoad):
    crowd: Saved[pygame.sprite.Group]
    things: Saved[pygame.sprite.Group[pygame.sprite.Sprite]]
    unmarked: pygame.sprite.Group

    def __init__(self) -> None:
        self.crowd = pygame.sprite.Group()
        self.things = pygame.sprite.Group()
        self.unmarked = pygame.sprite.Group()
