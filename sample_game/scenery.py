"""The appearance of a level: the pictures of its layers, and boxes for tiles without a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import pygame

from savegen.levels import Level
from savegen.levels.level import Visual
from savegen.runtime import GameObject, SaveLoadManager

from sample_game.level import place_of, size_of
from sample_game.shapes import Vec2
from sample_game.view import UNIT, View


class Drawn(Protocol):
    """One layer of a level, ready to be drawn."""

    def draw(self, screen: pygame.Surface, view: View) -> None: ...


class Scenery:
    """The layers of a level, prepared once. The layer with the lowest z is drawn first."""

    def __init__(self, level: Level, manager: SaveLoadManager) -> None:
        self.level = level
        self.bounds = _bounds(level)
        self._layers: list[Drawn] = []
        parts = zip(
            *(level.layers, level.visuals, level.rectangles, level.tiles), strict=True
        )
        for layer, visual, rectangles, tiles in sorted(
            parts, key=lambda part: part[0].position[2]
        ):
            bare = [tiles[row] for row in _bare(rectangles.tolist(), visual)]
            if there := [tile for tile in bare if tile is not None]:
                self._layers.append(Boxes(there, manager))
            if visual is not None:
                x, y, _ = layer.position
                self._layers.append(Picture(visual, Vec2(x, y)))

    def draw(self, screen: pygame.Surface, view: View) -> None:
        for layer in self._layers:
            layer.draw(screen, view)


class Picture:
    """A picture of which only the visible part is scaled, to save memory."""

    def __init__(self, visual: Visual, shift: Vec2) -> None:
        pixels = visual.image
        size = pixels.shape[1], pixels.shape[0]
        surface = pygame.image.frombuffer(pixels.tobytes(), size, "RGBA")
        is_solid = pixels[..., 3].min(initial=255) == 255
        self._surface = surface.convert() if is_solid else surface.convert_alpha()
        self._corner = shift + Vec2(visual.left, visual.top)
        self._cells = pygame.Rect(0, 0, visual.width, visual.height)
        self._pixels_per_unit = visual.pixels_per_unit

    def draw(self, screen: pygame.Surface, view: View) -> None:
        seen = View(view.corner - self._corner).cells.clip(self._cells)
        if not seen:
            return
        scale = self._pixels_per_unit
        part = self._surface.subsurface([side * scale for side in seen])
        large = pygame.transform.scale(part, (seen.width * UNIT, seen.height * UNIT))
        screen.blit(large, view.pixel(self._corner + Vec2(*seen.topleft)))


class Boxes:
    """A grey box for each tile without a picture, while the tile is in the world."""

    def __init__(self, bare: Iterable[GameObject], manager: SaveLoadManager) -> None:
        self._manager = manager
        self._tiles = [(tile, place_of(tile), size_of(tile)) for tile in bare]

    def draw(self, screen: pygame.Surface, view: View) -> None:
        for tile, middle, size in self._tiles:
            box = view.box(middle, size.x, size.y)
            if box.colliderect(screen.get_rect()) and self._manager.key_of(tile):
                pygame.draw.rect(screen, "dimgray", box)


def _bare(rectangles: list[list[int]], visual: Visual | None) -> Iterator[int]:
    """Yield the tiles that the picture does not cover."""
    if visual is None:
        yield from range(len(rectangles))
        return
    side = visual.pixels_per_unit
    shape = visual.height, side, visual.width, side
    solid = visual.image[..., 3].reshape(shape).min(axis=(1, 3)) == 255
    for row, (left, top, width, height, _) in enumerate(rectangles):
        if not solid[top : top + height, left : left + width].all():
            yield row


def _bounds(level: Level) -> pygame.FRect:
    """Return the area that the layers cover, in units."""
    boxes = [
        pygame.FRect(*layer.position[:2], *cells.shape[::-1])
        for layer, cells in zip(level.layers, level.cell_to_rectangle, strict=True)
    ]
    return boxes[0].unionall(boxes[1:])
