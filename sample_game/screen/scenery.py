"""What stands still: the far background, and a level, cut into squares that are prepared when first seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pygame

from savegen.levels import Level
from savegen.levels.level import Visual

from sample_game.screen.painter import ART, CANVAS, UNIT

SIDE = 16  # units of a square
SQUARE = SIDE * UNIT
KEPT = 160  # squares of a layer: as many as ten screens
SKY = ("mountain",)  # the levels under the sky


class Backdrop:
    """Two pictures that scroll more slowly than the level."""

    def __init__(self, name: str) -> None:
        self._far = pygame.image.load(ART / f"{name}-far.png").convert()
        self._near = pygame.image.load(ART / f"{name}-near.png").convert_alpha()

    def draw(self, canvas: pygame.Surface, left: int) -> None:
        for picture, slower in (self._far, 8), (self._near, 3):
            width = picture.get_width()
            for x in range(-(left // slower) % -width, CANVAS.width, width):
                canvas.blit(picture, (x, 0))


class Scenery:
    """The layers of a level, from the farthest to the nearest."""

    def __init__(self, level: Level) -> None:
        self.level = level
        parts = (level.visuals, level.cell_to_rectangle, level.rectangles)
        self._layers = [
            Layer(layer.position, visual, cells, rectangles[:, 4])
            for layer, visual, cells, rectangles in zip(
                level.layers, *parts, strict=True
            )
        ]
        self._layers.sort(key=lambda layer: layer.z)
        boxes = [layer.bounds for layer in self._layers]
        self.bounds = boxes[0].unionall(boxes[1:])

    def draw(self, canvas: pygame.Surface, left: int, top: int) -> None:
        for layer in self._layers:
            layer.draw(canvas, left, top)


class Layer:
    """A layer. Ground that its picture does not show is drawn as boxes."""

    def __init__(
        self,
        place: tuple[float, float, float],
        visual: Visual | None,
        cells: npt.NDArray[np.int32],
        colours: npt.NDArray[np.int64],
    ) -> None:
        x, y, self.z = place
        height, width = cells.shape
        self.bounds = pygame.FRect(x, y, width, height)
        self._slower = max(1.0, -self.z)  # layers behind -1 are far away
        # One more colour, for the cells without a rectangle: they have the number -1.
        self._boxes = np.append(colours, 0)[cells]
        self._visual = visual
        if visual is not None:
            side = visual.pixels_per_unit
            alpha = visual.image[..., 3].reshape(height, side, width, side)
            self._boxes[alpha.any(axis=(1, 3))] = 0
        self._squares: dict[tuple[int, int], pygame.Surface | None] = {}

    def draw(self, canvas: pygame.Surface, left: int, top: int) -> None:
        left = round(left / self._slower - self.bounds.left * UNIT)
        top = round(top / self._slower - self.bounds.top * UNIT)
        for row in range(top // SQUARE, (top + CANVAS.height - 1) // SQUARE + 1):
            for column in range(
                left // SQUARE, (left + CANVAS.width - 1) // SQUARE + 1
            ):
                square = self._square(column, row)
                if square is not None:
                    canvas.blit(square, (column * SQUARE - left, row * SQUARE - top))

    def _square(self, column: int, row: int) -> pygame.Surface | None:
        """Return a square; `None` if nothing is there."""
        key = column, row
        if key not in self._squares:
            if len(self._squares) >= KEPT:
                self._squares.clear()
            self._squares[key] = self._make(column * SIDE, row * SIDE)
        return self._squares[key]

    def _make(self, left: int, top: int) -> pygame.Surface | None:
        if left < 0 or top < 0:
            return None
        square = pygame.Surface((SQUARE, SQUARE), pygame.SRCALPHA)
        boxes = self._boxes[top : top + SIDE, left : left + SIDE]
        shown = bool(boxes.any())
        for y, x in np.argwhere(boxes).tolist():
            value = int(boxes[y, x])
            colour = pygame.Color(value >> 24, value >> 16 & 255, value >> 8 & 255)
            box = pygame.Rect(x * UNIT, y * UNIT, UNIT, UNIT)
            square.fill(colour, box)
            pygame.draw.rect(square, colour.lerp("black", 0.4), box, 1)
        if self._visual is not None:
            scale = self._visual.pixels_per_unit
            x, y, wide = left * scale, top * scale, SIDE * scale
            pixels: npt.NDArray[Any] = self._visual.image[y : y + wide, x : x + wide]
            if pixels.any():
                shown, size = True, (pixels.shape[1], pixels.shape[0])
                part = pygame.image.frombuffer(pixels.tobytes(), size, "RGBA")
                square.blit(pygame.transform.scale_by(part, UNIT / scale), (0, 0))
                if pixels[..., 3].all() and size == (wide, wide):
                    return square.convert()
        return square if shown else None
