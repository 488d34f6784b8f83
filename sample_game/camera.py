"""Where the camera may look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from savegen import Save, Saved, saveable

from sample_game._savegen.components.camera import CameraAreaSaveLoad
from sample_game.shapes import Box, Vec2

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player


@saveable
class CameraArea(CameraAreaSaveLoad):
    """A part of the level that the camera does not leave while it follows its target.

    A field marked `Saved[...]` is saved, and shown to level authors under its own name.
    `Save(...)` says more: another name, a limit, or that it is none of their business.
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
        """Look at the target, as far as the area allows, and return where that is."""
        goal = self.centre if self.target is None else self.target.position
        self.trail.append(self.box.nearest(goal))
        return self.trail[-1]

    def shake(self) -> None:
        self.shaken = True
