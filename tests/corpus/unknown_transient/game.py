"""A name in `transient` that nothing has, or that is saved after all."""

from savegen import Saved, saveable

from _savegen.components.game import DoorSaveLoad, OrcSaveLoad


@saveable(transient=("sprit", "sound"))
class Orc(OrcSaveLoad):
    hp: Saved[int] = 7

    def __init__(self):
        self.sprite = object()
        self.sound = object()


@saveable(transient="open")
class Door(DoorSaveLoad):
    open: Saved[bool] = False
