"""Type variables in saveable classes: a bound tells what there is to save."""

from __future__ import annotations

from typing import Generic, TypeVar

from savegen import Saved, saveable

from _savegen.components.game import BoxSaveLoad, ChestSaveLoad, ItemSaveLoad

T = TypeVar("T", bound="Item")


@saveable
class Item(ItemSaveLoad):
    weight: Saved[float] = 0.0


@saveable
class Box(BoxSaveLoad, Generic[T]):
    held: Saved[T | None] = None
    more: Saved[list[T]]


@saveable
class Chest(ChestSaveLoad, Box[Item]):
    locked: Saved[bool] = False
