"""The levels of the game, drawn in an image editor. Each has a folder in `levels/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from savegen.levels import Level
from savegen.runtime import GameObject, SaveLoadManager

from sample_game._savegen.types import PrefabType
from sample_game.physics import Area, Ground, Matter, Tile
from sample_game.shapes import Vec2

FOLDER = Path(__file__).parent / "levels"
LEVELS = ("cellar", "cavern", "mountain")  # in the order of the story
MATTER = {
    PrefabType.STONE: Matter.ROCK,
    PrefabType.LEDGE: Matter.LEDGE,
    PrefabType.LADDER: Matter.LADDER,
    PrefabType.SPIKES: Matter.SPIKES,
}


def folder_of(level: str | Path) -> Path:
    """Return the folder of a level: one of the game by its name, any other by its path."""
    own = FOLDER / level
    return own if own.parent == FOLDER and own.is_dir() else Path(level)


def name_of(folder: Path) -> str:
    """Return what `folder_of` finds again, also when the game has moved."""
    return folder.name if folder.parent == FOLDER else str(folder.absolute())


def settle_all(level: Level) -> None:
    """Move each component to the place where it is drawn."""
    for thing in level.objects:
        for component in thing.components:
            settle(component, place_of(thing))


def place_of(thing: GameObject) -> Vec2:
    x, y, _ = thing.transform.position
    return Vec2(x, y)


def settle(component: Any, place: Vec2) -> None:
    for name in "centre", "home", "position":
        if hasattr(component, name):
            setattr(component, name, place)


def ground_of(level: Level, manager: SaveLoadManager) -> Ground:
    """Return the rectangles of a level."""
    sides = []
    for layer, cells in zip(level.layers, level.cell_to_rectangle, strict=True):
        height, width = cells.shape
        sides.append(Area(0, 0, width, height).moved(*layer.position[:2]))
    lefts, tops, rights, bottoms = zip(*sides, strict=True)
    bounds = Area(min(lefts), min(tops), max(rights), max(bottoms))
    return Ground(_tiles(level, manager), bounds)


def _tiles(level: Level, manager: SaveLoadManager) -> Iterator[Tile]:
    """Yield the solid rectangles: those of the layers that are neither behind nor in front."""
    for layer, tiles in zip(level.layers, level.tiles, strict=True):
        if layer.position[2] == 0:
            for tile in filter(None, tiles):
                prefab = PrefabType(manager.record_of(tile).prefab)
                width, height, _ = tile.transform.scale
                area = Area.around(place_of(tile), Vec2(width, height))
                yield Tile(area, MATTER.get(prefab, Matter.ROCK))
