"""Paints the pictures of a level from its rock: stones lit from above, grass or snow on top, walls behind.

Used by draw_levels.py. All randomness is a hash of the place, so a picture changes only where its
level does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import ndimage

Array: TypeAlias = np.ndarray[Any, Any]
BAYER = (
    np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) + 0.5
) / 16


def rgb(colours: str) -> Array:
    return np.array(
        [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours.split()], np.uint8
    )


@dataclass(frozen=True)
class Theme:
    """The colours of a level, from dark to light."""

    rock: Array
    wall: Array
    top: Array
    glow: Array
    bricks: bool = False
    stone: float = 15.0  # width of a stone, in sixteenths of a unit
    lamp: str = "torch"
    snow_above: int = -99  # the row above which tops have snow
    snow: Array = field(default_factory=lambda: rgb("#aebccb #dfe8ef #fbfdff"))
    seed: int = 1


GRASS = rgb("#23402f #2f5c38 #4a8143 #83b552")
THEMES = {
    "cellar": Theme(
        rgb("#1d161c #2f2426 #4a3830 #644a38 #7f6044 #9a7a54"),
        rgb("#120e16 #1a1520 #231c2a #2c2433 #37303e"),
        GRASS,
        rgb("#3a2a34 #523a38 #6e4c3c"),
        bricks=True,
        seed=3,
    ),
    "cavern": Theme(
        rgb("#1c1720 #2b2530 #3a3339 #4b4340 #5e554b #746a58 #8f8468"),
        rgb("#0d1220 #121a2b #172236 #1d2b42 #243552"),
        GRASS,
        rgb("#1f3550 #2a4d66 #3f7480"),
        lamp="crystal",
        seed=5,
    ),
    "mountain": Theme(
        rgb("#17151f #221f2b #2d2a33 #45403f #5d554f #776c60 #918473"),
        rgb("#12101a #17151f #1f1c29 #27242f #302c38"),
        GRASS,
        rgb("#332a34 #4a3a3a #64504a"),
        stone=13.0,
        snow_above=130,
        seed=8,
    ),
}


def noise(*parts: Array | int) -> Array:
    """Return a number from 0 to 1 for each place: a hash of its coordinates."""
    mixed = np.full((), 0x9E3779B9, np.uint32)
    with np.errstate(over="ignore"):
        for part in parts:
            mixed = (mixed ^ np.asarray(part).astype(np.uint32)) * np.uint32(0x85EBCA6B)
            mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
            mixed = mixed ^ (mixed >> np.uint32(16))
    return np.asarray(mixed / 2.0**32)


def smooth(height: int, width: int, size: int, seed: int) -> Array:
    """Return noise with soft hills about `size` pixels wide, from 0 to 1."""
    rows, columns = height // size + 3, width // size + 3
    coarse = noise(*np.mgrid[0:rows, 0:columns], seed)
    fine = ndimage.zoom(coarse, size, order=3, mode="nearest", grid_mode=True)
    return np.asarray(np.clip(fine[size : size + height, size : size + width], 0, 1))


def cells(height: int, width: int, size: float, seed: int) -> tuple[Array, ...]:
    """Divide the plane into stones: each pixel's stone, distance to the crack, place in the stone."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    gy, gx = (y / size).astype(int), (x / size).astype(int)
    best = np.full((height, width), 1e9, np.float32)
    second = best.copy()
    stone, dx, dy = (np.zeros((height, width), np.float32) for _ in range(3))
    for oy in (-1, 0, 1):
        for ox in (-1, 0, 1):
            cy, cx = gy + oy, gx + ox
            px = (cx + 0.15 + 0.7 * noise(cx, cy, seed)) * size
            py = (cy + 0.15 + 0.7 * noise(cx, cy, seed + 1)) * size
            far = np.sqrt((x - px) ** 2 + (1.25 * (y - py)) ** 2).astype(np.float32)
            near = far < best
            second = np.where(near, best, np.minimum(second, far))
            best = np.where(near, far, best)
            stone = np.where(near, noise(cx, cy, seed + 2), stone)
            dx = np.where(near, (x - px) / size, dx)
            dy = np.where(near, (y - py) / size, dy)
    return stone, second - best, dx, dy


def brickwork(
    height: int, width: int, tall: int, wide: int, seed: int
) -> tuple[Array, ...]:
    y, x = np.mgrid[0:height, 0:width]
    row = y // tall
    shifted = x + (row % 2) * (wide // 2) + (noise(row, seed) * wide / 3).astype(int)
    column = shifted // wide
    stone = noise(column, row, seed + 2)
    edge = np.minimum(y % tall, shifted % wide).astype(np.float32)
    dx = (shifted % wide) / wide - 0.5
    dy = (y % tall) / tall - 0.5
    return stone, edge * 1.5, dx, dy


def dithered(value: Array, steps: int, rough: float = 1.0) -> Array:
    """Return whole steps for values from 0 to 1, with a pattern of pixels between two steps."""
    height, width = value.shape
    pattern = np.tile(BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width]
    scaled = np.clip(value, 0, 0.9999) * steps
    rough_steps = (scaled + (pattern - 0.5) * rough).astype(int)
    return np.asarray(np.clip(rough_steps, 0, steps - 1))


def pixels(grid: Array, scale: int) -> Array:
    return np.kron(grid, np.ones((scale, scale), grid.dtype))


def paint_rock(solid: Array, inside: Array, theme: Theme, scale: int) -> Array:
    """Return the picture of the rock as RGBA, transparent where there is none."""
    rock = pixels(solid, scale)
    height, width = rock.shape
    unit = scale / 16
    if theme.bricks:
        parts = brickwork(height, width, scale // 2, scale, theme.seed)
        stone, edge, dx, dy = parts
        crack = edge < 1
    else:
        stone, edge, dx, dy = cells(
            height, width, theme.stone * max(unit, 0.7), theme.seed
        )
        crack = edge < max(1.4 * unit, 0.9)
    deep = ndimage.distance_transform_edt(np.pad(rock, scale, mode="edge"))[
        scale:-scale, scale:-scale
    ]
    deep = deep / scale  # in units
    shade = 0.36 + 0.34 * stone - 0.26 * (dx + 1.4 * dy)
    shade += 0.12 * (smooth(height, width, 3 * scale, theme.seed + 9) - 0.5)
    shade -= np.clip((deep - 1.2) / 5, 0, 1) * 0.55
    speckle = noise(*np.mgrid[0:height, 0:width], theme.seed + 20)
    shade = np.where(speckle > 0.97, shade - 0.15, shade)
    shade = np.where(crack, np.minimum(shade - 0.34, 0.28 - deep * 0.03), shade)
    # The rim: light from above, dark below and at the right.
    above = _moved(rock, 1, 0)
    below, right = _moved(rock, -1, 0), _moved(rock, 0, -1)
    left = _moved(rock, 0, 1)
    shade = np.where(rock & ~above, shade + 0.3, shade)
    shade = np.where(rock & ~left, shade + 0.12, shade)
    for step in range(1, max(2, round(3 * unit)) + 1):
        shade = np.where(rock & ~_moved(rock, -step, 0), shade - 0.22, shade)
    shade = np.where(rock & (~below | ~right), 0.1, shade)
    steps = dithered(shade, len(theme.rock), 0.55)
    image = np.zeros((height, width, 4), np.uint8)
    image[..., :3] = theme.rock[steps]
    image[..., 3] = np.where(rock, 255, 0)
    _cover(image, rock, inside, theme, scale)
    _vines(image, solid, theme, scale)
    return image


def _moved(mask: Array, down: int, right: int) -> Array:
    """Return the mask moved by some pixels; what comes in at an edge is as the edge is."""
    padded = np.pad(
        mask, ((max(down, 0), max(-down, 0)), (max(right, 0), max(-right, 0))), "edge"
    )
    return padded[max(-down, 0) :, max(-right, 0) :][: mask.shape[0], : mask.shape[1]]


def _cover(image: Array, rock: Array, inside: Array, theme: Theme, scale: int) -> None:
    """Lay grass or snow on all tops."""
    height, width = rock.shape
    tops = rock & ~_moved(rock, 1, 0)
    tops[0] = False
    ys, xs = np.nonzero(tops)
    patch = smooth(1, width + scale, 2 * scale, theme.seed + 30)[0]
    for y, x in zip(ys.tolist(), xs.tolist(), strict=True):
        luck = float(noise(x, y, theme.seed + 31))
        is_open = not inside[y // scale - 1, x // scale]
        bare = theme.bricks or (theme.snow_above > 0 and not is_open)
        if bare and patch[x] + 0.25 * luck < 0.62:
            continue
        snowy = is_open and y // scale < theme.snow_above + round(6 * luck)
        colours = theme.snow[::-1] if snowy else theme.top[::-1]
        thick = (5 if snowy else 4) * scale / 16 + 2 * luck * scale / 16
        thick *= 0.5 if theme.bricks else 1.0
        for down in range(max(2, round(thick + (4 * scale / 16) * snowy * luck))):
            if y + down < height and rock[y + down, x]:
                # The first row is the lightest; below it the grass grows darker.
                step = min(
                    len(colours) - 1,
                    round(down / max(thick, 1) * (len(colours) - 1) + 0.2),
                )
                image[y + down, x, :3] = colours[step]
        blade = luck > 0.45 and not snowy
        for up in range(1, (1 + (luck > 0.8)) * blade * max(1, scale // 8) + 1):
            if y - up >= 0 and not rock[y - up, x]:
                image[y - up, x] = (*theme.top[3 if luck > 0.7 else 2], 255)


def _vines(image: Array, solid: Array, theme: Theme, scale: int) -> None:
    """Hang vines from some ceilings."""
    if theme.bricks:
        return
    rows, columns = np.nonzero(solid[:-1] & ~solid[1:])
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        luck = float(noise(row, column, theme.seed + 40))
        if luck > 0.16 or row < theme.snow_above:
            continue
        x = column * scale + int(luck * 90) % scale
        length = int((0.3 + luck * 8) * scale * 0.7)
        for down in range(length):
            y = (row + 1) * scale + down
            if y >= image.shape[0] or image[y, min(x, image.shape[1] - 1), 3]:
                break
            sway = int(float(noise(down // 3, x, theme.seed + 41)) * 2)
            if 0 <= x + sway < image.shape[1] and not image[y, x + sway, 3]:
                image[y, x + sway] = (*theme.top[1 + (down * 3 // length > 1)], 255)


def paint_tile(image: Array, kind: str, x: int, y: int, scale: int) -> None:
    """Paint a ladder, a ledge or spikes at a place in units."""
    wood, iron = THEMES["cellar"].rock[1:], rgb("#2b2b38 #5a6070 #9aa4b0 #e4ecf0")
    for down in range(scale):
        for right in range(scale):
            # In sixteenths of a unit, whatever the scale.
            row, column = down * 16 // scale, right * 16 // scale
            colour = None
            if kind == "ladder":
                if column in (2, 3, 12, 13):
                    colour = wood[3 if column in (2, 12) else 1]
                elif 3 < column < 12 and row % 8 in (2, 3):
                    colour = wood[3 if row % 8 == 2 else 1]
            elif kind == "ledge" and row < 6:
                joint = (column + 5 * y) % 16 < 16 // scale
                step = (4, 4, 3, 3, 2, 0)[row] - 2 * (joint and row < 5)
                colour = wood[max(step, 0)]
            elif kind == "spikes":
                middle = abs(column % 8 - 3.5)
                if row >= 3 + middle * 3.4:
                    step = 2 if column % 8 < 4 else 1
                    colour = iron[3 if row < 6 else step if row < 14 else 0]
            if colour is not None:
                image[y * scale + down, x * scale + right] = (*colour, 255)


def paint_wall(
    solid: Array,
    inside: Array,
    theme: Theme,
    scale: int,
    lamps: Sequence[tuple[float, float]] = (),
) -> Array:
    """Return the picture of the wall behind: dark stones where it is `inside`, else transparent.

    `lamps` are places in units that light the wall around them.
    """
    rock, wall = pixels(solid, scale), pixels(inside, scale)
    height, width = wall.shape
    if theme.bricks:
        stone, edge, dx, dy = brickwork(
            height, width, scale, 2 * scale, theme.seed + 50
        )
        crack = edge < 1
    else:
        stone, edge, dx, dy = cells(
            height, width, theme.stone * 2.2 * scale / 16, theme.seed + 50
        )
        crack = edge < max(1.5 * scale / 16, 1)
    near = ndimage.distance_transform_edt(~np.pad(rock, scale, mode="edge"))[
        scale:-scale, scale:-scale
    ]
    hills = smooth(height, width, 5 * scale, theme.seed + 51)
    shade = 0.1 + 0.28 * stone - 0.14 * (dx + dy) + 0.5 * (hills - 0.3)
    shade += 0.22 * np.clip(near / scale / 4, 0, 1) - 0.1
    shade = np.where(crack, shade - 0.26, shade)
    y, x = np.mgrid[0:height, 0:width]
    light = np.zeros((height, width), np.float32)
    for lamp_x, lamp_y in lamps:
        reach = 5.0 * scale
        top, left = int(lamp_y * scale - reach), int(lamp_x * scale - reach)
        box = (
            slice(max(top, 0), max(int(top + 2 * reach), 0)),
            slice(max(left, 0), max(int(left + 2 * reach), 0)),
        )
        far = np.sqrt((x[box] - lamp_x * scale) ** 2 + (y[box] - lamp_y * scale) ** 2)
        light[box] = np.maximum(light[box], np.clip(1 - far / reach, 0, 1))
    steps = dithered(np.clip(shade + 0.5 * light, 0, 1), len(theme.wall), 0.7)
    image = np.zeros((height, width, 4), np.uint8)
    image[..., :3] = theme.wall[steps]
    warm = dithered(light * (0.55 + 0.6 * shade), len(theme.glow) + 1, 0.9)
    image[..., :3] = np.where(
        (warm > 0)[..., None], theme.glow[np.maximum(warm - 1, 0)], image[..., :3]
    )
    image[..., 3] = np.where(wall, 255, 0)
    for lamp_x, lamp_y in lamps:
        _stamp(image, LAMPS[theme.lamp], lamp_x * scale, lamp_y * scale, scale)
    return image


def _stamp(
    image: Array, drawing: tuple[str, ...], x: float, y: float, scale: int
) -> None:
    """Draw a small thing of pixels; a unit of it is 16 of them."""
    step = 16 // scale if scale < 16 else 1
    for row, line in enumerate(drawing[::step]):
        for column, sign in enumerate(line[::step]):
            if sign != " ":
                place = (
                    int(y) + row - len(drawing[::step]) // 2,
                    int(x) + column - len(line[::step]) // 2,
                )
                if 0 <= place[0] < image.shape[0] and 0 <= place[1] < image.shape[1]:
                    image[place] = (*PAINTS[sign], 255)


PAINTS = dict(
    zip(
        "rydwbBCc",
        rgb("#c8502c #f6c65a #6b3d20 #fdf2c0 #3a241a #2a4d66 #6fd0d8 #c8f6f2").tolist(),
        strict=True,
    )
)
LAMPS = {
    "torch": (
        "   r    ",
        "   rr   ",
        "  ryr   ",
        "  ryyr  ",
        "  rywr  ",
        "  rwwr  ",
        "   yy   ",
        "  bddb  ",
        "   dd   ",
        "   dd   ",
        "   dd   ",
        "   bd   ",
        "   bd   ",
        "    b   ",
    ),
    "crystal": (
        "     C      ",
        "     CC     ",
        "    CcC     ",
        "    CcC  C  ",
        "    CcC CC  ",
        " C  CcBCcC  ",
        " CC CcBCcB  ",
        " CcBCcBCcB  ",
        " CcBCcBCcB  ",
        "  CcBcBCB   ",
        "   CBcBB    ",
    ),
}
