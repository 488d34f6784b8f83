"""How long maps take to become rectangles, beside the greedy way, the thesis's, and a package's.

    python -m tests.benchmarks.partition [--size 1000] [--worst 4096] [--repeat 5] [--json FILE]

All by processor time, in turns; a ratio is the median of those of neighbours. The greedy leaves
out what is empty; the thesis knows nothing of that. The package is
bitmap-to-boxes, run by node; npm brings it into a folder that is removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

import numpy as np

from savegen.levels import Partition, partition
from tests.benchmarks import maps, thesis
from tests.benchmarks.maps import Map

PACKAGE = "bitmap-to-boxes@1.0.0"
IMAGES = "ndarray@1.0.19"  # what it takes
AT_ONCE = 20  # times that a step of few milliseconds is run to be measured once
EFFORT = 4  # phases on the worst maps
# Boxes are [[left, top], [right, bottom]] if rows come first in the image.
PROGRAM = """
const [file, width, height] = process.argv.slice(2)
const data = new Uint8Array(require("fs").readFileSync(file))
const image = require("ndarray")(data, [+height, +width])
const boxes = require("bitmap-to-boxes")
boxes(require("ndarray")(data.slice(0, 64), [8, 8]))
const start = process.cpuUsage()
const found = boxes(image)
const spent = process.cpuUsage(start)
console.log(JSON.stringify({ seconds: (spent.user + spent.system) / 1e6, boxes: found }))
"""


class Row(NamedTuple):
    """One line of the table."""

    step: str
    mine: float  # seconds
    theirs: float
    ratio: float
    bar: float
    least: bool  # whether the bar is the least ratio, or the greatest
    note: str

    @property
    def holds(self) -> bool:
        return self.ratio >= self.bar if self.least else self.ratio <= self.bar


def seconds(step: Callable[[], object], times: int = 1) -> float:
    start = process_time()
    for _ in range(times):
        step()
    return (process_time() - start) / times


def greedy(cells: Map) -> Partition:
    return partition(cells, empty=0, minimum=False)


def counts(found: Partition) -> str:
    return f"{len(found.rectangles):,} rectangles, gap {found.gap:,}"


# -- the comparisons


def beside_greedy(make: Callable[[int], Map], size: int, repeat: int) -> Row:
    cells = make(size)
    pairs = [
        (
            seconds(lambda: partition(cells, empty=0), AT_ONCE // 4),
            seconds(lambda: greedy(cells), AT_ONCE),
        )
        for _ in range(repeat)
    ]
    many = f"; greedy {len(greedy(cells).rectangles):,}"
    note = counts(partition(cells, empty=0)) + many
    return _row(f"minimum / greedy, {make.__name__}", pairs, 15, False, note)


def beside_thesis(make: Callable[[int], Map], size: int, repeat: int) -> Row:
    cells = make(size)
    rows = cells.tolist()
    pairs = [
        (
            seconds(lambda: greedy(cells), AT_ONCE),
            seconds(lambda: thesis.partition(rows)),
        )
        for _ in range(repeat)
    ]
    ours = partition(cells, minimum=False).rectangles
    ours[:, 2:4] += ours[:, :2] - 1
    same = sorted(thesis.partition(rows)) == sorted(map(tuple, ours.tolist()))
    note = "the same rectangles" if same else "other rectangles"
    return _row(f"greedy, beside the thesis, {make.__name__}", pairs, 500, True, note)


def worst(make: Callable[[int], Map], size: int) -> Row:
    """Compare with the greedy on noise: by map it differs a hundredfold."""
    cells, noise = make(size), maps.noise(size)
    found: list[Partition] = []
    pairs = [
        (
            seconds(lambda: found.append(partition(cells, empty=0, effort=EFFORT))),
            seconds(lambda: greedy(noise)),
        )
    ]
    step = f"effort={EFFORT} / greedy on noise, {make.__name__} {size}²"
    return _row(step, pairs, 15, False, counts(found[0]))


def _row(
    step: str, pairs: list[tuple[float, float]], bar: float, least: bool, note: str
) -> Row:
    ratios = [theirs / mine if least else mine / theirs for mine, theirs in pairs]
    mine, theirs = (median(times) for times in zip(*pairs, strict=True))
    return Row(step, mine, theirs, median(ratios), bar, least, note)


# -- the package


def fetched(folder: Path) -> bool:
    """Bring the package into a folder, if there is a way."""
    if not shutil.which("npm") or not shutil.which("node"):
        return False
    (folder / "package.json").write_text("{}")
    (folder / "run.js").write_text(PROGRAM)
    command = ["npm", "install", "--no-audit", "--no-fund", PACKAGE, IMAGES]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def beside_package(
    make: Callable[[int], Map], size: int, repeat: int, folder: Path
) -> Row:
    cells = (make(size) > 0).astype(np.uint8)  # it knows two values
    (folder / "cells").write_bytes(cells.tobytes())
    pairs: list[tuple[float, float]] = []
    boxes: list[Box] = []
    for _ in range(repeat):
        theirs, boxes = _package(folder, size)
        pairs.append((seconds(lambda: partition(cells, empty=0)), theirs))
    note = f"{len(partition(cells, empty=0).rectangles):,} rectangles; theirs: {_judged(cells, boxes)}"
    return _row(f"minimum, beside {PACKAGE}, {make.__name__}", pairs, 40, True, note)


Box = list[list[int]]


def _package(folder: Path, size: int) -> tuple[float, list[Box]]:
    command = ["node", "--stack-size=60000", "run.js", "cells", str(size), str(size)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{PACKAGE} failed:\n{done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    return answer["seconds"], answer["boxes"]


def _judged(cells: Map, boxes: list[Box]) -> str:
    covered = np.zeros(cells.shape, int)
    for (left, top), (right, bottom) in boxes:
        covered[top:bottom, left:right] += 1
    wrong = int((covered != cells).sum())
    return f"{len(boxes):,}, {f'{wrong:,} cells wrong' if wrong else 'right'}"


# -- all of it


def rows(options: argparse.Namespace) -> Iterator[Row]:
    size, repeat = options.size, options.repeat
    for make in maps.REALISTIC:
        yield beside_greedy(make, size, repeat)
    for make in maps.REALISTIC:
        yield beside_thesis(make, size, repeat)
    with tempfile.TemporaryDirectory() as name:
        if not options.alone and fetched(Path(name)):
            for make in maps.REALISTIC:
                yield beside_package(make, size, min(repeat, 3), Path(name))
        else:
            print(f"{PACKAGE}: not measured, npm does not offer it here")
    if options.worst:
        for make in maps.WORST:
            yield worst(make, options.worst)


def shown(row: Row) -> str:
    bar = f"{'≥' if row.least else '≤'} {row.bar:g}"
    verdict = "" if row.holds else "  MISSED"
    return (
        f"{row.step:48} {row.mine * 1e3:9.1f} {row.theirs * 1e3:9.1f}"
        f" {row.ratio:8.1f} × {bar:>6}  {row.note}{verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure partitions of maps.")
    parser.add_argument("--size", type=int, default=1000, help="cells on a side")
    parser.add_argument("--worst", type=int, default=4096, help="0: no worst maps")
    parser.add_argument(
        "--repeat", type=int, default=5, help="pairs of runs for a step"
    )
    parser.add_argument("--alone", action="store_true", help="without the package")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, processor time")
    print(f"{'step':48} {'ms':>9} {'ms':>9} {'ratio':>10} {'bar':>6}")
    found = []
    for row in rows(options):
        found.append(row)
        print(shown(row), flush=True)
    if options.json:
        figures = [{**row._asdict(), "holds": row.holds} for row in found]
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
