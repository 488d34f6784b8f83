"""A sprite that a load creates needs a picture, which `__init__` gives it at first."""

from typing import Annotated

import arcade
import pygame

from savegen import Activation, Asset, Save, Saved, on_activate, part, prefab, saveable

from _savegen.components.game import (
    ArcherSaveLoad,
    BatSaveLoad,
    CoinSaveLoad,
    DwarfSaveLoad,
    ElfSaveLoad,
    FlagSaveLoad,
    GhostSaveLoad,
    GoatSaveLoad,
    ImpSaveLoad,
    KidSaveLoad,
    KnightSaveLoad,
    LampSaveLoad,
    MageSaveLoad,
    OrcSaveLoad,
    PuddleSaveLoad,
    RatSaveLoad,
    ShadowSaveLoad,
    SpiritSaveLoad,
    TreeSaveLoad,
    TrollSaveLoad,
    WallSaveLoad,
)


def paint(name: str) -> pygame.Surface:
    return pygame.image.load(f"{name}.png")


class Creature(pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = paint("creature")


@saveable
class Spirit(SpiritSaveLoad, pygame.sprite.Sprite):
    """It has no picture, and is never drawn."""

    hp: Saved[int] = 7


# -- without a picture after a load


@saveable
class Orc(OrcSaveLoad, pygame.sprite.Sprite):
    hp: Saved[int] = 7

    def __init__(self) -> None:
        super().__init__()
        self.image = paint("orc")


@saveable
class Elf(ElfSaveLoad, Creature):
    hp: Saved[int] = 7


@saveable
class Dwarf(DwarfSaveLoad, pygame.sprite.DirtySprite):
    def __init__(self) -> None:
        super().__init__()
        self.dress()

    def dress(self) -> None:
        self.image = paint("dwarf")


@saveable
class Goat(GoatSaveLoad, Spirit):
    def __init__(self) -> None:
        super().__init__()
        self.image = paint("goat")


@saveable
class Kid(KidSaveLoad, Goat):
    """Its base is named instead."""


@saveable
class Coin(CoinSaveLoad, arcade.Sprite):
    worth: Saved[int] = 1


@saveable
class Archer(ArcherSaveLoad, arcade.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.texture = arcade.load_texture("archer.png")


# -- with one


@saveable
class Troll(TrollSaveLoad, Creature):
    @on_activate
    def show(self, reason: Activation) -> None:
        self.image = paint("troll")


@saveable
class Knight(KnightSaveLoad, Creature):
    @on_activate
    def show(self, reason: Activation) -> None:
        dress(self)


def dress(sprite: pygame.sprite.Sprite) -> None:
    sprite.image = paint("knight")


@saveable
class Bat(BatSaveLoad, Creature):
    def update(self) -> None:
        self.flap()

    def flap(self) -> None:
        self.image = paint("bat")


@saveable
class Rat(RatSaveLoad, Creature):
    @property
    def is_fat(self) -> Saved[bool]:
        return self.image is None

    @is_fat.setter
    def is_fat(self, is_fat: bool) -> None:
        self.image = paint("rat")


@saveable
class Ghost(GhostSaveLoad, pygame.sprite.Sprite):
    hp: Saved[int] = 7

    @property
    def image(self) -> pygame.Surface | None:
        return paint("ghost")

    @image.setter
    def image(self, value: pygame.Surface | None) -> None:
        raise AttributeError


@saveable
class Flag(FlagSaveLoad, pygame.sprite.Sprite):
    image: Annotated[pygame.Surface, Asset(), Save(setter=True)]  # pyright: ignore

    def __init__(self, image: pygame.Surface) -> None:
        super().__init__()
        self.image = image  # pyright: ignore


@saveable
class Mage(MageSaveLoad, Creature):
    hp: Saved[int] = 7


@prefab
class Tower:
    mage = part(Mage)


@saveable
class Imp(ImpSaveLoad, pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = paint("imp")  # savegen: ignore[SG147]


@saveable
class Lamp(LampSaveLoad, arcade.Sprite):
    def __init__(self) -> None:
        super().__init__("lamp.png")

    def blink(self) -> None:
        self.set_texture(0)


@saveable
class Tree(TreeSaveLoad, arcade.Sprite):
    @on_activate
    def show(self, reason: Activation) -> None:
        self.texture = arcade.load_texture("tree.png")


@saveable
class Wall(WallSaveLoad, arcade.SpriteSolidColor):
    def __init__(self) -> None:
        super().__init__(8, 8)


@saveable
class Shadow(ShadowSaveLoad, arcade.Sprite):
    """It has the picture that arcade gives to every sprite."""

    def __init__(self) -> None:
        super().__init__()


@saveable
class Puddle(PuddleSaveLoad, arcade.SpriteCircle):
    def __init__(self) -> None:
        super().__init__(8, (0, 0, 9, 9))
