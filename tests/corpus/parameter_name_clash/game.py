from savegen import Saved, part, prefab, saveable

from _savegen.components.game import GunSaveLoad


@saveable
class Gun(GunSaveLoad):
    ammo: Saved[int] = 6


@prefab
class Tank:
    left = part(Gun)
    right = part(Gun)


@prefab
class BigTank(Tank):  # what it inherits is told where it is written
    pass


class Turret:
    ammo = part(Gun)


@prefab
class Fortress(Turret):
    second = part(Gun).show(ammo="more")


@prefab
class Keep(Fortress):
    second = part(Gun)
