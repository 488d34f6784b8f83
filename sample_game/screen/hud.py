"""What is written over the world: hearts, coins, keys, missiles, notices, and the strip of time."""

from __future__ import annotations

from collections import deque

import pygame

from sample_game.game import REWINDABLE, Game
from sample_game.hud import HUD
from sample_game.items import Colour, Item
from sample_game.player import HEARTS
from sample_game.screen.sheet import CANVAS, Font, Sheet
from sample_game.world import Event

NOTICE = 240  # frames for which a notice is shown
MARKS = {
    "hurt": "hurt", "coin": "coin", "flag": "flag", "key": "key", "goblin-dead": "goblin", "player-dead": "hurt",
}  # fmt: skip
STRIP = pygame.Rect(120, 344, 400, 6)
BLUE, PALE, GREY = "#4f93d6", "#d6f0fb", "#2c3446"


class StripOfTime:
    """The last thirty seconds at the edge of the screen, with small marks for what happened in them."""

    def __init__(self) -> None:
        self._marks: deque[tuple[int, str]] = deque(maxlen=60)

    def add(self, event: Event, now: int) -> None:
        """Remember something that happened at a time: a number of steps."""
        mark = MARKS.get(event.kind)
        if mark and (not self._marks or self._marks[-1] < (now - 12, "~")):
            self._marks.append((now, mark))

    def forget_after(self, now: int) -> None:
        """What came later has not happened."""
        while self._marks and self._marks[-1][0] > now:
            self._marks.pop()

    def forget(self) -> None:
        self._marks.clear()

    def draw(self, canvas: pygame.Surface, sheet: Sheet, font: Font, game: Game, rewinding: bool) -> None:  # fmt: skip
        """Draw the strip; the right end is thirty seconds of the past, and the present is where it is bright."""
        seconds = game.rewindable()
        full = REWINDABLE / 60
        canvas.fill("#17151f", STRIP.inflate(4, 4))
        canvas.fill(GREY, STRIP)
        width = round(STRIP.width * min(1.0, seconds / full))
        past = pygame.Rect(STRIP.left, STRIP.top, width, STRIP.height)
        canvas.fill(BLUE if rewinding else "#2f5fa8", past)
        canvas.fill(PALE if rewinding else BLUE, (past.left, past.top, width, 1))
        for second in range(5, int(full), 5):
            canvas.fill("#17151f", (STRIP.left + STRIP.width * second / full, STRIP.top + 4, 1, 2))  # fmt: skip
        earliest = game.steps - seconds * 60
        for time, mark in self._marks:
            if time >= earliest:
                x = STRIP.left + (time - earliest) / REWINDABLE * STRIP.width
                picture = sheet.frame(f"icon.mark.{mark}")
                canvas.blit(picture, (x - picture.get_width() // 2, STRIP.top - 8))
        hand = past.right
        canvas.fill("#17151f", (hand - 2, STRIP.top - 4, 5, STRIP.height + 8))
        canvas.fill(PALE if rewinding else "#ffe08a", (hand - 1, STRIP.top - 3, 3, STRIP.height + 6))  # fmt: skip
        picture = sheet.frame("icon.rewind" if rewinding else "icon.clock")
        canvas.blit(picture, (STRIP.left - 18, STRIP.top - 3))
        colour = PALE if rewinding else "#aebccb"
        font.put(canvas, f"{seconds:.0f} s", (STRIP.right + 8, STRIP.top - 2), colour)


class Overlay:
    """The icons over the world."""

    def __init__(self, sheet: Sheet, font: Font) -> None:
        self.sheet, self.font = sheet, font
        self.strip = StripOfTime()
        self._notice, self._left = "", 0

    def notice(self, text: str) -> None:
        """Show one line for some seconds."""
        if text:
            self._notice, self._left = text, NOTICE

    def draw(self, canvas: pygame.Surface, game: Game, rewinding: bool) -> None:
        self._hearts(canvas, game)
        self._purse(canvas, game)
        self._ammo(canvas)
        self.strip.draw(canvas, self.sheet, self.font, game, rewinding)
        if self._left:
            self._left -= 1
            text = self.font.fitted(self._notice, CANVAS[0] - 60)
            width = self.font.width(text) + 18
            left = (CANVAS[0] - width) // 2
            canvas.blit(self.sheet.panel("panel", width, 21), (left, 26))
            self.font.put(canvas, text, (CANVAS[0] // 2, 32), align="middle")

    def _hearts(self, canvas: pygame.Surface, game: Game) -> None:
        hp = game.player.hp
        for number in range(max(int(HEARTS), round(hp + 0.4))):
            full = hp - number
            look = "full" if full >= 1 else "half" if full >= 0.5 else "empty"
            picture = self.sheet.frame(f"hud.heart.{look}")
            beat = hp <= 1 and number == 0 and game.steps % 40 < 8
            canvas.blit(picture, (6 + 13 * number, 6 - beat))

    def _purse(self, canvas: pygame.Surface, game: Game) -> None:
        canvas.blit(self.sheet.frame("hud.coin"), (80, 7))
        x = 92 + self.font.put(canvas, f"{game.player.coins}", (92, 7), "#ffe08a") + 8
        pockets = game.player.inventory.pockets
        for colour in Colour:
            for _ in range(pockets.get(Item.key(colour), 0)):
                canvas.blit(self.sheet.frame(f"key.{colour.value}"), (x, 5))
                x += 18

    def _ammo(self, canvas: pygame.Surface) -> None:
        """Draw the missiles that come next; pebbles never end."""
        x = CANVAS[0] - 26
        shown = [missile.name.lower() for missile in HUD.ammo[:6]] or ["pebble"]
        left = x - 22 * (len(shown) - 1)
        for number, name in enumerate(shown):
            picture = self.sheet.frame(f"missile.{name}")
            canvas.blit(picture, (left + 22 * number, 4))
        if len(HUD.ammo) > len(shown):
            self.font.put(canvas, f"+{len(HUD.ammo) - len(shown)}", (x + 20, 20), align="right")  # fmt: skip
        canvas.blit(self.sheet.frame("icon.hand"), (left - 12, 6))
