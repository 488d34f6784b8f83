"""What is assigned and not saved is told; what a load makes anew is not."""

import logging
from dataclasses import dataclass
from typing import Annotated, Any

import arcade
import pygame

from savegen import Activation, Save, Saved, on_activate, saveable

from _savegen.components.game import (
    GoblinSaveLoad,
    HordeSaveLoad,
    OrcSaveLoad,
    PlayerSaveLoad,
    PurseSaveLoad,
    ShotSaveLoad,
)


class Creature:
    kind = "creature"  # one for all

    def __init__(self) -> None:
        self.age = 0

    def setup(self) -> None:
        self.sound: object = None


@saveable(transient=("sprite", "__hidden"))
class Orc(OrcSaveLoad, Creature):
    limit: int = 3
    hp: Saved[int] = 7

    def __init__(self) -> None:
        super().__init__()
        self.mana = 3
        self.sprite = object()
        self.__hidden = 1
        self.rage: Annotated[float, Save()] = 0.0
        self.image = pygame.image.load("orc.png")
        self.font: pygame.font.Font | None = None
        self.size = 1
        self.path, (self.left, *self.right) = 0, [1, 2]
        self.glow: object = None
        self.faces = [pygame.Surface((8, 8)).convert(), pygame.image.load("a.png")]
        self.log = logging.getLogger("orc")
        self.shade: object = None

    def grow(self) -> None:
        self.size += 1

    @property
    def tall(self) -> bool:
        return self.size > 3

    @tall.setter
    def tall(self, value: bool) -> None:
        self.size = 4

    sneaking: bool

    def setup(self) -> None:
        self.light = object()

    def make_shadow(self) -> object:
        self.shadow = object()
        return self.shadow

    @on_activate
    def wake(self, reason: Activation) -> None:
        self.tall = True
        self.glow = object()
        self._redraw()
        if self.make_shadow():
            Creature.setup(self)

    def _redraw(self) -> None:
        self.shade = object()


@saveable
class Goblin(GoblinSaveLoad, Orc):
    def __init__(self) -> None:
        super().__init__()
        self.loot: list[int] = []


@saveable
@dataclass
class Horde(HordeSaveLoad):
    size: Saved[int]
    morale: float = 1.0


@saveable
class Player(PlayerSaveLoad, arcade.Sprite):
    center_x: Annotated[float, Save(setter=True)]

    def __init__(self) -> None:
        super().__init__()
        self.left = 3.0
        self.angle = 45.0
        self.texture = arcade.make_circle_texture(4, (1, 2, 3, 4))


@saveable
class Shot(ShotSaveLoad, pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect = self.image.get_frect()


def observed(default: int) -> Any:
    def read(purse: Any) -> int:
        return int(purse.__dict__.setdefault("cash", default))

    def write(purse: Any, value: int) -> None:
        purse.__dict__["cash"] = value

    return property(read, write)


class Clamped:
    def __get__(self, owner: Any, cls: object = None) -> int:
        return 3

    def __set__(self, owner: Any, value: int) -> None: ...


def rolled() -> int:
    return 6


@saveable
class Purse(PurseSaveLoad):
    # What is assigned to these is saved elsewhere, or not at all.
    cash: Any = observed(3)
    debt = Clamped()
    made = property(lambda self: 3, lambda self, value: None)
    luck = rolled()

    def __init__(self) -> None:
        self.cash = 4
        self.debt = 5
        self.made = 6
        self.luck = 7
