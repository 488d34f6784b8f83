"""How long a world takes to be saved and brought back in memory, beside the usual ways.

    python -m tests.benchmarks.snapshot [--objects N[,N…]] [--repeat 3] [--only WORD] [--json FILE]

`tests.benchmarks.arms` says how that is measured.
"""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from tests.benchmarks.arms import Arm, Bench, Figure, Line, Probe, Suite, run_benchmark
from tests.benchmarks.worlds import WORLDS, Arena, Chain, Friends, Tree

TICKS = 10  # that are recorded when memory is measured


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


def captured(arena: Arena) -> Callable[[], object]:
    """Return a capture after the first: then what is only reached is known."""
    arena.manager.create_snapshot()
    create: Callable[[], object] = arena.manager.create_snapshot
    return create


def recorded(arena: Arena, share: float) -> Callable[[], object]:
    from savegen.runtime import History

    history = History(arena.manager)
    history.record()
    arena.change(share)
    return history.record


def history_memory(count: int) -> dict[str, float]:
    """Return the bytes that a history grows by: an object that changes, or comes and goes."""
    hurt = _growth(Arena(count, "Actor"), lambda arena, tick: arena.hurt(0.01, tick))
    return {
        "an object changed": hurt / max(1, count // 100),
        "an object replaced": _growth(
            Arena(count, "Actor"), lambda arena, tick: arena.replace(tick)
        ),
    }


def _growth(arena: Arena, change: Callable[[Arena, int], object]) -> float:
    """Return the bytes that a history grows by with each tick."""
    from savegen.runtime import History

    history = History(arena.added().manager)
    tracemalloc.start()
    sizes = []
    for tick in range(TICKS + 2):
        change(arena, tick)
        history.record()
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # The first ones put a whole snapshot in the place of another.
    return (sizes[-1] - sizes[1]) / TICKS


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


def arms_of(name: str) -> dict[str, Arm]:
    """Return what is measured of one of the three worlds."""

    def world(count: int) -> Arena:
        return Arena(count, name)

    return {
        f"create_snapshot, {name}": lambda n: world(n).added().manager.create_snapshot,
        f"apply_snapshot, nothing changed, {name}": lambda n: (
            applied(world(n).added(), 0.0)
        ),
        f"apply_snapshot, 1 % changed, {name}": lambda n: (
            applied(world(n).added(), 0.01)
        ),
        f"apply_snapshot, all changed, {name}": lambda n: (
            applied(world(n).added(), 1.0)
        ),
        f"record, 1 % changed, {name}": lambda n: recorded(world(n).added(), 0.01),
        f"pickle.dumps, {name}": lambda n: dumped(world(n).units),
        f"pickle.loads, {name}": lambda n: loaded(world(n).units),
    }


def lines_of(name: str) -> list[Line]:
    dumps, loads = f"pickle.dumps, {name}", f"pickle.loads, {name}"
    has_slots = name == "SlotActor"
    bar, aim = (0.3, 0.28) if has_slots else (0.6, 0.45)
    return [
        Line(f"create_snapshot, {name}", dumps, (bar, None), aim),
        Line(f"apply_snapshot, nothing changed, {name}", loads, (0.2, None)),
        Line(f"apply_snapshot, 1 % changed, {name}", loads, (0.25, None)),
        Line(f"apply_snapshot, all changed, {name}", loads, (0.45, None)),
        Line(f"record, 1 % changed, {name}", f"create_snapshot, {name}", (1.2, None)),
    ]


ARMS: dict[str, Arm] = {
    **{arm: make for name in WORLDS for arm, make in arms_of(name).items()},
    "create_snapshot, no set": lambda n: captured(Arena(n, "Lone").added()),
    "create_snapshot, empty sets": lambda n: captured(Friends(n, False).added()),
    "create_snapshot, filled sets": lambda n: captured(Friends(n, True).added()),
    "create_snapshot, chain of reached": lambda n: captured(Chain(n)),
    "create_snapshot, chain of added": lambda n: captured(Chain(n, whole=True)),
    "create_snapshot, tree of reached": lambda n: Tree(n).manager.create_snapshot,
    "create_snapshot, linked list": lambda n: Chain(n).manager.create_snapshot,
    "merge into an empty world": lambda n: merged(Arena(n).added()),
    "pickle.dumps, tree": lambda n: dumped(Tree(n).units),
    "copy.deepcopy": lambda n: copied(Arena(n).units),
    "tuples by hand": lambda n: by_hand(Arena(n).units),
}
LINES = [
    *(line for name in WORLDS for line in lines_of(name)),
    Line("create_snapshot, empty sets", "create_snapshot, no set", (1.5, None)),
    Line("create_snapshot, filled sets", "create_snapshot, no set", (1.5, None)),
    Line(
        "create_snapshot, chain of reached",
        "create_snapshot, chain of added",
        (1.2, None),
    ),
    Line("create_snapshot, tree of reached", "pickle.dumps, tree"),
    Line("create_snapshot, Unit", "copy.deepcopy"),
    Line("create_snapshot, Unit", "tuples by hand"),
    Line("merge into an empty world", "pickle.loads, Unit"),
]
GROWING = ("create_snapshot, Unit", "create_snapshot, linked list")


def figures(bench: Bench, count: int) -> Iterator[Figure]:
    """Yield the memory that snapshots and histories take."""
    for name in WORLDS:
        kept = bench.run(f"create_snapshot, {name}", count, "--weigh")["kept"]
        yield Figure(f"a snapshot of {name}", kept / count, "bytes an object")
    found = bench.probe("memory of a history", count)
    what = "a history, one field of 1 % of Actor changed"
    changed, replaced = found["an object changed"], found["an object replaced"]
    yield Figure(what, changed, "bytes a changed object and tick", 120)
    yield Figure("a history, one Actor replaced in a tick", replaced, "bytes a tick")


PROBES: dict[str, Probe] = {"memory of a history": history_memory}
SUITE = Suite(ARMS, LINES, GROWING, PROBES, figures)

if __name__ == "__main__":
    run_benchmark("tests.benchmarks.snapshot", str(__doc__), SUITE)
