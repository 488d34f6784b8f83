"""Platforms that move or break."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Annotated, Literal

from pygame.sprite import Sprite

from savegen import Activation, Save, on_activate, saveable

from sample_game._savegen.components.platforms import (
    CrumblingPlatformSaveLoad,
    MovingPlatformSaveLoad,
)
from sample_game.physics import SECONDS, SKIN, Area
from sample_game.shapes import Vec2

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player
    from sample_game.world import World

NEAR = 4.0  # units: who is farther away is out of reach


@saveable
class MovingPlatform(MovingPlatformSaveLoad, Sprite):
    """A platform that moves along a path and carries its riders."""

    SIZE = Vec2(2, 0.5)

    def __init__(self, *path: Vec2, speed: float = 1.0) -> None:
        super().__init__()
        self.path: Annotated[tuple[Vec2, ...], Save()] = path
        self.speed: Annotated[float, Save(gt=0, lt=20)] = speed
        self.position: Annotated[Vec2, Save(editor=False)] = path[0]
        self.home: Annotated[Vec2, Save(editor=False)] = Vec2()  # the path begins there
        self.goal: Annotated[int, Save("starts_towards", ge=0)] = 0
        self.riders: Annotated[list[Player | Enemy], Save(editor=False)] = []

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason in (Activation.PLACED, Activation.SPAWNED):
            self.home = self.position
            self.position = self.home + self.path[0]

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    @property
    def is_solid(self) -> bool:
        return True

    def holds(self, other: Area) -> bool:
        """Return whether something stands on the platform."""
        area = self.area
        return (
            self.is_solid
            and abs(other.bottom - area.top) < 2 * SKIN
            and area.left + SKIN < other.right
            and other.left + SKIN < area.right
        )

    def update(self, world: World) -> None:
        """Move along the path; take along the riders, and push who is in the way."""
        near = [each for each in world.walkers() if self._is_near(each.position)]
        self._look_for_riders(near)
        before, goal = self.position, self.home + self.path[self.goal]
        self.position = before.towards(goal, self.speed * SECONDS)
        if self.position == goal:
            self.goal = (self.goal + 1) % len(self.path)
        by = self.position - before
        for other in near:
            if other in self.riders:
                world.move(other, by)
            elif self.is_solid and self.area.meets(other.area):
                world.move(other, self._way_out(other.area, by))

    def _is_near(self, place: Vec2) -> bool:
        x, y = place.x - self.position.x, place.y - self.position.y
        return -NEAR < x < NEAR and -NEAR < y < NEAR

    def _look_for_riders(self, near: list[Player | Enemy]) -> None:
        riders = [
            each for each in near if each.velocity.y >= 0 and self.holds(each.area)
        ]
        if riders != self.riders:
            before, self.riders = self.riders, riders
            for rider in riders:
                if rider not in before:
                    self.board(rider)

    def _way_out(self, other: Area, by: Vec2) -> Vec2:
        """Return how far something must be pushed in the direction of the movement."""
        area = self.area
        x = area.right - other.left if by.x > 0 else area.left - other.right
        y = area.bottom - other.top if by.y > 0 else area.top - other.bottom
        return Vec2(x if by.x else 0.0, y if by.y and not by.x else 0.0)

    def board(self, rider: Player | Enemy) -> None:
        """Do what happens when somebody steps on the platform."""


@saveable
class CrumblingPlatform(CrumblingPlatformSaveLoad, MovingPlatform):
    """A platform that cracks at each step and finally breaks. After a while there is a new one."""

    LASTS = 40  # frames under somebody's feet, from one crack to the next
    GONE = 240

    state: Annotated[Literal["whole", "cracked", "gone"], Save(editor=False)] = "whole"
    cracks: Annotated[array[float], Save(editor=False)]
    wait: Annotated[int, Save(editor=False)] = 0

    def __init__(self, *path: Vec2, speed: float = 1.0) -> None:
        super().__init__(*path, speed=speed)
        self.cracks = array("d")

    @property
    def is_solid(self) -> bool:
        return self.state != "gone"

    def update(self, world: World) -> None:
        super().update(world)
        self.wait = max(0, self.wait - 1)
        if self.state == "gone" and not self.wait:
            self.state, self.cracks = "whole", array("d")
        elif self.riders and not self.wait:
            self._crack(self.riders[0])
            if self.state == "gone":
                world.tell("crack", self.position)

    def board(self, rider: Player | Enemy) -> None:
        self._crack(rider)

    def _crack(self, rider: Player | Enemy) -> None:
        self.cracks.append(rider.position.x - self.position.x)
        self.state = "cracked" if len(self.cracks) < 3 else "gone"
        self.wait = self.LASTS if self.state == "cracked" else self.GONE
