"""Relative imports, and a module of the same name elsewhere."""

from __future__ import annotations

from savegen import Saved, saveable

from .. import Game
from ..generated.components.foes.orc import OrcSaveLoad
from ..shapes import Vec2
from . import weapons


@saveable
class Orc(OrcSaveLoad):
    game: Saved[Game | None] = None
    at: Saved[Vec2] = Vec2()
    axe: Saved[weapons.Axe | None] = None
