"""Draws the levels of the game from the maps of characters in `art/maps`.

    python -m sample_game.art.draw_levels [NAME…]

A map begins with lines of a word and its value: `theme`, `scale` (pixels of the picture for a unit),
`size`, and `shape` (what is there before the blocks: `rock`, `air` or `mountain`). Then come the
signs, each with the entry of `level.lvl` that it stands for. Each `block LEFT TOP` after them is
drawn in its place: `#` is rock, `=` a ledge, `H` a ladder, `^` spikes, a space or a dot is air, `-`
air under the open sky, `~` leaves what is there, `*` is a lamp, and any other sign is the object that it stands for.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sample_game.art.paint import (
    THEMES,
    Array,
    noise,
    paint_rock,
    paint_tile,
    paint_wall,
)

MAPS = Path(__file__).parent / "maps"
LEVELS = Path(__file__).parent.parent / "levels"
# What the ground is made of: sign, colour, and prefab.
TILES = {
    "#": ("#6b6358", "Stone"),
    "=": ("#a07a4c", "Ledge"),
    "H": ("#7a5a30", "Ladder"),
    "^": ("#d0d8e0", "Spikes"),
}
LAYERS = ("back", "rock")


@dataclass
class Map:
    """A level as its author wrote it."""

    words: dict[str, str] = field(default_factory=dict)
    signs: dict[str, dict[str, Any]] = field(default_factory=dict)
    blocks: list[tuple[int, int, list[str]]] = field(default_factory=list)

    @property
    def size(self) -> tuple[int, int]:
        width, height = map(int, self.words["size"].split())
        return width, height


def read(path: Path) -> Map:
    found = Map()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        word, _, rest = line.partition(" ")
        if word == "block":
            left, top = map(int, rest.split()[:2])
            found.blocks.append((left, top, []))
        elif found.blocks:
            if line:
                found.blocks[-1][2].append(line)
        elif len(word) == 1 and word != "#":
            if word in found.signs:
                raise ValueError(f"{path.name}:{number}: {word!r} is there twice")
            found.signs[word] = json.loads(rest)
        elif word and word[0] != "#":
            found.words[word] = rest.strip()
    return found


def draw(name: str) -> None:
    """Draw a level, all of its files."""
    drawn = read(MAPS / f"{name}.txt")
    width, height = drawn.size
    solid, inside = shape(drawn.words["shape"], width, height)
    ground = np.where(solid, "#", " ")
    plain = ~solid
    things: dict[tuple[int, int], str] = {}
    lamps: dict[tuple[int, int], None] = {}
    for left, top, lines in drawn.blocks:
        for y, line in enumerate(lines, top):
            for x, sign in enumerate(line, left):
                if sign == "~":
                    continue
                if not (0 <= x < width and 0 <= y < height):
                    raise ValueError(
                        f"{name}: the block at {left} {top} leaves the level"
                    )
                ground[y, x] = sign if sign in TILES else " "
                plain[y, x] = False
                if sign in "# .-":
                    inside[y, x] = sign != "-"
                    plain[y, x] = sign != "#"
                things.pop((x, y), None)
                lamps.pop((x, y), None)
                if sign == "*":
                    lamps[x, y] = None
                elif sign not in (*TILES, " ", ".", "-"):
                    things[x, y] = sign
    _fill_behind(inside, plain, ground)
    folder = LEVELS / name
    _write_pictures(
        folder, drawn, ground, inside, [(x + 0.5, y + 0.5) for x, y in lamps]
    )
    _write_sprites(folder, drawn, ground, things, name)


def _fill_behind(inside: Array, plain: Array, ground: Array) -> None:
    """Behind a thing, a ladder or a ledge is what is behind the nearest air beside it."""
    for y, x in np.argwhere(~plain & (ground != "#")).tolist():
        for side in (x - 1, x + 1, x - 2, x + 2, x - 3, x + 3):
            if 0 <= side < len(plain[0]) and plain[y, side]:
                inside[y, x] = inside[y, side]
                break


def _write_pictures(
    folder: Path,
    drawn: Map,
    ground: Array,
    inside: Array,
    lamps: list[tuple[float, float]],
) -> None:
    theme, scale = THEMES[drawn.words["theme"]], int(drawn.words["scale"])
    solid = ground == "#"
    geometry = np.zeros((*ground.shape, 4), np.uint8)
    for sign, (colour, _) in TILES.items():
        geometry[ground == sign] = _rgba(colour)
    _store(folder / "geometry" / "back.png", np.zeros_like(geometry))
    _store(folder / "geometry" / "rock.png", geometry)
    wall = paint_wall(solid, inside, theme, scale, lamps)
    _store(folder / "visuals" / "back.png", wall)
    rock = paint_rock(solid, inside, theme, scale)
    for sign, (_, prefab) in TILES.items():
        for y, x in np.argwhere((ground == sign) & ~solid).tolist():
            paint_tile(rock, prefab.lower(), x, y, scale)
    _store(folder / "visuals" / "rock.png", rock)


def _write_sprites(
    folder: Path,
    drawn: Map,
    ground: Array,
    things: dict[tuple[int, int], str],
    name: str,
) -> None:
    width, height = drawn.size
    sprites = np.zeros((height, width, 4), np.uint8)
    if missing := set(things.values()) - set(drawn.signs):
        raise ValueError(f"{name}: no entry for {' '.join(sorted(missing))}")
    colours = dict(zip(drawn.signs, _colours(len(drawn.signs)), strict=True))
    for (x, y), sign in sorted(things.items()):
        sprites[y, x] = _rgba(colours[sign])
    _store(folder / "sprites" / "back.png", np.zeros_like(sprites))
    _store(folder / "sprites" / "rock.png", sprites)
    used = set(things.values())
    if unused := set(drawn.signs) - used:
        print(f"{name}: nowhere on the map: {' '.join(sorted(unused))}")
    text = {
        "version": 1,
        "layer_names": LAYERS,
        "layer_params": [
            {"position": {"x": 0, "y": 0, "z": z}} for z in range(-len(LAYERS) + 1, 1)
        ],
        "tiles": {
            colour: {"$type": f"{prefab}Serializer"}
            for sign, (colour, prefab) in TILES.items()
            if (ground == sign).any()
        },
        "sprites": {
            colours[sign]: entry for sign, entry in drawn.signs.items() if sign in used
        },
    }
    (folder / "level.lvl").write_text(json.dumps(text, indent=2) + "\n")


def shape(kind: str, width: int, height: int) -> tuple[Array, Array]:
    """Return where rock is, and where the wall behind it is, before any block is drawn."""
    if kind in ("rock", "air"):
        return np.full((height, width), kind == "rock"), np.ones((height, width), bool)
    # Two slopes with steps of a few units, and a crater between two horns.
    xs = np.arange(width)
    west, east = 0.53 * width, 0.765 * width
    slope = np.where(xs < west, (west - xs) / west, (xs - east) / (width - east))
    rough = 5 * noise(xs // 5, 7) + 3 * noise(xs // 2, 8)
    top = 10 + np.clip(slope, 0, 1) ** 0.85 * (height - 42) + rough
    top = np.where((xs > west) & (xs < east), 34, np.minimum(top, height - 14))
    solid = np.arange(height)[:, None] >= top.astype(int)[None, :]
    return solid, solid.copy()


def _colours(count: int) -> list[str]:
    """Return colours that are easy to tell apart, in a fixed order."""
    found: dict[str, None] = {}
    place = 0
    while len(found) < count:
        hue = place * 0.618034 % 1 * 6
        light = (255, 190, 130)[place % 3]
        parts = [
            round(light * min(max(abs((hue + turn) % 6 - 3) - 1, 0.2), 1))
            for turn in (0, 4, 2)
        ]
        found["#{:02x}{:02x}{:02x}".format(*parts)] = None
        place += 1
    return list(found)


def _rgba(colour: str) -> tuple[int, int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue, 255


def _store(path: Path, image: Array) -> None:
    """Write a picture with a palette; its first colour is transparent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = image.view(np.uint32)[..., 0]
    packed = np.where(image[..., 3] == 0, 0, packed)
    values, places = np.unique(packed, return_inverse=True)
    if len(values) > 256:
        raise ValueError(f"{path} has {len(values)} colours")
    palette = np.frombuffer(values.tobytes(), np.uint8).reshape(-1, 4)
    picture = Image.fromarray(places.reshape(packed.shape).astype(np.uint8))
    picture.putpalette(palette[:, :3].tobytes())
    if values[0] == 0:
        picture.info["transparency"] = 0
    picture.save(path, optimize=True)


if __name__ == "__main__":
    for each in sys.argv[1:] or sorted(path.stem for path in MAPS.glob("*.txt")):
        draw(each)
