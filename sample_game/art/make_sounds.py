"""Makes the sounds of the game: wave files of a few kB, 8 bits at 16 kHz.

Start it with `python -m sample_game.art.make_sounds`. Each sound is a row of tones: for each, its wave, how long it is
in milliseconds, its pitch at the beginning and at the end, and how loud it is then.
"""

from __future__ import annotations

import math
import random
import wave
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "sounds"
RATE = 16_000
Tone = tuple[str, int, float, float, float, float]
C, E, G = 523.3, 659.3, 784.0
SOUNDS: dict[str, list[Tone]] = {
    "jump": [("square", 120, 220, 520, 0.35, 0.05)],
    "land": [("noise", 60, 900, 200, 0.35, 0.0)],
    "shot": [("square", 50, 900, 400, 0.4, 0.25), ("noise", 70, 3000, 600, 0.3, 0.0)],
    "hit": [("noise", 50, 4000, 900, 0.5, 0.2), ("square", 60, 180, 90, 0.4, 0.0)],
    "hurt": [("square", 90, 330, 160, 0.5, 0.4), ("square", 140, 200, 70, 0.45, 0.0)],
    "coin": [("square", 55, 988, 988, 0.3, 0.3), ("square", 200, 1319, 1319, 0.3, 0.0)],
    "heart": [
        ("triangle", 80, C, C, 0.6, 0.5), ("triangle", 80, E, E, 0.6, 0.5), ("triangle", 200, G, G, 0.6, 0.0),
    ],
    "key": [
        ("triangle", 60, 1175, 1175, 0.5, 0.4), ("triangle", 60, 1568, 1568, 0.5, 0.4),
        ("triangle", 180, 2093, 2093, 0.5, 0.0),
    ],
    "door": [("noise", 240, 250, 500, 0.3, 0.5), ("square", 90, 80, 50, 0.5, 0.0)],
    "switch": [("noise", 25, 5000, 2500, 0.5, 0.1), ("square", 50, 320, 320, 0.35, 0.0)],
    "spring": [("triangle", 90, 160, 420, 0.8, 0.7), ("triangle", 170, 380, 880, 0.7, 0.0)],
    "flag": [
        ("square", 90, C / 2, C / 2, 0.3, 0.25), ("square", 90, G / 2, G / 2, 0.3, 0.25), ("square", 240, C, C, 0.3, 0.0),
    ],
    "boss-phase": [("square", 300, 70, 150, 0.5, 0.5), ("noise", 320, 300, 1200, 0.5, 0.0)],
    "goblin": [("square", 60, 140, 190, 0.35, 0.3), ("square", 110, 170, 90, 0.3, 0.0)],
    "chest": [("noise", 70, 900, 1600, 0.3, 0.1), ("triangle", 90, C, C, 0.5, 0.4), ("triangle", 220, G, G, 0.5, 0.0)],
    "goblin-dead": [("square", 70, 500, 300, 0.4, 0.35), ("square", 160, 350, 60, 0.4, 0.0)],
    "player-dead": [
        ("square", 120, 440, 415, 0.4, 0.3), ("square", 120, 349, 330, 0.4, 0.3), ("square", 300, 262, 110, 0.4, 0.0),
    ],
    "exit": [
        ("square", 90, C, C, 0.3, 0.25), ("square", 90, E, E, 0.3, 0.25), ("square", 90, G, G, 0.3, 0.25),
        ("square", 380, C * 2, C * 2, 0.35, 0.0),
    ],
    "crack": [("noise", 130, 1800, 300, 0.5, 0.0)],
    "rewind": [("triangle", 110, 300, 620, 0.35, 0.3), ("triangle", 110, 620, 300, 0.3, 0.2)],
    "move": [("square", 28, 660, 660, 0.2, 0.1)],
    "choose": [("square", 35, 660, 660, 0.25, 0.2), ("square", 80, 990, 990, 0.25, 0.0)],
    "save": [("triangle", 70, C, C, 0.5, 0.4), ("triangle", 150, C * 2, C * 2, 0.5, 0.0)],
}  # fmt: skip


def samples(tones: list[Tone]) -> Iterator[float]:
    """Yield the samples of a sound, from -1 to 1."""
    rng = random.Random(3)
    for shape, milliseconds, first, last, loud, end in tones:
        count = RATE * milliseconds // 1000
        phase = noise = 0.0
        for at in range(count):
            part = at / count
            phase += (first + (last - first) * part) / RATE
            if shape == "noise" and phase >= 1:
                noise = rng.uniform(-1, 1)
            phase %= 1
            value = {
                "square": 1.0 if phase < 0.5 else -1.0,
                "triangle": 4 * abs(phase - 0.5) - 1,
                "noise": noise,
            }[shape]
            attack = min(1.0, at / 40)  # without it, one hears a click
            yield value * attack * (loud + (end - loud) * part)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, tones in SOUNDS.items():
        levels = (128 + math.floor(value * 120) for value in samples(tones))
        with wave.open(str(FOLDER / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(1)
            file.setframerate(RATE)
            file.writeframes(bytes(levels))


if __name__ == "__main__":
    main()
