"""Platforms that move or break."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Annotated, Literal

from pygame.sprite import Sprite

from savegen import Activation, Save, Saved, on_activate, saveable

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
        before = self.position
        self._look_for_riders(world)
        goal = self.home + self.path[self.goal]
        self.position = before.towards(goal, self.speed * SECONDS)
        if self.position == goal:
            self.goal = (self.goal + 1) % len(self.path)
        by = self.position - before
        for rider in self.riders:
            world.move(rider, by)
        for other in world.walkers():
            if other not in self.riders and self.is_solid:
                if self.area.meets(other.area):
                    world.move(other, self._way_out(other.area, by))

    def _look_for_riders(self, world: World) -> None:
        for walker in world.walkers():
            rides = walker.velocity.y >= 0 and self.holds(walker.area)
            if rides and walker not in self.riders:
                self.board(walker)
            elif not rides and walker in self.riders:
                self.leave(walker)
        if any(not rider.alive() for rider in self.riders):
            self.riders = [rider for rider in self.riders if rider.alive()]

    def _way_out(self, other: Area, by: Vec2) -> Vec2:
        """Return how far something must be pushed in the direction of the movement."""
        area = self.area
        x = area.right - other.left if by.x > 0 else area.left - other.right
        y = area.bottom - other.top if by.y > 0 else area.top - other.bottom
        return Vec2(x if by.x else 0.0, y if by.y and not by.x else 0.0)

    def board(self, rider: Player | Enemy) -> None:
        self.riders.append(rider)

    def leave(self, rider: Player | Enemy) -> None:
        self.riders.remove(rider)


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
                world.tell("crumble", self.position)

    def board(self, rider: Player | Enemy) -> None:
        super().board(rider)
        self._crack(rider)

    def _crack(self, rider: Player | Enemy) -> None:
        self.cracks.append(rider.position.x - self.position.x)
        self.state = "cracked" if len(self.cracks) < 3 else "gone"
        self.wait = self.LASTS if self.state == "cracked" else self.GONE
