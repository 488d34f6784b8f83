"""Platforms that move or break."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Annotated, Literal

from pygame.sprite import Sprite

from savegen import Save, Saved, saveable

from sample_game._savegen.components.platforms import (
    CrumblingPlatformSaveLoad,
    MovingPlatformSaveLoad,
)
from sample_game.physics import SKIN, Area
from sample_game.shapes import Vec2

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player


@saveable
class MovingPlatform(MovingPlatformSaveLoad, Sprite):
    """A platform that moves along a path and carries its riders."""

    SIZE = Vec2(2, 0.5)

    def __init__(self, *path: Vec2, speed: float = 1.0) -> None:
        super().__init__()
        self.path: Annotated[tuple[Vec2, ...], Save()] = path
        self.speed: Annotated[float, Save(gt=0, lt=20)] = speed
        self.position: Annotated[Vec2, Save(editor=False)] = path[0]
        self.goal: Annotated[int, Save("starts_towards", ge=0)] = 0
        self.riders: Annotated[list[Player | Enemy], Save(editor=False)] = []

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    def holds(self, other: Area) -> bool:
        """Return whether something stands on the platform."""
        area = self.area
        return (
            abs(other.bottom - area.top) < 2 * SKIN
            and area.left < other.right
            and other.left < area.right
        )

    def board(self, rider: Player | Enemy) -> None:
        self.riders.append(rider)

    def leave(self, rider: Player | Enemy) -> None:
        self.riders.remove(rider)

    def update(self, seconds: float) -> None:
        """Move along the path, and move the riders by the same distance."""
        before = self.position
        self.position = before.towards(self.path[self.goal], self.speed * seconds)
        for rider in self.riders:
            rider.position += self.position - before
        if self.position == self.path[self.goal]:
            self.goal = (self.goal + 1) % len(self.path)


@saveable
class CrumblingPlatform(CrumblingPlatformSaveLoad, MovingPlatform):
    """A platform that cracks a little at each step and finally breaks."""

    state: Annotated[Literal["whole", "cracked", "gone"], Save(editor=False)] = "whole"
    cracks: Annotated[array[float], Save(editor=False)]

    def __init__(self, *path: Vec2, speed: float = 1.0) -> None:
        super().__init__(*path, speed=speed)
        self.cracks = array("d")

    def board(self, rider: Player | Enemy) -> None:
        super().board(rider)
        self.cracks.append(rider.position.x - self.position.x)
        self.state = "cracked" if len(self.cracks) < 3 else "gone"
