"""How long a world takes to be saved and brought back in memory, beside the usual ways.

    python -m tests.benchmarks.snapshot [--objects N[,N…]] [--repeat 3] [--json FILE]

Each measurement has a process and a world of its own: `pickle` gives every object a `__dict__`
that slows whatever comes after it. Savegen and its peers take turns, and a ratio is the median
of the ratios of neighbours. Both are measured twice: with the collector as games have it, and
with the collector paused for both.
"""

from __future__ import annotations

import argparse
import copy
import gc
import importlib
import json
import pickle
import platform
import random
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

SEED = 1
HEAD = """
from __future__ import annotations
from savegen import Saved, saveable
"""
GAME = """

@saveable
class {name}:
    {slots}
    position: Saved[tuple[float, float]]
    name: Saved[str]
    hp: Saved[int]
    speed: Saved[float]
    alive: Saved[bool]
    mood: Saved[str | None]
    trail: Saved[list[int]]
    foe: Saved[{name} | None]{more}

    def __init__(self, number: int) -> None:
        self.position = (number * 0.5, 1.0)
        self.name = f"unit {{number}}"
        self.hp = number
        self.speed = number / 7
        self.alive = True
        self.mood = None
        self.trail = [number, number + 1, number + 2]
        self.foe = None{none}
"""
SLOTS = "position name hp speed alive mood trail foe".split()
LINKED = """

@saveable
class Node:
    next: Saved[Node | None] = None
"""


def game_class(name: str, slots: str = "", more: tuple[str, ...] = ()) -> str:
    """Return the source of a class with eight fields, and `more` references."""
    declared = "".join(f"\n    {field}: Saved[{name} | None]" for field in more)
    assigned = "".join(f"\n        self.{field} = None" for field in more)
    return GAME.format(name=name, slots=slots, more=declared, none=assigned)


def write_game(folder: Path) -> None:
    """Write the game that is measured, and generate for it."""
    plain = game_class("Unit")
    slots = ", ".join(f'"{name}"' for name in SLOTS)
    slotted = game_class("Slotted", f"__slots__ = ({slots})")
    branch = game_class("Branch", more=("left", "right"))
    (folder / "units.py").write_text(HEAD + plain + slotted + branch + LINKED)
    for command in ("wire", "components"):
        subprocess.run(
            [sys.executable, "-m", "savegen", command, "units.py"],
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.DEVNULL,
            check=True,
        )


def environment(folder: Path) -> dict[str, str]:
    root = Path(__file__).parents[2]
    return {"PYTHONPATH": f"{folder}:{root}", "PYTHONHASHSEED": "0"}


# -- in a process of its own


class Arena:
    """A world of units, some of which refer to others."""

    def __init__(self, count: int, name: str = "Unit") -> None:
        from savegen.runtime import SaveLoadManager

        self.game = importlib.import_module("units")
        registry: Any = importlib.import_module("_savegen.registry")
        self.manager = SaveLoadManager(registry.REGISTRY)
        self.other = SaveLoadManager(registry.REGISTRY)
        cls = getattr(self.game, name)
        self.units = [cls(number) for number in range(count)]
        dice = random.Random(SEED)
        for unit in self.units:
            unit.foe = dice.choice(self.units)

    def added(self) -> Arena:
        for unit in self.units:
            self.manager.add(unit)
        return self

    def change(self, share: float) -> None:
        dice = random.Random(SEED)
        for unit in dice.sample(self.units, int(len(self.units) * share)):
            unit.hp += 1
            unit.position = (unit.position[0] + 1.0, 2.0)


class Tree(Arena):
    """A world that only one object was added to: each of the others has three below it."""

    def __init__(self, count: int) -> None:
        super().__init__(0)
        nodes = [self.game.Branch(number) for number in range(count)]
        for number, node in enumerate(nodes):
            below = nodes[3 * number + 1 : 3 * number + 4]
            for name, other in zip(("foe", "left", "right"), below, strict=False):
                setattr(node, name, other)
        self.units = nodes[:1]
        self.manager.add(nodes[0])


class Chain(Arena):
    """A list of nodes, each of which knows only the next."""

    def __init__(self, count: int) -> None:
        super().__init__(0)
        self.first = node = self.game.Node()
        for _ in range(count - 1):
            node.next = self.game.Node()
            node = node.next
        self.manager.add(self.first)


def rows_by_hand(units: list[Any]) -> list[tuple[Any, ...]]:
    places = {id(unit): place for place, unit in enumerate(units)}
    return [
        (
            u.position,
            u.name,
            u.hp,
            u.speed,
            u.alive,
            u.mood,
            u.trail.copy(),
            places[id(u.foe)],
        )
        for u in units
    ]


def recorded(arena: Arena, share: float) -> Callable[[], object]:
    from savegen.runtime import History

    history = History(arena.manager)
    history.record()
    arena.change(share)
    return history.record


def applied(arena: Arena, share: float) -> Callable[[], object]:
    before = arena.manager.create_snapshot()
    arena.change(share)
    return lambda: arena.manager.apply_snapshot(before)


def merged(arena: Arena) -> Callable[[], object]:
    snapshot = arena.manager.create_snapshot()
    return lambda: arena.other.merge(snapshot)


def dumped(thing: Any) -> Callable[[], object]:
    return lambda: pickle.dumps(thing, protocol=5)


def loaded(thing: Any) -> Callable[[], object]:
    saved = pickle.dumps(thing, protocol=5)
    return lambda: pickle.loads(saved)


def copied(thing: Any) -> Callable[[], object]:
    return lambda: copy.deepcopy(thing)


def by_hand(units: list[Any]) -> Callable[[], object]:
    return lambda: rows_by_hand(units)


ARMS: dict[str, Callable[[int], Callable[[], object]]] = {
    "create_snapshot": lambda n: Arena(n).added().manager.create_snapshot,
    "create_snapshot, slotted": lambda n: (
        Arena(n, "Slotted").added().manager.create_snapshot
    ),
    "apply_snapshot, all changed": lambda n: applied(Arena(n).added(), 1.0),
    "apply_snapshot, 1 % changed": lambda n: applied(Arena(n).added(), 0.01),
    "record, 1 % changed": lambda n: recorded(Arena(n).added(), 0.01),
    "create_snapshot, adopted": lambda n: Tree(n).manager.create_snapshot,
    "create_snapshot, linked list": lambda n: Chain(n).manager.create_snapshot,
    "merge into an empty world": lambda n: merged(Arena(n).added()),
    "pickle.dumps": lambda n: dumped(Arena(n).units),
    "pickle.dumps, slotted": lambda n: dumped(Arena(n, "Slotted").units),
    "pickle.dumps, adopted": lambda n: dumped(Tree(n).units),
    "pickle.loads": lambda n: loaded(Arena(n).units),
    "copy.deepcopy": lambda n: copied(Arena(n).units),
    "tuples by hand": lambda n: by_hand(Arena(n).units),
}


def measure(arm: str, count: int, paused: bool) -> dict[str, float]:
    """Run an arm once; return the processor's seconds."""
    sys.setrecursionlimit(10**9)
    gc.disable()
    step = ARMS[arm](count)
    gc.collect()
    if not paused:
        gc.enable()
    start = process_time()
    kept = step()
    seconds = process_time() - start
    del kept
    return {"seconds": seconds}


def weigh(arm: str, count: int) -> dict[str, float]:
    """Run an arm once; return the bytes that it took at its peak, and that it kept."""
    sys.setrecursionlimit(10**9)
    step = ARMS[arm](count)
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


LINES = (
    Line("create_snapshot", "pickle.dumps", (1 / 4, 1 / 3)),
    Line("create_snapshot, slotted", "pickle.dumps, slotted", (None, 1 / 5)),
    Line("create_snapshot", "copy.deepcopy", (1 / 30, 1 / 25)),
    Line("create_snapshot", "tuples by hand", (None, None)),
    Line("apply_snapshot, all changed", "pickle.loads", (1 / 5, 0.8)),
    Line("apply_snapshot, 1 % changed", "pickle.loads", (1 / 5, 0.8)),
    Line("create_snapshot, adopted", "pickle.dumps, adopted", (1 / 3, 1 / 2)),
    Line("record, 1 % changed", "create_snapshot", (1.4, 1.4)),
    Line("merge into an empty world", "pickle.loads", (None, None)),
)


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

    def __init__(self, folder: Path, repeat: int) -> None:
        self.folder = folder
        self.repeat = repeat

    def run(self, arm: str, count: int, *flags: str) -> dict[str, float]:
        words = ["-m", "tests.benchmarks.snapshot", "--arm", arm]
        done = subprocess.run(
            [sys.executable, *words, "--objects", str(count), *flags],
            cwd=self.folder,
            env=environment(self.folder),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{arm} failed:\n{done.stderr[-2000:]}")
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

    def results(self, counts: list[int]) -> Iterator[Result]:
        for count in counts:
            for line in LINES:
                for paused in (False, True):
                    yield self.compare(line, count, paused)

    def growth(self, small: int, big: int) -> Iterator[str]:
        """Tell what an object costs in a big world, beside what it costs in a smaller one."""
        for arm in ("create_snapshot", "create_snapshot, linked list"):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--objects", default="1000,10000,100000")
    parser.add_argument("--growth", default="100000,1000000", help="two sizes, or none")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--arm", choices=ARMS, help=argparse.SUPPRESS)
    parser.add_argument("--paused", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--weigh", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    counts = [int(count) for count in arguments.objects.split(",")]
    if arguments.arm:
        if arguments.weigh:
            print(json.dumps(weigh(arguments.arm, counts[0])))
        else:
            print(json.dumps(measure(arguments.arm, counts[0], arguments.paused)))
        return
    with tempfile.TemporaryDirectory() as name:
        write_game(Path(name))
        bench = Bench(Path(name), arguments.repeat)
        print(head(), flush=True)
        results = []
        for result in bench.results(counts):
            results.append(result)
            print(shown(result), flush=True)
        if arguments.growth != "none":
            small, big = map(int, arguments.growth.split(","))
            print(f"from {small:,} to {big:,} objects:")
            for line in bench.growth(small, big):
                print(line, flush=True)
    if arguments.json:
        found = [result._asdict() for result in results]
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
