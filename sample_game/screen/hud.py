"""What is written over the world: hearts, coins, keys, missiles, notices, and the strip of time."""

from __future__ import annotations

from collections import deque

import pygame

from sample_game.game import REWINDABLE, Game
from sample_game.hud import HUD
from sample_game.items import Colour, Item
from sample_game.player import HEARTS
from sample_game.screen.painter import BLUE, CANVAS, GOLD, INK, PALE, Painter
from sample_game.world import Event

NOTICE = 240  # frames for which a notice is shown
APART = 12  # steps between two marks
MARKS = ("hurt", "player-dead", "coin", "key", "flag", "goblin-dead")  # kinds of events
STRIP = pygame.Rect(120, 344, 400, 6)


class StripOfTime:
    """The last thirty seconds, with marks for what happened in them. The right end of what is filled is now."""

    def __init__(self, art: Painter) -> None:
        self._art = art
        self._marks: deque[tuple[int, str]] = deque(maxlen=60)

    def add(self, event: Event, now: int) -> None:
        """Remember something that happened at a time: a number of steps."""
        is_near = self._marks and self._marks[-1][0] > now - APART
        if event.kind in MARKS and not is_near:
            self._marks.append((now, event.kind))

    def forget_after(self, now: int) -> None:
        """What came later has not happened."""
        while self._marks and self._marks[-1][0] > now:
            self._marks.pop()

    def draw(self, game: Game, rewinds: bool) -> None:
        canvas, steps = self._art.canvas, round(game.rewindable() * 60)
        canvas.fill(INK, STRIP.inflate(4, 4))
        canvas.fill("#2c3446", STRIP)
        past = pygame.Rect(STRIP)
        past.width = STRIP.width * steps // REWINDABLE
        canvas.fill("#4f93d6" if rewinds else "#2f5fa8", past)
        canvas.fill(BLUE if rewinds else "#4f93d6", (*past.topleft, past.width, 1))
        for x in range(STRIP.left, STRIP.right, STRIP.width // 6):
            canvas.fill(INK, (x, STRIP.top + 4, 1, 2))  # every five seconds
        for time, kind in self._marks:
            age = game.steps - time
            if age <= steps:
                x = past.right - STRIP.width * age // REWINDABLE
                self._art.centre(f"icon.mark.{kind}", x, STRIP.top - 6)
        hand = pygame.Rect(past.right - 1, STRIP.top - 3, 3, STRIP.height + 6)
        canvas.fill(INK, hand.inflate(2, 2))
        canvas.fill("#fbfdff" if rewinds else GOLD, hand)
        self._art.centre("icon.rewind" if rewinds else "icon.clock", 108, STRIP.centery)
        self._art.text("R", 92, STRIP.top - 1, BLUE if rewinds else PALE)
        self._art.text(f"{steps // 60} s", STRIP.right + 8, STRIP.top - 1)


class Overlay:
    """The icons over the world."""

    def __init__(self, art: Painter) -> None:
        self._art = art
        self.strip = StripOfTime(art)
        self._notice, self._left = "", 0

    def notice(self, text: str) -> None:
        """Show one line for some seconds."""
        if text:
            self._notice, self._left = text, NOTICE

    def hush(self) -> None:
        self._left = 0

    def draw(self, game: Game, rewinds: bool) -> None:
        self._draw_hearts(game)
        self._draw_purse(game)
        self._draw_ammo()
        self.strip.draw(game, rewinds)

    def draw_notice(self) -> None:
        if self._left:
            self._left -= 1
            lines = self._art.wrapped(self._notice, CANVAS.width - 60)
            wide = max(map(self._art.width, lines))
            box = pygame.Rect(0, 26, wide + 20, 9 + 12 * len(lines))
            box.centerx = CANVAS.centerx
            self._art.panel("panel", box)
            for number, line in enumerate(lines):
                self._art.text(line, box.centerx, box.top + 6 + 12 * number, part=0.5)

    def _draw_hearts(self, game: Game) -> None:
        hp = game.player.hp
        for number in range(max(int(HEARTS), round(hp + 0.4))):
            left = hp - number
            look = "full" if left >= 1 else "half" if left > 0 else "empty"
            beats = hp <= 1 and number == 0 and game.steps % 40 < 8
            self._art.put(f"hud.heart.{look}", 6 + 13 * number, 6 - beats)

    def _draw_purse(self, game: Game) -> None:
        coins = str(game.player.coins)
        self._art.put("hud.coin", 80, 7)
        self._art.text(coins, 93, 8, GOLD)
        x = 101 + self._art.width(coins)
        pockets = game.player.inventory.pockets
        for colour in Colour:
            for _ in range(pockets.get(Item.key(colour), 0)):
                self._art.put(f"key.{colour.value}", x, 7)
                x += 18

    def _draw_ammo(self) -> None:
        """Draw the missiles that come next; pebbles never end."""
        names = [missile.name.lower() for missile in HUD.ammo[:6]] or ["pebble"]
        left = CANVAS.right - 26 - 22 * (len(names) - 1)
        self._art.put("icon.hand", left - 12, 6)
        for number, name in enumerate(names):
            self._art.put(f"missile.{name}", left + 22 * number, 4)
        if more := len(HUD.ammo) - len(names) if HUD.ammo else 0:
            self._art.text(f"+{more}", CANVAS.right - 8, 20, part=1)
