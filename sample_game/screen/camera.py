"""Where the player looks. It follows by itself, so nothing of it is saved."""

from __future__ import annotations

import random

import pygame

from sample_game.shapes import Vec2
from sample_game.screen.painter import CANVAS, UNIT

WIDE, HIGH = CANVAS.width / UNIT, CANVAS.height / UNIT
AHEAD = 2.5  # units that it looks in front of the player
JUMP = 14.0  # units: a farther player is not followed, but shown at once


class Camera:
    """Follows a place softly, inside of a level."""

    def __init__(self) -> None:
        self._centre: Vec2 | None = None
        self._ahead = 0.0
        self._shaking = 0
        self.rng = random.Random(1)

    def shake(self, frames: int) -> None:
        self._shaking = max(self._shaking, frames)

    def follow(self, place: Vec2, facing: int, bounds: pygame.FRect) -> None:
        self._ahead += (facing * AHEAD - self._ahead) * 0.04
        goal = place + Vec2(self._ahead, -1)
        before = self._centre
        if before is None or (place - before).length > JUMP:
            self._ahead = facing * AHEAD
            self._centre = goal = place + Vec2(self._ahead, -1)
            before = goal
        way = goal - before
        self._centre = before + Vec2(way.x * 0.16, way.y * 0.12)
        self._centre = Vec2(
            _inside(self._centre.x, WIDE / 2, bounds.left, bounds.right),
            _inside(self._centre.y, HIGH / 2, bounds.top, bounds.bottom),
        )
        self._shaking = max(0, self._shaking - 1)

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel of the world at the top left of the canvas."""
        centre = self._centre or Vec2()
        x, y = centre.x * UNIT - CANVAS.width / 2, centre.y * UNIT - CANVAS.height / 2
        if self._shaking:
            reach = min(4.0, self._shaking / 4)
            x += self.rng.uniform(-reach, reach)
            y += self.rng.uniform(-reach, reach)
        return round(x), round(y)


def _inside(value: float, half: float, low: float, high: float) -> float:
    """Return the value, moved so that `half` on both sides of it is inside, if there is room."""
    if high - low <= 2 * half:
        return (low + high) / 2
    return min(max(value, low + half), high - half)
