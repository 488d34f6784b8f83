"""The sprites on the sheet, cut out once and kept for both directions.

The game is drawn on a canvas of 640 × 360 pixels, and scaled up whole to the window.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pygame

ART = Path(__file__).parent.parent / "art"
CANVAS = 640, 360
UNIT = 16  # pixels of the canvas
Tint = Literal["", "white", "rewind", "ghost"]
Place = tuple[float, float]


class Sheet:
    """All animations by their names, such as `pip.run`. A display mode must be set."""

    def __init__(self) -> None:
        picture = pygame.image.load(ART / "sprites.png").convert_alpha()
        table = json.loads((ART / "sprites.json").read_text("utf-8"))
        self._frames: dict[str, list[pygame.Surface]] = {}
        self._times: dict[str, int] = {}
        for name, row in table.items():
            self._times[name] = row["time"]
            self._frames[name] = [picture.subsurface(box) for box in row["frames"]]
        self._made: dict[tuple[str, int, bool, Tint], pygame.Surface] = {}
        self._turned: dict[tuple[str, int, int], pygame.Surface] = {}
        self._stretched: dict[tuple[str, int, int], pygame.Surface] = {}

    def frame(
        self, name: str, time: int = 0, left: bool = False, tint: Tint = ""
    ) -> pygame.Surface:
        """Return what an animation shows at a time, in frames of the game."""
        frames = self._frames[name]
        number = time // self._times[name] % len(frames)
        key = name, number, left, tint
        if key not in self._made:
            self._made[key] = _tinted(
                pygame.transform.flip(frames[number], left, False), tint
            )
        return self._made[key]

    def part(self, name: str, number: int) -> pygame.Surface:
        return self._frames[name][number]

    def turned(self, name: str, time: int, angle: float) -> pygame.Surface:
        """Return a frame that is turned by an angle, in steps of 11.25°."""
        step = round(angle / 11.25) % 32
        key = name, time // self._times[name] % len(self._frames[name]), step
        if key not in self._turned:
            self._turned[key] = pygame.transform.rotate(
                self._frames[name][key[1]], step * 11.25
            )
        return self._turned[key]

    def panel(self, name: str, width: int, height: int) -> pygame.Surface:
        """Return a box of any size, of which only the middle is stretched."""
        key = name, width, height
        if key not in self._stretched:
            result = pygame.Surface((width, height), pygame.SRCALPHA)
            source, edge = self._frames[name][0], 8
            across = (0, edge, edge), (edge, 8, width - 16), (16, edge, edge)
            down = (0, edge, edge), (edge, 8, height - 16), (16, edge, edge)
            top = 0
            for y, tall, high in down:
                left = 0
                for x, wide, broad in across:
                    part = source.subsurface((x, y, wide, tall))
                    result.blit(
                        pygame.transform.scale(part, (broad, high)), (left, top)
                    )
                    left += broad
                top += high
            self._stretched[key] = result
        return self._stretched[key]

    def put(
        self,
        canvas: pygame.Surface,
        name: str,
        foot: Place,
        time: int = 0,
        left: bool = False,
        tint: Tint = "",
    ) -> None:
        """Draw a frame that stands on a place: the middle of its lower edge is there."""
        frame = self.frame(name, time, left, tint)
        width, height = frame.get_size()
        canvas.blit(frame, (foot[0] - width // 2, foot[1] - height + 1))


def _tinted(frame: pygame.Surface, tint: Tint) -> pygame.Surface:
    if tint == "":
        return frame
    frame = frame.copy()
    if tint == "white":
        frame.fill((150, 150, 150), special_flags=pygame.BLEND_RGB_ADD)
    elif tint == "rewind":
        frame.fill((150, 190, 255), special_flags=pygame.BLEND_RGB_MULT)
    elif tint == "ghost":
        frame.set_alpha(90)
    return frame


class Font:
    """The letters of the game. Texts are kept, as most are shown for many frames."""

    HEIGHT = 9
    LINE = 12

    def __init__(self) -> None:
        picture = pygame.image.load(ART / "font.png").convert_alpha()
        self._glyphs: dict[str, pygame.Surface] = {}
        self._lines: dict[tuple[str, str, int, bool], pygame.Surface] = {}
        x = 0
        for letter in (ART / "font.txt").read_text("utf-8"):
            width = 0
            while x + width < picture.get_width() and picture.get_at((x + width, 0))[3]:
                width += 1
            self._glyphs[letter] = picture.subsurface((x, 1, width, self.HEIGHT))
            x += width + 1

    def width(self, text: str) -> int:
        return sum(self._glyph(letter).get_width() + 1 for letter in text) - 1

    def _glyph(self, letter: str) -> pygame.Surface:
        return self._glyphs.get(letter) or self._glyphs["?"]

    def _line(self, text: str, colour: str, size: int, shadow: bool) -> pygame.Surface:
        key = text, colour, size, shadow
        if key not in self._lines:
            if len(self._lines) > 500:  # counters make new texts all the time
                self._lines.clear()
            self._lines[key] = self._render(*key)
        return self._lines[key]

    def _render(
        self, text: str, colour: str, size: int, shadow: bool
    ) -> pygame.Surface:
        box = self.width(text) + 2, self.HEIGHT + 1
        plain = pygame.Surface(box, pygame.SRCALPHA)
        x = 0
        for letter in text:
            glyph = self._glyph(letter)
            plain.blit(glyph, (x, 0))
            x += glyph.get_width() + 1
        result = pygame.Surface(box, pygame.SRCALPHA)
        for paint, place in ((INK, (1, 1)), (colour, (0, 0))):
            if paint != INK or shadow:
                layer = plain.copy()
                layer.fill(paint, special_flags=pygame.BLEND_RGB_MULT)
                result.blit(layer, place)
        return pygame.transform.scale_by(result, size) if size > 1 else result

    def put(
        self,
        canvas: pygame.Surface,
        text: str,
        place: Place,
        colour: str = "#dfe8ef",
        *,
        size: int = 1,
        align: Literal["left", "middle", "right"] = "left",
        shadow: bool = True,
    ) -> int:
        """Draw a line of text, and return how wide it is."""
        line = self._line(text, colour, size, shadow)
        x = place[0] - line.get_width() * ("left", "middle", "right").index(align) // 2
        canvas.blit(line, (x, place[1]))
        return line.get_width()

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
                lines.append(self.fitted(word, width))
            else:
                lines[-1] = self.fitted(longer, width)
        return lines


INK = "#17151f"
