"""Variants, parts under other names, and a class that is a prefab itself."""

from __future__ import annotations

from typing import Annotated

from _savegen.components.game import BodySaveLoad, CoinSaveLoad, GunSaveLoad
from savegen import Save, Saved, part, prefab, saveable


@saveable
class Body(BodySaveLoad):
    hp: Saved[int] = 10


@saveable(transient=("owner",))
class Gun(GunSaveLoad):
    ammo: Saved[int] = 3
    heat: Annotated[float, Save(editor=False)] = 0.0

    def __init__(self, owner: Body | None = None, ammo: int = 3) -> None:
        self.owner = owner
        self.ammo = ammo


@prefab
class Tank:
    """Rolls.

    And shoots.
    """

    body = part(Body)
    left = part(Gun, body.component).show(ammo="left_ammo", heat="left_heat")
    right = part(Gun, body.component, ammo=4).show(ammo="right_ammo")


@prefab(max_count=1)
class BigTank(Tank):
    left = part(Gun, ammo=9).show(ammo=None)
    top = part(Gun).was("tower")


@saveable(prefab=True)
class Coin(CoinSaveLoad):
    """Worth something."""

    worth: Saved[int] = 1


class Cave:
    @prefab
    class Rock:
        body = part(Body)


@prefab
class Nothing:
    """Has no parts."""
