from __future__ import annotations

from typing import TYPE_CHECKING

from savegen import Saved, saveable

from _savegen.components.world import WorldSaveLoad

if TYPE_CHECKING:
    from game import Player


@saveable
class World(WorldSaveLoad):
    players: Saved[list[Player]]
