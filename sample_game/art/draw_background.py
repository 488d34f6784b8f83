"""Draws what is far behind a level, a cave or the sky: `…-far.png`, and what stands in front of it, `…-near.png`.

Start it with `python -m sample_game.art.draw_background`. All continue on the right where they begin on the left.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent
HEIGHT = 360
FAR, NEAR = 640, 960  # widths
STONE = ["0b0d19", "0d1220", "121a2b", "172236", "1d2b42", "253650"]
ROCK = ["0b0b16", "11101f", "1a1829", "242238"]
DITHER = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))


def colour(text: str) -> tuple[int, int, int, int]:
    return (*bytes.fromhex(text), 255)


def shade(light: float, x: int, y: int, tones: list[str]) -> tuple[int, int, int, int]:
    """Return a tone; between two of them, a pattern of both."""
    at = max(0.0, min(len(tones) - 1.001, light * (len(tones) - 1)))
    return colour(tones[int(at) + (at % 1 > (DITHER[y % 4][x % 4] + 0.5) / 16)])


def cave_far() -> Image.Image:
    """Blocks of stone in the dark, with light from somewhere in the middle."""
    rng = random.Random(5)
    step = 44
    blocks = [
        (cx * step + rng.uniform(4, 40), cy * step + rng.uniform(4, 40), rng.random())
        for cx in range(FAR // step + 1)
        for cy in range(-1, HEIGHT // step + 2)
    ]
    picture = Image.new("RGBA", (FAR, HEIGHT))
    near: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    for bx, by, tone in blocks:
        for shift in (-FAR, 0, FAR):
            key = int((bx + shift) // step), int(by // step)
            near.setdefault(key, []).append((bx + shift, by, tone))
    for y in range(HEIGHT):
        for x in range(FAR):
            wx, wy = x + 3 * math.sin(y / 9), y + 3 * math.sin(x * math.tau * 12 / FAR)
            around = (
                block
                for kx in range(int(wx // step) - 2, int(wx // step) + 3)
                for ky in range(int(wy // step) - 2, int(wy // step) + 3)
                for block in near.get((kx, ky), ())
            )
            found = sorted(((bx - wx) ** 2 + (by - wy) ** 2, tone, bx, by) for bx, by, tone in around)  # fmt: skip
            first, second = found[0], found[1]
            edge = math.sqrt(second[0]) - math.sqrt(first[0])
            middle = 1 - abs(y - 170) / 230
            wave = 0.5 + 0.5 * math.sin(x * math.tau * 2 / FAR + 1)
            light = 0.05 + 0.5 * middle * (0.5 + 0.5 * wave) + 0.28 * first[1] - 0.1
            if edge < 2.2:
                light -= 0.3
            elif first[3] - wy > 9 and edge < 7:
                light += 0.12
            picture.putpixel((x, y), shade(light, x, y, STONE))
    return picture


def cave_near() -> Image.Image:
    """Columns and spikes of rock, lit at their edges."""
    rng = random.Random(11)
    top = [18.0] * NEAR
    bottom = [HEIGHT - 26.0] * NEAR
    for x in range(NEAR):
        angle = x * math.tau / NEAR
        top[x] += 9 * math.sin(angle * 5) + 5 * math.sin(angle * 13 + 1)
        bottom[x] += 10 * math.sin(angle * 4 + 2) + 5 * math.sin(angle * 11)
    for _ in range(46):
        at, wide, tall = rng.randrange(NEAR), rng.uniform(7, 26), rng.uniform(20, 95)
        lower = rng.random() < 0.5
        for dx in range(-int(wide), int(wide) + 1):
            x = (at + dx) % NEAR
            part = 1 - abs(dx) / wide
            depth = tall * part**1.6 + rng.uniform(-1, 1)
            if lower:
                bottom[x] = min(bottom[x], HEIGHT - 16 - depth)
            else:
                top[x] = max(top[x], 12 + depth)
    for at, wide in ((140, 26), (520, 40), (800, 22)):
        for dx in range(-3 * wide, 3 * wide + 1):
            x = (at + dx) % NEAR
            waist = wide * 0.55
            if abs(dx) <= waist:
                top[x] = HEIGHT
            else:
                reach = 110 * math.exp(-(abs(dx) - waist) / (wide * 0.42))
                top[x] = max(top[x], 20 + reach)
                bottom[x] = min(bottom[x], HEIGHT - 24 - reach)
    picture = Image.new("RGBA", (NEAR, HEIGHT))
    for x in range(NEAR):
        for y in range(HEIGHT):
            inside = max(top[x] - y, y - bottom[x])
            if inside < 0:
                continue
            side = min(
                [
                    reach
                    for reach in range(1, 5)
                    for nx in [(x - reach) % NEAR]
                    if top[nx] < y < bottom[nx]
                ]
                or [9]
            )
            rough = math.sin(x * 1.7 + y * 0.6) + math.sin(y * 1.3 - x * 0.45)
            light = 0.3 + 0.1 * rough
            if min(inside, side) <= 1.5:
                light = 1.0
            elif min(inside, side) < 4:
                light = 0.66
            light *= 1 - 0.55 * max(0.0, abs(y - HEIGHT / 2) / HEIGHT * 2 - 0.5)
            picture.putpixel((x, y), shade(light, x, y, ROCK))
    return picture


SKY = ["2d4a86", "4070b1", "5586c1", "7ba8d4", "9ab2cd", "c3d3e2", "e8dccb"]
CLOUD = ["86a1c0", "aec3d8", "dfe8ef"]
PEAKS = ["3d5a8a", "4b6a9c", "5f80b0", "86a1c0", "dfe8ef"]
HILLS = ["1d3a4a", "274a52", "2f5c58", "42766a"]


def waves(x: int, width: int, seed: int, *sizes: tuple[int, float]) -> float:
    """Return a height that repeats itself after `width`."""
    rng = random.Random(seed)
    return sum(
        tall * math.sin(x * math.tau * count / width + rng.uniform(0, 6.28))
        for count, tall in sizes
    )


def sky_far() -> Image.Image:
    """The sky in the morning, with clouds."""
    picture = Image.new("RGBA", (FAR, HEIGHT))
    rng = random.Random(8)
    puffs = []
    for _ in range(9):
        cx, cy, wide = rng.uniform(0, FAR), rng.uniform(30, 210), rng.uniform(22, 60)
        for _ in range(9):
            puffs.append((cx + rng.uniform(-wide, wide), cy + rng.uniform(-6, 4), rng.uniform(7, wide / 3)))  # fmt: skip
    for y in range(HEIGHT):
        for x in range(FAR):
            picture.putpixel((x, y), shade(y / 300, x, y, SKY))
    for x0, y0, reach in puffs:
        for y in range(int(y0 - reach), int(y0 + reach * 0.45)):
            for x in range(int(x0 - reach), int(x0 + reach) + 1):
                if (x - x0) ** 2 + (y - y0) ** 2 < reach * reach and 0 <= y < HEIGHT:
                    light = 0.95 - (y - y0 + reach) / reach * 0.62
                    picture.putpixel((x % FAR, y), shade(light, x, y, CLOUD))
    return picture


def sky_near() -> Image.Image:
    """Mountains far away, and hills before them."""
    picture = Image.new("RGBA", (NEAR, HEIGHT))
    for x in range(NEAR):
        ridge = 215 - abs(waves(x, NEAR, 1, (2, 60), (5, 38))) * 0.9
        ridge += waves(x, NEAR, 2, (17, 5), (37, 3), (71, 1.5))
        for y in range(int(ridge), HEIGHT):
            deep = y - ridge
            slope = waves(x + int(deep * 0.8), NEAR, 3, (9, 0.5), (23, 0.4), (51, 0.3))
            if deep < (208 - ridge) * 0.42 + 9 * slope:
                light = 1.0 if slope > -0.35 else 0.78
            else:
                light = 0.42 + 0.18 * slope + min(0.2, deep / 500)
            picture.putpixel((x, y), shade(min(1.0, max(0.0, light)), x, y, PEAKS))
        hill = 268 + waves(x, NEAR, 4, (3, 14), (7, 8), (29, 2))
        hill -= max(0.0, 5 * math.sin(x * math.tau * 160 / NEAR)) + 3 * (x % 3 == 0)
        for y in range(int(hill), HEIGHT):
            light = 0.9 - (y - hill) / 60 + 0.06 * waves(x, NEAR, 5, (23, 1), (91, 1))
            picture.putpixel((x, y), shade(max(0.0, light), x, y, HILLS))
    return picture


def main() -> None:
    for draw in cave_far, cave_near, sky_far, sky_near:
        name = draw.__name__.replace("_", "-")
        draw().quantize(colors=24).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
