"""The levels of the game, drawn in an image editor. Each has a folder in `levels/`."""

from __future__ import annotations

from pathlib import Path

from savegen.levels import Level

from sample_game._savegen.types import PrefabType
from sample_game.physics import Area, Ground, Matter, Tile

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


def ground_of(level: Level) -> Ground:
    """Return the ground of a level: only layers that are neither behind nor in front are solid."""
    sides = []
    for layer, cells in zip(level.layers, level.cell_to_rectangle, strict=True):
        height, width = cells.shape
        sides.append(Area(0, 0, width, height).moved(*layer.position[:2]))
    lefts, tops, rights, bottoms = zip(*sides, strict=True)
    bounds = Area(min(lefts), min(tops), max(rights), max(bottoms))
    tiles = (
        Tile(Area.at(each.left, each.top, *each.size), MATTER[each.prefab])
        for each in level.static
        if each.layer.position[2] == 0
    )
    return Ground(tiles, bounds)
