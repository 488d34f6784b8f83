"""The layout of a level: its layers, with the place and the id of each tile and sprite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from savegen.levels.description import Description, Entry
from savegen.levels.images import Picture


class PlacedObject(NamedTuple):
    """One tile or sprite of a layer."""

    id: str  # its placement id: the `$id` of its entry, or its layer and place
    entry: Entry
    x: int  # of a tile: its left side in units; of a sprite: its pixel in the image
    y: int
    width: int = 1  # of a tile, in units
    height: int = 1


@dataclass(frozen=True)
class LayerLayout:
    """One layer with its tiles and sprites."""

    name: str
    position: tuple[float, float, float]
    size: tuple[int, int]  # in units; (0, 0) without geometry
    pixels_per_unit: int  # of the sprites' image; 1 if there is none
    tiles: tuple[PlacedObject, ...]  # the rectangles of the geometry
    sprites: tuple[PlacedObject, ...]  # row by row
    geometry: Picture | None
    visual: Picture | None
    visual_pixels_per_unit: int = 1


@dataclass(frozen=True)
class LevelLayout:
    """A whole level: its layers in their order."""

    name: str
    layers: tuple[LayerLayout, ...]
    description: Description  # former names of prefabs and parameters are replaced
    static: frozenset[str] = frozenset()  # the `$type`s that place no objects
