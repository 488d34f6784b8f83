"""Which part of the world is on the screen: the world is in units, the screen in pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

import pygame

from sample_game.shapes import Vec2

SIZE = 1120, 560
UNIT = 32  # pixels


class View(NamedTuple):
    """Where the top left of the screen is in the world."""

    corner: Vec2

    @classmethod
    def of(cls, middle: Vec2, bounds: pygame.FRect | None = None) -> View:
        """Return a view of a place: nothing outside of `bounds`, as long as the place is inside."""
        area = pygame.FRect(0, 0, SIZE[0] / UNIT, SIZE[1] / UNIT)
        area.center = middle.x, middle.y
        if bounds is not None:
            area.clamp_ip(bounds.union(pygame.FRect(middle.x - 1, middle.y - 1, 2, 2)))
        # On whole pixels, so that nothing trembles against the rest.
        return cls(Vec2(round(area.left * UNIT) / UNIT, round(area.top * UNIT) / UNIT))

    @property
    def cells(self) -> pygame.Rect:
        """The units that are seen, in whole ones."""
        left, top = math.floor(self.corner.x), math.floor(self.corner.y)
        return pygame.Rect(left, top, SIZE[0] // UNIT + 2, SIZE[1] // UNIT + 2)

    def pixel(self, place: Vec2) -> tuple[float, float]:
        """Return where on the screen a place is."""
        there = (place - self.corner) * UNIT
        return there.x, there.y

    def box(self, middle: Vec2, width: float, height: float) -> pygame.FRect:
        """Return what a thing of a size in units covers of the screen."""
        box = pygame.FRect(0, 0, width * UNIT, height * UNIT)
        box.center = self.pixel(middle)
        return box
