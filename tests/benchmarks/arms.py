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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple, TypeAlias

from tests.benchmarks.worlds import environment, write_game

# Makes a world of so many objects, and returns the step that is measured.
Arm: TypeAlias = Callable[[int], Callable[[], object]]
# Returns what else can be said of a world of so many objects, by name.
Probe: TypeAlias = Callable[[int], dict[str, float]]


class Step:
    """A step that is run several times, or with another number of objects than was asked for."""

    def __init__(
        self, run: Callable[[int], object], objects: int, times: int = 1
    ) -> None:
        """`run` takes the number of its turn."""
        self.objects = objects
        self.times = times
        self._run = run

    def __call__(self) -> object:
        return [self._run(turn) for turn in range(self.times)][-1]


# -- in a process of its own


def measure(make: Arm, count: int, paused: bool) -> dict[str, float]:
    """Run the step of an arm once; return the processor's seconds, and its objects."""
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
    times, objects = getattr(step, "times", 1), getattr(step, "objects", count)
    return {"seconds": seconds / times, "objects": objects}


def weigh(make: Arm, count: int) -> dict[str, float]:
    """Run the step of an arm once; return the bytes that it took at its peak, and that it kept."""
    sys.setrecursionlimit(10**9)
    step = make(count)
    gc.collect()
    tracemalloc.start()
    kept = step()
    gc.collect()
    size, peak = tracemalloc.get_traced_memory()
    del kept
    return {"kept": size, "peak": peak}


# -- the table


class Line(NamedTuple):
    """One comparison and its bars: collector as it comes, and paused in both."""

    arm: str
    peer: str
    bars: tuple[float | None, float | None] = (None, None)
    aim: float | None = None  # what the bar may become, collector as it comes


class Result(NamedTuple):
    """What one comparison came to: a step of savegen's, and of its peer."""

    arm: str
    peer: str
    objects: int
    collector: str  # "on" or "paused"
    mine: float  # µs an object
    theirs: float
    ratio: float
    bar: float | None
    aim: float | None

    @property
    def holds(self) -> bool:
        return self.bar is None or self.ratio <= self.bar


class Figure(NamedTuple):
    """Something that is no comparison of times, and its bar."""

    what: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def holds(self) -> bool:
        return self.bar is None or self.value <= self.bar


class Bench:
    """Runs arms in processes, in a folder with the generated game."""

    def __init__(self, module: str, folder: Path, repeat: int) -> None:
        """`module` is the benchmark, which runs one arm of its own when it is told so."""
        self.module = module
        self.folder = folder
        self.repeat = repeat

    def run(self, arm: str, count: int, *flags: str) -> dict[str, float]:
        return self._asked("--arm", arm, "--objects", str(count), *flags)

    def probe(self, name: str, count: int) -> dict[str, float]:
        """Return what a probe finds, in a process of its own."""
        return self._asked("--probe", name, "--objects", str(count))

    def _asked(self, *words: str) -> dict[str, float]:
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
            [self.run(arm, count, *flags) for arm in (line.arm, line.peer)]
            for _ in range(self.repeat)
        ]
        mine, theirs = ([each["seconds"] for each in runs] for runs in zip(*pairs))
        objects = int(pairs[0][0]["objects"])
        return Result(
            line.arm,
            line.peer,
            objects,
            "paused" if paused else "on",
            median(mine) / objects * 1e6,
            median(theirs) / objects * 1e6,
            median(one / other for one, other in zip(mine, theirs)),
            line.bars[paused],
            None if paused else line.aim,
        )

    def seconds(self, arm: str, count: int) -> float:
        return self.run(arm, count)["seconds"]

    def results(self, lines: Iterable[Line], counts: list[int]) -> Iterator[Result]:
        for count in counts:
            for line in lines:
                for paused in (False, True):
                    yield self.compare(line, count, paused)

    def growth(self, arms: Iterable[str], small: int, big: int) -> Iterator[Figure]:
        """Yield what an object costs in a big world, beside what it costs in a smaller one."""
        for arm in arms:
            ratios = [
                self.seconds(arm, big) / big * small / self.seconds(arm, small)
                for _ in range(min(self.repeat, 3))
            ]
            what = f"{arm}: an object at {big:,} beside {small:,}"
            yield Figure(what, median(ratios), "×", 1.5)


def head() -> str:
    return (
        f"CPython {platform.python_version()}, processor time\n"
        f"{'step':42} {'beside':34} {'objects':>9}  {'collector':9}"
        f" {'µs':>8} {'µs':>8}  {'ratio':>6} {'bar':>6} {'aim':>6}"
    )


def shown(result: Result) -> str:
    bar, aim = (
        "" if each is None else f"{each:.3g}" for each in (result.bar, result.aim)
    )
    verdict = "" if result.holds else "  above the bar"
    return (
        f"{result.arm:42} {result.peer:34} {result.objects:9,}  {result.collector:9}"
        f" {result.mine:8.3f} {result.theirs:8.3f}  {result.ratio:6.3f} {bar:>6} {aim:>6}{verdict}"
    )


def shown_figure(figure: Figure) -> str:
    bar = "" if figure.bar is None else f"  bar {figure.bar:.3g}"
    verdict = "" if figure.holds else "  above the bar"
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
    return f"{figure.what:78} {value:>10} {figure.unit}{bar}{verdict}"


# -- the program


class Suite(NamedTuple):
    """What a benchmark measures."""

    arms: Mapping[str, Arm]
    lines: Sequence[Line]
    growing: Sequence[str] = ()
    probes: Mapping[str, Probe] = {}
    figures: Callable[[Bench, int], Iterator[Figure]] = lambda bench, count: iter(())


def together(*suites: Suite) -> Suite:
    """Return one suite with all that some measure."""
    arms: dict[str, Arm] = {}
    probes: dict[str, Probe] = {}
    for suite in suites:
        arms |= suite.arms
        probes |= suite.probes
    return Suite(
        arms,
        [line for suite in suites for line in suite.lines],
        [*dict.fromkeys(arm for suite in suites for arm in suite.growing)],
        probes,
        lambda bench, count: (
            figure for suite in suites for figure in suite.figures(bench, count)
        ),
    )


def run_benchmark(module: str, about: str, suite: Suite) -> None:
    """Be the program that a benchmark is: run all of it, or the one arm that it is told to."""
    arguments = _arguments(about, suite)
    counts = [int(count) for count in arguments.objects.split(",")]
    if arguments.probe:
        print(json.dumps(suite.probes[arguments.probe](counts[0])))
    elif arguments.arm:
        print(json.dumps(_one(suite.arms[arguments.arm], counts[0], arguments)))
    else:
        _run_all(module, suite, counts, arguments)


def _one(make: Arm, count: int, arguments: argparse.Namespace) -> dict[str, float]:
    if arguments.weigh:
        return weigh(make, count)
    return measure(make, count, arguments.paused)


def _run_all(
    module: str, suite: Suite, counts: list[int], arguments: argparse.Namespace
) -> None:
    lines = [line for line in suite.lines if arguments.only in line.arm]
    with tempfile.TemporaryDirectory() as name:
        write_game(Path(name))
        bench = Bench(module, Path(name), arguments.repeat)
        print(head(), flush=True)
        results = _printed(bench.results(lines, counts), shown)
        figures: list[Figure] = []
        if not arguments.only:
            figures += _printed(suite.figures(bench, max(counts)), shown_figure)
        if arguments.growth != "none":
            small, big = map(int, arguments.growth.split(","))
            growing = [arm for arm in suite.growing if arguments.only in arm]
            figures += _printed(bench.growth(growing, small, big), shown_figure)
    if arguments.json:
        _store(arguments, results, figures)


def _store(
    arguments: argparse.Namespace, results: list[Result], figures: list[Figure]
) -> None:
    found = {
        "python": platform.python_version(),
        "repeat": arguments.repeat,
        "lines": [{**each._asdict(), "holds": each.holds} for each in results],
        "figures": [{**each._asdict(), "holds": each.holds} for each in figures],
    }
    arguments.json.write_text(json.dumps(found, indent=2) + "\n")


def _arguments(about: str, suite: Suite) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--objects", default="100000", help="sizes of the worlds")
    parser.add_argument("--growth", default="100000,1000000", help="two sizes, or none")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="steps with this in their names")
    parser.add_argument("--json", type=Path, help="write the results here, too")
    parser.add_argument("--arm", choices=[*suite.arms], help=argparse.SUPPRESS)
    parser.add_argument("--probe", choices=[*suite.probes], help=argparse.SUPPRESS)
    parser.add_argument("--paused", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--weigh", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _printed(found: Iterable[Any], shown: Callable[[Any], str]) -> list[Any]:
    """Print each of some results when it is there; return all of them."""
    kept = []
    for each in found:
        kept.append(each)
        print(shown(each), flush=True)
    return kept
