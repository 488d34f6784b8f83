"""Sparks, dust and splinters. They live for less than a second and only for the eye, so no save has them.

A rewind does not take them back, either: what flies when time turns just fades.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pygame

from sample_game.screen.painter import CANVAS, UNIT
from sample_game.shapes import Vec2
from sample_game.world import Event

MOST = 400


class Burst(NamedTuple):
    """What flies at an event."""

    many: int
    speed: float  # pixels in a frame
    life: int  # frames
    colours: tuple[str, ...]  # from the first moment to the last
    weight: float = 0.08
    up: float = 0.0


GOLD = ("#fbfdff", "#ffe08a", "#e8b35a", "#b57a34")
DUST = ("#b0a28b", "#8f8468", "#746a58", "#4b4340")
BLOOD = ("#fbfdff", "#f2935f", "#dd5a50", "#a8324a")
LEAF = ("#c0dd7c", "#83b552", "#4a8143", "#2f5c38")
FIRE = ("#fbfdff", "#ffe08a", "#f2935f", "#dd5a50", "#5e1f33")
BURSTS = {
    "jump": Burst(5, 0.7, 16, DUST, 0.01),
    "land": Burst(9, 1.1, 18, DUST, 0.0, 0.1),
    "shot": Burst(5, 1.2, 10, FIRE, 0.0),
    "hit": Burst(12, 1.9, 18, FIRE, 0.05),
    "hurt": Burst(18, 2.0, 26, BLOOD, 0.12, 0.8),
    "coin": Burst(10, 1.2, 22, GOLD, -0.02),
    "heart": Burst(14, 1.2, 30, BLOOD, -0.04),
    "key": Burst(16, 1.5, 30, GOLD, -0.02),
    "chest": Burst(26, 2.0, 40, GOLD, 0.1, 1.6),
    "door": Burst(14, 1.0, 30, DUST, 0.05),
    "switch": Burst(6, 1.2, 14, GOLD, 0.05),
    "spring": Burst(10, 1.4, 18, DUST, 0.02),
    "flag": Burst(24, 1.8, 36, LEAF, 0.05, 1.2),
    "crack": Burst(10, 1.0, 30, DUST, 0.14),
    "boss-phase": Burst(40, 3.0, 40, FIRE, 0.03),
    "goblin-dead": Burst(26, 2.2, 30, LEAF, 0.12, 1.0),
    "player-dead": Burst(40, 2.6, 44, BLOOD, 0.08, 1.0),
    "exit": Burst(40, 2.4, 50, GOLD, -0.02),
}


class Particle:
    """One square that flies."""

    __slots__ = ("x", "y", "fast_x", "fast_y", "age", "life", "burst")

    def __init__(self, place: Vec2, burst: Burst, rng: random.Random) -> None:
        self.x, self.y = place.x * UNIT, place.y * UNIT
        self.fast_x = rng.gauss(0, burst.speed / 2)
        self.fast_y = rng.gauss(-burst.up, burst.speed / 2)
        self.age, self.life = 0, round(burst.life * rng.uniform(0.6, 1.0))
        self.burst = burst


class Particles:
    """All that flies at the moment."""

    def __init__(self) -> None:
        self._flying: list[Particle] = []
        self._rng = random.Random(2)  # not the one of the world, which is saved

    def __len__(self) -> int:
        return len(self._flying)

    def add(self, event: Event) -> None:
        burst = BURSTS.get(event.kind)
        if burst is not None:
            room = min(burst.many, MOST - len(self._flying))
            place = event.position
            if event.kind in ("jump", "land"):
                place += Vec2(0, 0.6)
            self._flying += (Particle(place, burst, self._rng) for _ in range(room))

    def update(self) -> None:
        for one in self._flying:
            one.age += 1
            one.x += one.fast_x
            one.y += one.fast_y
            one.fast_x *= 0.96
            one.fast_y += one.burst.weight
        self._flying = [one for one in self._flying if one.age < one.life]

    def draw(self, canvas: pygame.Surface, left: int, top: int) -> None:
        for one in self._flying:
            x, y = one.x - left, one.y - top
            if CANVAS.collidepoint(x, y):
                part = one.age / one.life
                colours = one.burst.colours
                size = 2 if part < 0.7 else 1
                canvas.fill(colours[int(part * len(colours))], (x, y, size, size))
