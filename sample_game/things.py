"""What all things of a level have in common: a place, a size, and what happens at a touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sample_game.physics import Area
from sample_game.shapes import Vec2

if TYPE_CHECKING:
    from sample_game.player import Player
    from sample_game.world import World


class Thing:
    """Something at a place. It has no state, so savegen need not know the class."""

    __slots__ = ()
    SIZE: ClassVar[Vec2]
    position: Vec2

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    def touch(self, player: Player, world: World) -> None:
        """Do what happens while the player is here."""

    def use(self, player: Player, world: World) -> None:
        """Do what happens when the player, who is here, presses UP."""


def standing(place: Vec2, size: Vec2) -> Vec2:
    """Return where a thing of a size stands that is drawn in the cell above the floor."""
    return Vec2(place.x, place.y // 1 + 1 - size.y / 2)
