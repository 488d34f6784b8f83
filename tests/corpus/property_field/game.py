"""A property is no place to keep a value: loading could not put it back."""

from typing import Annotated

import arcade

from savegen import Save, Saved, saveable

from _savegen.components.game import BaseSaveLoad, DoorSaveLoad, OrcSaveLoad, TrollSaveLoad
from _savegen.components.game import PlayerSaveLoad


@saveable
class Base(BaseSaveLoad):
    level: Saved[int] = 1

    @property
    def hp(self):
        return 3


@saveable
class Orc(OrcSaveLoad, Base):
    hp: Saved[int]


@saveable
class Troll(TrollSaveLoad, Base):
    # A value hides the property.
    hp: Saved[int] = 9


@saveable
class Door(DoorSaveLoad):
    open: Saved[bool]

    @property
    def open(self):
        return True


@saveable
class Player(PlayerSaveLoad, arcade.Sprite):
    center_y: Saved[float]
    rect: Annotated[arcade.Rect, Save(setter=True)]
    own: Annotated[int, Save(setter=True)]
    angle: Annotated[float, Save("turn", ge=0)]

    @property
    def own(self):
        return 1
