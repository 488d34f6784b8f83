"""Draws sprites, texts and boxes on the canvas: 640 × 360 pixels, which the window shows larger."""

from __future__ import annotations

import json
from pathlib import Path

import pygame

ART = Path(__file__).parent.parent / "art"
CANVAS = pygame.Rect(0, 0, 640, 360)
UNIT = 16  # pixels of the canvas
INK, WHITE, PALE, GREY = "#17151f", "#fbfdff", "#dfe8ef", "#8f8468"
GOLD, RED, BLUE = "#ffe08a", "#f2935f", "#8cc8ef"
LETTERS = 9  # the height of a letter


class Painter:
    """The canvas, and all that art/ has for it. A display mode must be set."""

    def __init__(self) -> None:
        self.canvas = pygame.Surface(CANVAS.size).convert()
        sheet = pygame.image.load(ART / "sprites.png").convert_alpha()
        table = json.loads((ART / "sprites.json").read_text("utf-8"))
        self._times: dict[str, int] = {name: row["time"] for name, row in table.items()}
        self._frames = {
            name: [sheet.subsurface(box) for box in row["frames"]]
            for name, row in table.items()
        }
        self._mirrored = {
            name: [pygame.transform.flip(frame, True, False) for frame in frames]
            for name, frames in self._frames.items()
        }
        self._glyphs = _glyphs()
        self._turned: dict[tuple[str, int, int], pygame.Surface] = {}
        self._panels: dict[tuple[str, int, int], pygame.Surface] = {}
        self._lines: dict[tuple[str, str, int], pygame.Surface] = {}

    # -- sprites

    def frame(self, name: str, time: int = 0, left: bool = False) -> pygame.Surface:
        """Return what an animation shows at a time, in frames of the game."""
        frames = (self._mirrored if left else self._frames)[name]
        return frames[time // self._times[name] % len(frames)]

    def put(self, name: str, x: float, y: float, time: int = 0) -> None:
        """Draw a sprite with its upper left corner at a place."""
        self.canvas.blit(self.frame(name, time), (x, y))

    def centre(self, name: str, x: float, y: float, time: int = 0) -> None:
        frame = self.frame(name, time)
        self.canvas.blit(frame, frame.get_rect(center=(round(x), round(y))))

    def stand(
        self, name: str, x: float, floor: float, time: int = 0, left: bool = False
    ) -> None:
        """Draw a sprite that stands on a floor."""
        frame = self.frame(name, time, left)
        self.canvas.blit(frame, frame.get_rect(midbottom=(round(x), int(floor + 1.5))))

    def piece(self, name: str, number: int, x: float, y: float) -> None:
        """Draw a part of something that has several."""
        self.canvas.blit(self._frames[name][number], (round(x), round(y)))

    def turned(
        self, name: str, x: float, y: float, angle: float, time: int = 0
    ) -> None:
        """Draw a sprite that is turned by an angle, in steps of 11.25°."""
        step = round(angle / 11.25) % 32
        key = name, time // self._times[name] % len(self._frames[name]), step
        if key not in self._turned:
            frame = self.frame(name, time)
            self._turned[key] = pygame.transform.rotate(frame, step * 11.25)
        frame = self._turned[key]
        self.canvas.blit(frame, frame.get_rect(center=(round(x), round(y))))

    # -- boxes and texts

    def panel(self, name: str, area: pygame.Rect) -> None:
        """Draw a box of any size, of which only the middle is stretched."""
        key = name, *area.size
        if key not in self._panels:
            self._panels[key] = _stretched(self._frames[name][0], *area.size)
        self.canvas.blit(self._panels[key], area)

    def width(self, text: str) -> int:
        return sum(self._glyph(letter).get_width() + 1 for letter in text)

    def text(
        self,
        text: str,
        x: float,
        y: float,
        colour: str = PALE,
        *,
        part: float = 0,
        size: int = 1,
    ) -> None:
        """Draw a line of text; `part` of it, from 0 to 1, is on the left of x."""
        key = text, colour, size
        if key not in self._lines:
            if len(self._lines) > 500:  # counters make new texts all the time
                self._lines.clear()
            self._lines[key] = self._line(*key)
        line = self._lines[key]
        self.canvas.blit(line, (int(x - line.get_width() * part), y))

    def _line(self, text: str, colour: str, size: int) -> pygame.Surface:
        plain = pygame.Surface((self.width(text) + 1, LETTERS + 1), pygame.SRCALPHA)
        x = 0
        for letter in text:
            plain.blit(self._glyph(letter), (x, 0))
            x += self._glyph(letter).get_width() + 1
        result = pygame.Surface(plain.get_size(), pygame.SRCALPHA)
        for paint, shift in (INK, 1), (colour, 0):
            layer = plain.copy()
            layer.fill(paint, special_flags=pygame.BLEND_RGB_MULT)
            result.blit(layer, (shift, shift))
        return pygame.transform.scale_by(result, size)

    def _glyph(self, letter: str) -> pygame.Surface:
        return self._glyphs.get(letter) or self._glyphs["?"]

    def fitted(self, text: str, width: int) -> str:
        """Return the text, cut so that it is not wider than this."""
        if self.width(text) <= width:
            return text
        while text and self.width(text + "…") > width:
            text = text[:-1]
        return text + "…"

    def wrapped(self, text: str, width: int) -> list[str]:
        """Return the text in lines that are not wider than this."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width(longer) > width:
                lines.append("")
                longer = word
            lines[-1] = self.fitted(longer, width)
        return lines


def _glyphs() -> dict[str, pygame.Surface]:
    """Cut out the letters. Pixels above them mark where each is."""
    picture = pygame.image.load(ART / "font.png").convert_alpha()
    marks = [picture.get_at((x, 0))[3] for x in range(picture.get_width())]
    result, left = {}, 0
    for letter in (ART / "font.txt").read_text("utf-8"):
        right = marks.index(0, left)
        result[letter] = picture.subsurface((left, 1, right - left, LETTERS))
        left = right + 1
    return result


def _stretched(source: pygame.Surface, width: int, height: int) -> pygame.Surface:
    """Return a picture of 24 × 24 pixels in another size, with the same corners and edges."""
    result = pygame.Surface((width, height), pygame.SRCALPHA)
    across = (0, 8, 0, 8), (8, 8, 8, width - 16), (16, 8, width - 8, 8)
    down = (0, 8, 0, 8), (8, 8, 8, height - 16), (16, 8, height - 8, 8)
    for x, wide, left, broad in across:
        for y, tall, top, high in down:
            part = source.subsurface((x, y, wide, tall))
            result.blit(pygame.transform.scale(part, (broad, high)), (left, top))
    return result
