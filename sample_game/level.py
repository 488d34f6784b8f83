"""The levels of the game, drawn in an image editor. Each has a folder in `levels/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from savegen.levels import Level
from savegen.runtime import GameObject

from sample_game.physics import Area, Ground, Matter, Tile
from sample_game.shapes import Vec2

FOLDER = Path(__file__).parent / "levels"


def settle_all(level: Level) -> None:
    """Move each component to the place where it is drawn."""
    for thing in level.objects:
        for component in thing.components:
            settle(component, place_of(thing))


def place_of(thing: GameObject) -> Vec2:
    x, y, _ = thing.transform.position
    return Vec2(x, y)


def settle(component: Any, place: Vec2) -> None:
    if hasattr(component, "centre"):
        component.centre = place
    if hasattr(component, "home"):
        component.home = place
    if hasattr(component, "position"):
        component.position = place


def ground_of(level: Level) -> Ground:
    """Return the rectangles of a level."""
    sides = [Area(0, 0, 0, 0)]
    for layer, cells in zip(level.layers, level.cell_to_rectangle, strict=True):
        height, width = cells.shape
        sides.append(Area(0, 0, width, height).moved(*layer.position[:2]))
    lefts, tops, rights, bottoms = zip(*sides, strict=True)
    bounds = Area(min(lefts), min(tops), max(rights), max(bottoms))
    return Ground(_tiles(level), bounds)


def _tiles(level: Level) -> Iterator[Tile]:
    for layer, rectangles in zip(level.layers, level.rectangles, strict=True):
        if layer.position[2] == 0:
            for left, top, width, height, _ in rectangles.tolist():
                area = Area(left, top, left + width, top + height)
                yield Tile(area.moved(*layer.position[:2]), Matter.ROCK)
