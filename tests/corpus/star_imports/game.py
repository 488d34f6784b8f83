"""Names that came with a star."""

from __future__ import annotations

from shapes import *
from savegen import *

from _savegen.components.game import KiteSaveLoad


@saveable
class Kite(KiteSaveLoad):
    at: Saved[Vec2] = Vec2()
    tail: Saved[list[Vec2]]
    wind: Saved[Wind] = Wind.NORTH
