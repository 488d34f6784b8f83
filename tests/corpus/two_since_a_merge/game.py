"""Two branches gave one name to two things, and nothing says which of them is left."""

from savegen import Saved, saveable

from _savegen.components.game import OrcSaveLoad, UrukSaveLoad


@saveable
class Orc(OrcSaveLoad):
    life: Saved[int] = 0


@saveable
class Uruk(UrukSaveLoad):
    hp: Saved[int] = 0
