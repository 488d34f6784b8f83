"""A class that saves itself, around what is generated; and subclasses of it."""

from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, SaveOverride, saveable
from savegen.runtime import NO_REFERENCES, References, Row

from _savegen.components.game import GunSaveLoad, HeavySaveLoad, LightSaveLoad


@saveable(override=True)
class Gun(GunSaveLoad):
    ammo: Annotated[list[int], SaveOverride()]
    sound: Annotated[object, SaveOverride(editor=False)]
    ready: Saved[bool] = True
    owner: Saved[Gun | None] = None

    def __init__(self) -> None:
        self.ammo = []
        self.sound = None

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        data = self.save_data_(references)
        data[self.SaveLoadFields["AMMO"]] = [*self.ammo]
        return data

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        self.load_data_(data, references)
        self.ammo = [*data[self.SaveLoadFields["AMMO"]]]


@saveable
class Light(LightSaveLoad, Gun):
    """Inherits the methods: its mixin must not hide them."""

    weight: Saved[float] = 1.0


@saveable(override=True)
class Heavy(HeavySaveLoad, Gun):
    heat: Annotated[float, SaveOverride()] = 0.0
    mount: Annotated[str, Save("mounted_on")] = ""

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        data = super().save_data(references)
        data[self.SaveLoadFields["HEAT"]] = self.heat
        return data

    def load_data(self, data: Row, references: References = NO_REFERENCES) -> None:
        super().load_data(data, references)
        self.heat = data[self.SaveLoadFields["HEAT"]]
