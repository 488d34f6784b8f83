"""Where the player looks. It follows by itself, so nothing of it is saved."""

from __future__ import annotations

import random

import pygame

from sample_game.screen.painter import CANVAS, UNIT
from sample_game.shapes import Vec2

AHEAD = 2.5  # units that it looks in front of the player
ABOVE = 1.0
CALM = 3.0  # units up or down, as in a jump, that it hardly follows
FAR = 14.0  # units: a place that is farther away is not followed, but shown at once


class Camera:
    """Follows a place softly, inside of a level."""

    def __init__(self) -> None:
        self._view = pygame.FRect(0, 0, CANVAS.width / UNIT, CANVAS.height / UNIT)
        self._ahead = 0.0
        self._shaking = 0
        self._rng = random.Random(1)  # not the one of the world, which is saved

    def shake(self, frames: int) -> None:
        self._shaking = max(self._shaking, frames)

    def follow(self, place: Vec2, facing: int, bounds: pygame.FRect) -> None:
        """Come nearer to a place, and look in front of who is there."""
        self._shaking = max(0, self._shaking - 1)
        self._ahead += (facing * AHEAD - self._ahead) * 0.04
        x, y = self._view.center
        way = place + Vec2(self._ahead, -ABOVE) - Vec2(x, y)
        rise = 0.03 if abs(way.y) < CALM else 0.12
        soft = Vec2(way.x * 0.16, way.y * rise) if way.length < FAR else way
        self._view.center = x + soft.x, y + soft.y
        self._view.clamp_ip(bounds)

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel of the world at the top left of the canvas."""
        reach = min(4.0, self._shaking / 4)
        x, y = (self._rng.uniform(-reach, reach) for _ in "xy")
        return round(self._view.left * UNIT + x), round(self._view.top * UNIT + y)
