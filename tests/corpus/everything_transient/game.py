"""With `transient=True` all is transient that is not marked, in the class and what it inherits."""

from savegen import Saved, saveable

from _savegen.components.game import BellSaveLoad, DoorSaveLoad, GateSaveLoad


class Thing:
    def __init__(self) -> None:
        self.age = 0


@saveable(transient=True, subclasses=True)
class Door(DoorSaveLoad, Thing):
    is_open: Saved[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.creaks = 0
        self.hinges: list[int] = []


class Hatch(Door):
    def __init__(self) -> None:
        self.ladder = 3


@saveable(was="Flap")
class Shutter(Door):
    def __init__(self) -> None:
        self.slats = 3


@saveable(transient=False)
class Gate(GateSaveLoad, Door):
    def __init__(self) -> None:
        super().__init__()
        self.guards = 0


@saveable(transient=False)
class Bell(BellSaveLoad, Thing):
    def __init__(self) -> None:
        super().__init__()
        self.tone = 0
