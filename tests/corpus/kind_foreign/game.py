"""Types of other libraries: known by a preset, or by a codec of the game's."""

import pygame
from arcade.types import Color
from pyglet.math import Vec2

from engine import Hex
from savegen import Saved, saveable

from _savegen.components.game import UnitSaveLoad


@saveable
class Unit(UnitSaveLoad):
    position: Saved[pygame.Vector2]
    box: Saved[pygame.FRect | None] = None
    tint: Saved[pygame.Color]
    path: Saved[list[pygame.math.Vector2]]
    speed: Saved[Vec2] = Vec2(0, 0)
    glow: Saved[Color] = Color(1, 2, 3, 4)
    home: Saved[Hex]
    explored: Saved[set[Hex]]
