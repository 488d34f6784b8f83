from savegen import Saved, part, prefab, saveable

from _savegen.components.game import GunSaveLoad


@saveable
class Gun(GunSaveLoad):
    ammo: Saved[int] = 6


@prefab
class Tank:
    left = part(Gun)
    right = part(Gun)
