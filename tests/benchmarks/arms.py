"""Two steps beside each other: each in a process and a world of its own, in turns.

`pickle` gives every object a `__dict__` that slows whatever comes after it, so no process measures
two things. A ratio is the median of the ratios of neighbours. All is measured twice: with the
collector as games have it, and with the collector paused for both.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple, TypeAlias

from tests.benchmarks.worlds import environment, write_game

# Makes a world of so many objects, and returns the step that is measured.
Arm: TypeAlias = Callable[[int], Callable[[], object]]


# -- in a process of its own


def measure(make: Arm, count: int, paused: bool) -> dict[str, float]:
    """Run the step of an arm once; return the processor's seconds."""
    sys.setrecursionlimit(10**9)
    gc.disable()
    step = make(count)
    gc.collect()
    if not paused:
        gc.enable()
    start = process_time()
    kept = step()
    seconds = process_time() - start
    del kept
    return {"seconds": seconds}


def weigh(make: Arm, count: int) -> dict[str, float]:
    """Run the step of an arm once; return the bytes that it took at its peak, and that it kept."""
    sys.setrecursionlimit(10**9)
    step = make(count)
    gc.collect()
    tracemalloc.start()
    kept = step()
    size, peak = tracemalloc.get_traced_memory()
    del kept
    return {"kept": size, "peak": peak}


# -- the table


class Line(NamedTuple):
    """One comparison and its bars: collector as it comes, and paused in both."""

    arm: str
    peer: str
    bars: tuple[float | None, float | None]


class Result(NamedTuple):
    """What one comparison came to: a step of savegen's, and of its peer."""

    arm: str
    peer: str
    objects: int
    collector: str  # "on" or "paused"
    mine: float  # µs an object
    theirs: float
    my_bytes: float  # an object, at the peak
    their_bytes: float
    ratio: float
    bar: float | None

    @property
    def holds(self) -> bool:
        return self.bar is None or self.ratio <= self.bar


class Bench:
    """Runs arms in processes, in a folder with the generated game."""

    def __init__(self, module: str, folder: Path, repeat: int) -> None:
        """`module` is the benchmark, which runs one arm of its own when it is told so."""
        self.module = module
        self.folder = folder
        self.repeat = repeat

    def run(self, arm: str, count: int, *flags: str) -> dict[str, float]:
        return self.asked("--arm", arm, "--objects", str(count), *flags)

    def asked(self, *words: str) -> dict[str, float]:
        """Run the benchmark with some words, in a folder with nothing but the game."""
        with tempfile.TemporaryDirectory(dir=self.folder) as empty:
            done = subprocess.run(
                [sys.executable, "-m", self.module, *words],
                cwd=empty,
                env=environment(self.folder),
                capture_output=True,
                text=True,
            )
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr[-2000:]}")
        found: dict[str, float] = json.loads(done.stdout)
        return found

    def compare(self, line: Line, count: int, paused: bool) -> Result:
        flags = ["--paused"] if paused else []
        pairs = [
            (
                self.seconds(line.arm, count, *flags),
                self.seconds(line.peer, count, *flags),
            )
            for _ in range(self.repeat)
        ]
        bar = line.bars[paused]
        if line.arm.startswith("record") and count < 100_000:
            bar = 2.2  # of few objects the fixed part is felt
        sizes = [self.run(a, count, "--weigh")["peak"] for a in (line.arm, line.peer)]
        return Result(
            line.arm,
            line.peer,
            count,
            "paused" if paused else "on",
            median(mine for mine, _ in pairs) / count * 1e6,
            median(theirs for _, theirs in pairs) / count * 1e6,
            sizes[0] / count,
            sizes[1] / count,
            median(mine / theirs for mine, theirs in pairs),
            bar,
        )

    def seconds(self, arm: str, count: int, *flags: str) -> float:
        return self.run(arm, count, *flags)["seconds"]

    def results(self, lines: Iterable[Line], counts: list[int]) -> Iterator[Result]:
        for count in counts:
            for line in lines:
                for paused in (False, True):
                    yield self.compare(line, count, paused)

    def growth(self, arms: Iterable[str], small: int, big: int) -> Iterator[str]:
        """Tell what an object costs in a big world, beside what it costs in a smaller one."""
        for arm in arms:
            ratios = [
                self.seconds(arm, big) / big * small / self.seconds(arm, small)
                for _ in range(min(self.repeat, 3))
            ]
            ratio = median(ratios)
            verdict = "" if ratio <= 1.5 else "  above it"
            yield f"{arm}: {ratio:.2f} × per object, bar 1.5{verdict}"


def head() -> str:
    return (
        f"CPython {platform.python_version()}, processor time\n"
        f"{'step':28} {'beside':22} {'objects':>9}  {'collector':9}"
        f" {'µs':>6} {'µs':>6}  {'ratio':>6} {'bar':>6}  {'bytes':>6} {'bytes':>6}"
    )


def shown(result: Result) -> str:
    bar = "" if result.bar is None else f"{result.bar:.3f}"
    verdict = "" if result.holds else "  above the bar"
    return (
        f"{result.arm:28} {result.peer:22} {result.objects:9,}  {result.collector:9}"
        f" {result.mine:6.2f} {result.theirs:6.2f}  {result.ratio:6.3f} {bar:>6}"
        f"  {result.my_bytes:6.0f} {result.their_bytes:6.0f}{verdict}"
    )


def run_benchmark(
    module: str,
    about: str,
    arms: Mapping[str, Arm],
    lines: Iterable[Line],
    growing: Iterable[str],
    more: Mapping[str, tuple[str, str]] = {},
) -> None:
    """Be the program that a benchmark is: run all of it, or the one arm that it is told to.

    `more` are words that make it print other figures, by what they are.
    """
    arguments = _arguments(about, arms)
    counts = [int(count) for count in arguments.objects.split(",")]
    if arguments.arm:
        make = arms[arguments.arm]
        found = (
            weigh(make, counts[0])
            if arguments.weigh
            else measure(make, counts[0], arguments.paused)
        )
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as name:
        write_game(Path(name))
        bench = Bench(module, Path(name), arguments.repeat)
        results = _printed(bench.results(lines, counts))
        if arguments.growth != "none":
            small, big = map(int, arguments.growth.split(","))
            print(f"from {small:,} to {big:,} objects:")
            for line in bench.growth(growing, small, big):
                print(line, flush=True)
        for title, words in more.items():
            print(f"{title}:")
            for label, figure in bench.asked(*words).items():
                print(
                    f"  {label:24} {figure:14,.0f}"
                    if figure > 99
                    else f"  {label:24} {figure:14.1f}"
                )
    if arguments.json:
        rows = [result._asdict() for result in results]
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


def _arguments(about: str, arms: Iterable[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--objects", default="1000,10000,100000")
    parser.add_argument("--growth", default="100000,1000000", help="two sizes, or none")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--arm", choices=[*arms], help=argparse.SUPPRESS)
    parser.add_argument("--paused", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--weigh", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _printed(results: Iterable[Result]) -> list[Result]:
    print(head(), flush=True)
    found = []
    for result in results:
        found.append(result)
        print(shown(result), flush=True)
    return found
