"""Modules that import each other for type checkers only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typing

from savegen import Saved, saveable

from _savegen.components.game import PlayerSaveLoad

if TYPE_CHECKING:
    from collections import deque

    from shapes import Vec2 as Point
    from world import World

if typing.TYPE_CHECKING:
    import world as w
else:
    w = None


@saveable
class Player(PlayerSaveLoad):
    world: Saved[World | None] = None
    other: Saved[w.World | None] = None
    at: Saved[Point | None] = None
    trail: Saved[deque[Point]]
