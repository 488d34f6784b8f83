"""The bases."""

from __future__ import annotations

from savegen import Saved, saveable

from _savegen.components.monsters import MonsterSaveLoad


class Thing:
    """Not marked: its fields belong to all that inherit them."""

    name: Saved[str] = ""
    _rank: Saved[int] = 0


class Noisy:
    noise: Saved[float] = 0.0


@saveable
class Monster(MonsterSaveLoad, Thing):
    hp: Saved[int] = 7
    weapon: Saved[str] = "claw"
