"""The visible part of the world. The world is measured in units, the screen in pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

import pygame

from sample_game.shapes import Vec2

SIZE = 1120, 560
UNIT = 32  # pixels


class View(NamedTuple):
    """A view of the world; `corner` is the point at the top left of the screen."""

    corner: Vec2

    @classmethod
    def of(cls, middle: Vec2, bounds: pygame.FRect | None = None) -> View:
        """Return a view centred on a place; it stays inside `bounds` if the place does."""
        area = pygame.FRect(0, 0, SIZE[0] / UNIT, SIZE[1] / UNIT)
        area.center = middle.x, middle.y
        if bounds is not None:
            area.clamp_ip(bounds.union(pygame.FRect(middle.x - 1, middle.y - 1, 2, 2)))
        # Whole pixels, so that objects do not tremble against each other.
        return cls(Vec2(round(area.left * UNIT) / UNIT, round(area.top * UNIT) / UNIT))

    @property
    def cells(self) -> pygame.Rect:
        """The visible area in whole units."""
        left, top = math.floor(self.corner.x), math.floor(self.corner.y)
        return pygame.Rect(left, top, SIZE[0] // UNIT + 2, SIZE[1] // UNIT + 2)

    def pixel(self, place: Vec2) -> tuple[float, float]:
        """Return the pixel of a place."""
        there = (place - self.corner) * UNIT
        return there.x, there.y

    def box(self, middle: Vec2, width: float, height: float) -> pygame.FRect:
        """Return the rectangle, in pixels, of an object with a size in units."""
        box = pygame.FRect(0, 0, width * UNIT, height * UNIT)
        box.center = self.pixel(middle)
        return box
