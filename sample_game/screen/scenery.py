"""What stands still: the far background, and the pictures of a level, cut into squares that are prepared when seen."""

from __future__ import annotations

import pygame

from savegen.levels import Level
from savegen.levels.level import Visual

from sample_game.screen.painter import ART, CANVAS, UNIT

SIDE = 16  # units of a square
SQUARE = SIDE * UNIT
KEPT = 160  # squares: as many as six screens
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
        parts = zip(level.layers, level.visuals, level.rectangles, strict=True)
        layers = [Layer(*layer.position, *part) for layer, *part in parts]
        self._layers = sorted(layers, key=lambda layer: layer.z)
        boxes = [
            pygame.FRect(*layer.position[:2], *cells.shape[::-1])
            for layer, cells in zip(level.layers, level.cell_to_rectangle, strict=True)
        ]
        self.bounds = boxes[0].unionall(boxes[1:])

    def draw(self, canvas: pygame.Surface, left: int, top: int) -> None:
        for layer in self._layers:
            layer.draw(canvas, left, top)


class Layer:
    """A layer. Where it has no picture, its rectangles are drawn in their own colours."""

    def __init__(
        self, x: float, y: float, z: float, visual: Visual | None, rectangles: object
    ) -> None:
        self.z = z
        self._left, self._top = round(x * UNIT), round(y * UNIT)
        self._slower = -z if z < -1 else 1.0
        self._visual = visual
        self._boxes: list[list[int]] = [] if visual else rectangles.tolist()  # type: ignore[attr-defined]
        self._squares: dict[tuple[int, int], pygame.Surface | None] = {}

    def draw(self, canvas: pygame.Surface, left: int, top: int) -> None:
        left = round(left / self._slower) - self._left
        top = round(top / self._slower) - self._top
        for row in range(top // SQUARE, (top + CANVAS.height - 1) // SQUARE + 1):
            for column in range(
                left // SQUARE, (left + CANVAS.width - 1) // SQUARE + 1
            ):
                square = self._square(column, row)
                if square is not None:
                    canvas.blit(square, (column * SQUARE - left, row * SQUARE - top))

    def _square(self, column: int, row: int) -> pygame.Surface | None:
        key = column, row
        if key in self._squares:
            # The one that was seen last is the last to be forgotten.
            self._squares[key] = square = self._squares.pop(key)
            return square
        if len(self._squares) >= KEPT:
            del self._squares[next(iter(self._squares))]
        make = self._cut if self._visual else self._paint
        self._squares[key] = square = make(column * SIDE, row * SIDE)
        return square

    def _cut(self, left: int, top: int) -> pygame.Surface | None:
        """Cut a square out of the picture; `None` if nothing is there."""
        visual = self._visual
        assert visual is not None
        left, top, scale = left - visual.left, top - visual.top, visual.pixels_per_unit
        right, bottom = (left + SIDE) * scale, (top + SIDE) * scale
        if right <= 0 or bottom <= 0:
            return None
        x, y = max(0, left * scale), max(0, top * scale)
        pixels = visual.image[y:bottom, x:right]
        if not pixels.size or not pixels[..., 3].any():
            return None
        size = pixels.shape[1], pixels.shape[0]
        part = pygame.image.frombuffer(pixels.tobytes(), size, "RGBA")
        if scale != UNIT:
            part = pygame.transform.scale_by(part, UNIT / scale)
        if pixels[..., 3].all() and size == (SIDE * scale, SIDE * scale):
            return part.convert()
        square = pygame.Surface((SQUARE, SQUARE), pygame.SRCALPHA)
        square.blit(part, ((x / scale - left) * UNIT, (y / scale - top) * UNIT))
        return square

    def _paint(self, left: int, top: int) -> pygame.Surface | None:
        """Draw the rectangles of a layer that has no picture."""
        area = pygame.Rect(left, top, SIDE, SIDE)
        seen = [box for box in self._boxes if area.colliderect(box[:4])]
        if not seen:
            return None
        square = pygame.Surface((SQUARE, SQUARE), pygame.SRCALPHA)
        for x, y, width, height, value in seen:
            box = pygame.Rect(x - left, y - top, width, height)
            box = pygame.Rect(*(side * UNIT for side in box))
            colour = pygame.Color(value >> 24, value >> 16 & 255, value >> 8 & 255)
            square.fill(colour, box)
            pygame.draw.rect(square, colour.lerp("black", 0.4), box, 1)
        return square
