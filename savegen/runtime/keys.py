"""Keys that stay valid while objects come and go."""

from __future__ import annotations

from typing import NamedTuple


class SlotKey(NamedTuple):
    """Names one object of a world: a slot, and how often it was filled before.

    >>> SlotKey(3, 1) == SlotKey(3, 2)
    False
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, on purpose
    generation: int  # 0 is the null key


class SaveLoadKey(NamedTuple):
    """Names one component: its object, and its number within the object.

    >>> SaveLoadKey(SlotKey(3, 1), 0).object.index
    3
    """

    object: SlotKey
    component: int
