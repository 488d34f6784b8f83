"""How long a level takes to load, beside the decoder of its images alone.

    python -m tests.benchmarks.level_load [--pixels 16] [--repeat 15] [--json FILE]

The level has 100 × 100 units: floors and platforms, sprites on them, and a picture that is made
of the same slices again and again; every image of a row is RGBA, or has a palette. It is loaded
from the disk into a new world of the sample game, with all that this takes: reading, checking,
the fewest rectangles, objects, hooks. The decoder is Pillow's, of the same bytes in memory. All
by processor time, in turns; a ratio is the median of those of neighbours.
"""

from __future__ import annotations

import argparse
import io
import json
import platform
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.level import FOLDER
from savegen.levels import load_level
from savegen.runtime import SaveLoadManager

SEED = 20260101
UNITS = 100
PLATFORMS, SPRITES = 60, 60
BARS = {"RGBA": 1.2, "palette": 2.0}
STONE, COIN = (107, 99, 88, 255), (255, 233, 127, 255)
LEVEL = {
    "version": 1,
    "layer_names": ["rock"],
    "tiles": {"#6b6358": {"$type": "StoneSerializer"}},
    "sprites": {"#ffe97f": {"$type": "GoldCoinSerializer", "value": 2}},
}


class Row(NamedTuple):
    """One line of the table."""

    step: str
    load: float  # seconds
    decoder: float
    ratio: float
    bar: float | None
    objects: int

    @property
    def holds(self) -> bool:
        return self.bar is None or self.ratio <= self.bar


def solid(dice: Random) -> Any:
    """Return which cells are solid: walls around, and platforms between them."""
    cells = np.zeros((UNITS, UNITS), bool)
    cells[[0, -1]] = cells[:, [0, -1]] = True
    for _ in range(PLATFORMS):
        x, y = dice.randrange(UNITS - 14), dice.randrange(4, UNITS - 3)
        cells[y : y + dice.randint(1, 3), x : x + dice.randint(4, 14)] = True
    return cells


def draw(folder: Path, pixels: int, mode: str) -> None:
    """Draw the level with so many pixels a unit."""
    dice, noise = Random(SEED), np.random.default_rng(SEED)
    cells = solid(dice)
    geometry = np.zeros((UNITS, UNITS, 4), np.uint8)
    geometry[cells] = STONE
    sprites = np.zeros((UNITS * pixels, UNITS * pixels, 4), np.uint8)
    for y, x in dice.sample([*zip(*np.nonzero(~cells), strict=True)], SPRITES):
        sprites[y * pixels + pixels // 2, x * pixels + pixels // 2] = COIN
    shades = noise.integers(60, 120, (2, pixels, pixels, 1)).repeat(3, 3) // 6 * 6
    slices = np.concatenate([shades, np.full((2, pixels, pixels, 1), 255)], 3)
    picture = slices[cells.astype(int)].swapaxes(1, 2).reshape(sprites.shape)
    for kind, found in zip(
        ("geometry", "sprites", "visuals"), (geometry, sprites, picture), strict=True
    ):
        image = Image.fromarray(found.astype(np.uint8))
        (folder / kind).mkdir(parents=True)
        if mode == "palette":
            image = image.quantize(64, method=Image.Quantize.FASTOCTREE)
        image.save(folder / kind / "rock.png")
    (folder / "level.lvl").write_text(json.dumps(LEVEL), encoding="utf-8")


def load(folder: Path) -> int:
    """Load a level into a new world; return how many objects it has."""
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    load_level(folder, manager)
    return len(manager)


def decode(files: list[bytes]) -> None:
    """Decode all images; they are there together, as whoever draws them has them."""
    images = [Image.open(io.BytesIO(data), formats=["PNG"]) for data in files]
    for image in images:
        image.load()


def spent(step: Callable[[], object]) -> float:
    start = process_time()
    step()
    return process_time() - start


def measured(step: str, folder: Path, bar: float | None, repeat: int) -> Row:
    images = [path.read_bytes() for path in sorted(folder.rglob("*.png"))]
    objects = load(folder)
    pairs = [
        (spent(lambda: load(folder)), spent(lambda: decode(images)))
        for _ in range(repeat)
    ]
    ratio = median(mine / theirs for mine, theirs in pairs)
    mine, theirs = map(median, zip(*pairs, strict=True))
    return Row(step, mine, theirs, ratio, bar, objects)


def rows(pixels: int, repeat: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as home:
        for mode, bar in BARS.items():
            folder = Path(home) / mode
            draw(folder, pixels, mode)
            yield measured(
                f"{UNITS} × {UNITS}, k = {pixels}, {mode}", folder, bar, repeat
            )
    for name in ("cellar", "cavern", "mountain"):
        step = f"the sample game's {name}"
        yield measured(step, FOLDER / name, None, max(3, repeat // 3))


def table(found: list[Row]) -> str:
    lines = [f"{'level':28} {'objects':>8} {'load':>9} {'decoder':>9} {'ratio':>8} bar"]
    for row in found:
        bar = f"{row.bar:g} ×" if row.bar else "–"
        lines.append(
            f"{row.step:28} {row.objects:8} {row.load * 1e3:6.1f} ms"
            f" {row.decoder * 1e3:6.1f} ms {row.ratio:6.2f} × {bar}"
            f"{'' if row.holds else '   over the bar'}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the loading of levels.")
    parser.add_argument("--pixels", type=int, default=16, help="pixels a unit")
    parser.add_argument("--repeat", type=int, default=15, help="pairs of runs")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, seed {SEED}, processor time")
    found = list(rows(options.pixels, options.repeat))
    print(table(found))
    if options.json:
        figures = [{**row._asdict(), "holds": row.holds} for row in found]
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
