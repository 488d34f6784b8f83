"""A base from outside: a load has to know how to prepare an object of it."""

import engine
import pygame

from savegen import Saved, saveable

from _savegen.components.game import BulletSaveLoad, GhostSaveLoad, OrcSaveLoad


class Actor(engine.Actor, engine.Drawn):
    pass


@saveable
class Orc(OrcSaveLoad, Actor):
    hp: Saved[int] = 7


@saveable
class Ghost(GhostSaveLoad, Actor, dict[str, int]):
    hp: Saved[int] = 7


@saveable
class Bullet(BulletSaveLoad, pygame.sprite.Sprite, engine.Named):
    hp: Saved[int] = 7
