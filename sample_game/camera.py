"""The areas in which the camera may move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from savegen import Save, Saved, saveable

from sample_game._savegen.components.camera import CameraAreaSaveLoad
from sample_game.shapes import Box, Vec2

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player

SMOOTH = 8  # the camera goes an eighth of its way in each step


@saveable
class CameraArea(CameraAreaSaveLoad):
    """A part of the level in which the camera stays while it follows its target.

    A field marked `Saved[...]` is saved, and level authors can set it by its name. `Save(...)` has
    options: another name for level authors, a limit, or that they cannot set the field.
    """

    centre: Saved[Vec2] = Vec2()
    bounds: Saved[Vec2] = Vec2(40, 30)
    zoom: Annotated[float, Save("zoom_level", ge=0.1, le=8)] = 1.0
    shaken: Annotated[bool, Save(editor=False)] = False
    # Saveable objects are saved as references: a load finds the same player again.
    target: Saved[Player | Enemy | None] = None
    trail: Saved[list[Vec2]]

    def __init__(self, centre: Vec2 = Vec2()) -> None:
        self.centre = centre
        self.trail = []

    @property
    def box(self) -> Box:
        return Box(self.centre - self.bounds * 0.5, self.centre + self.bounds * 0.5)

    def follow(self) -> Vec2:
        """Look at the target, within the area, and return the point that the camera looks at."""
        goal = self.box.nearest(
            self.centre if self.target is None else self.target.position
        )
        last = self.trail[-1] if self.trail else goal
        if self.shaken:
            last, self.shaken = last - Vec2(0, 0.5), False
        self.trail = [*self.trail[-3:], last + (goal - last) * (1 / SMOOTH)]
        return self.trail[-1]

    def shake(self) -> None:
        self.shaken = True
