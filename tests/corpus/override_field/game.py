"""What a class saves itself needs a class that does so."""

from typing import Annotated

from savegen import Saved, SaveOverride, saveable

from _savegen.components.game import GunSaveLoad, HeavyGunSaveLoad, SwordSaveLoad


@saveable
class Sword(SwordSaveLoad):
    edge: Annotated[int, SaveOverride()] = 0
    bare: Annotated[int, SaveOverride] = 0
    hilt: Saved[int] = 0


@saveable(override=True)
class Gun(GunSaveLoad):
    ammo: Annotated[list[int], SaveOverride()]

    def save_data(self, references=None):
        return self.save_data_(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)


@saveable
class HeavyGun(HeavyGunSaveLoad, Gun):
    # A subclass of an override class is one, too.
    heat: Annotated[float, SaveOverride()] = 0.0
