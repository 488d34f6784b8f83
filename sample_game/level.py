"""The levels of the game, drawn in an image editor. Each has a folder in `levels/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from savegen.levels import Level
from savegen.runtime import SaveLoadManager

from sample_game._savegen.types import PrefabType
from sample_game.physics import Area, Ground, Matter, Tile
from sample_game.shapes import Vec2

FOLDER = Path(__file__).parent / "levels"
LEVELS = ("cellar", "cavern", "mountain")  # in the order of the story
MATTER: dict[int | None, Matter] = {
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
                matter = MATTER.get(manager.record_of(tile).prefab, Matter.ROCK)
                (x, y, _), (width, height, _) = (
                    tile.transform.position,
                    tile.transform.scale,
                )
                area = Area.around(Vec2(x, y), Vec2(width, height))
                yield Tile(area, matter)
