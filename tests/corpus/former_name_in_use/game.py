"""What a field or a class says that it was must be gone."""

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import MageSaveLoad, OrcSaveLoad, UrukSaveLoad


@saveable
class Mage(MageSaveLoad):
    hp: Saved[int] = 0
    magic: Annotated[int, Save(was="hp")] = 0
    mana: Annotated[int, Save(was="never_there")] = 0
    zoom: Annotated[float, Save("scale", was="size")] = 1.0
    width: Annotated[float, Save("size")] = 1.0
    _mood: Annotated[str, Save(was="mood")] = ""


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 0


@saveable(was="Orc")
class Uruk(UrukSaveLoad):
    hp: Saved[int] = 0
