"""Identifiers in other alphabets are names like all others."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.größe import ÉtoileSaveLoad, НочьSaveLoad, 猫SaveLoad


class Farbe(Enum):
    GRÜN = 1
    ROT = 2


@saveable
class 猫(猫SaveLoad):
    größe: Saved[float] = 1.0
    名前: Annotated[str, Save("имя")] = ""
    ночь: Saved[Ночь | None] = None
    farbe: Saved[Farbe] = Farbe.GRÜN
    ﬁn: Saved[int] = 0


@saveable
class Étoile(ÉtoileSaveLoad):
    éclat: Saved[int] = 0
    非常に長い名前の属性である: Saved[list[list[int]]]
    非常に長い名前の属性でもある: Saved[dict[str, list[int]]]


@saveable
class Ночь(НочьSaveLoad):
    темно: Saved[bool] = True
