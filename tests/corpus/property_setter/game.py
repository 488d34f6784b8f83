"""A property that a load sets through its setter: marked where it is, or in a subclass."""

from typing import Annotated

import arcade

from savegen import Save, Saved, saveable

from _savegen.components.game import BossSaveLoad, HeroSaveLoad, PlayerSaveLoad


@saveable(transient=("_hp",))
class Hero(HeroSaveLoad):
    def __init__(self) -> None:
        self._hp = 3

    @property
    def hp(self) -> Saved[int]:
        return self._hp

    @hp.setter
    def hp(self, points: int) -> None:
        self._hp = points


@saveable
class Boss(BossSaveLoad, Hero):
    rage: Saved[float] = 1.0


@saveable
class Player(PlayerSaveLoad, arcade.Sprite):
    center_x: Annotated[float, Save(setter=True)]
    coins: Saved[int] = 0
