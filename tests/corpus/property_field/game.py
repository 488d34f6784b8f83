"""A property is no place to keep a value: loading could not put it back."""

from savegen import Saved, saveable

from _savegen.components.game import BaseSaveLoad, DoorSaveLoad, OrcSaveLoad, TrollSaveLoad


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
