"""Fields of plain classes are renamed: with `was` they keep their numbers, without it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict

from savegen import Save, Saved, saveable

from _savegen.components.game import ChestSaveLoad


@dataclass
class Loot:
    coins: Annotated[int, Save(was="gold")]
    note: str = ""


class Place(NamedTuple):
    left: float
    y: float


class Label(TypedDict):
    words: Annotated[str, Save(was=("text", "title"))]


@saveable
class Chest(ChestSaveLoad):
    loot: Saved[Loot]
    place: Saved[Place] = Place(0.0, 0.0)
    label: Saved[Label | None] = None
