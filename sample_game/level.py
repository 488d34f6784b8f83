"""The levels of the game, drawn in an image editor. Each has a folder in `levels/`.

Level authors give paths relative to the place of the object; `enter` moves them there.
"""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path
from typing import Any

from savegen.levels import Level, load_level
from savegen.runtime import GameObject, SaveLoadManager

from sample_game._savegen.types import PrefabType
from sample_game.camera import CameraArea
from sample_game.enemies import Bat
from sample_game.platforms import MovingPlatform
from sample_game.shapes import Box, Vec2
from sample_game.spawners import Spawner

FOLDER = Path(__file__).parent / "levels"


def enter(manager: SaveLoadManager, name: str) -> Level:
    """Load a level, and move each component to the place where it is drawn.

    Raises `LevelError`; the world is then unchanged.
    """
    level = load_level(FOLDER / name, manager)
    for thing in level.objects:
        for component in thing.components:
            settle(component, place_of(thing))
    return level


def place_of(thing: GameObject) -> Vec2:
    x, y, _ = thing.transform.position
    return Vec2(x, y)


def settle(component: Any, place: Vec2) -> None:
    """Move a component to a place, together with the paths and areas that it holds."""
    match component:
        case MovingPlatform():
            component.path = tuple(place + point for point in component.path)
            component.position = component.path[0]
        case Bat():
            component.position = place
            component.rounds = deque(place + point for point in component.rounds)
            component.cave = Box(*(place + corner for corner in component.cave))
        case Spawner():
            component.places = [place + point for point in component.places]
        case CameraArea():
            component.centre = place
        case _ if hasattr(component, "position"):
            component.position = place


def size_of(thing: GameObject) -> Vec2:
    width, height, _ = thing.transform.scale
    return Vec2(width, height)


def furniture(manager: SaveLoadManager) -> Counter[str]:
    """Return the number of objects of each prefab."""
    records = map(manager.record_of, manager.find(GameObject))
    prefabs = (each.prefab for each in records if each.prefab is not None)
    return Counter(PrefabType(prefab).name for prefab in prefabs)
