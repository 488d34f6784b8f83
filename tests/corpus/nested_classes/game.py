"""Classes inside classes: each has a mixin of its own, and inherits no fields from without."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from savegen import Saved, saveable

from _savegen.components.game import CastleSaveLoad, CastleTowerRoomSaveLoad, CastleTowerSaveLoad


@saveable
class Castle(CastleSaveLoad):
    class State(Enum):
        WHOLE = 1
        RUINED = 2

    @dataclass
    class Wall:
        height: int = 0

    @saveable
    class Tower(CastleTowerSaveLoad):
        @saveable
        class Room(CastleTowerRoomSaveLoad):
            size: Saved[int] = 0

        height: Saved[int] = 0
        rooms: Saved[list[Room]]

    state: Saved[State] = State.WHOLE
    walls: Saved[list[Wall]]
    towers: Saved[list[Tower]]
    keep: Saved[Castle.Tower.Room | None] = None
