"""Two branches gave one name to two things: `was` says which of them is left."""

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import OrcSaveLoad, UrukSaveLoad


@saveable
class Orc(OrcSaveLoad):
    life: Annotated[int, Save(was="hp")] = 0


@saveable(was="Ork")
class Uruk(UrukSaveLoad):
    hp: Saved[int] = 0
