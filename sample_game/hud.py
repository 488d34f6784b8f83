"""The display at the edge of the screen. It is rebuilt from the game, so it is not saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sample_game.weapons import MissileType


class Hud:
    """The missiles that the player has left; the next one is first."""

    def __init__(self) -> None:
        self.ammo: list[MissileType] = []

    def clear_ammo(self) -> None:
        self.ammo.clear()

    def add_ammo(self, missile: MissileType) -> None:
        """Add a missile in front of the others."""
        self.ammo.insert(0, missile)


HUD = Hud()
