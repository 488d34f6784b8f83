"""How long a world takes to be saved and brought back in memory, beside the usual ways.

    python -m tests.benchmarks.snapshot [--objects N[,N…]] [--repeat 3] [--json FILE]

`tests.benchmarks.arms` says how that is measured.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

from tests.benchmarks.arms import Arm, Line, run_benchmark
from tests.benchmarks.worlds import Arena, Chain, Tree


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


ARMS: dict[str, Arm] = {
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


GROWING = ("create_snapshot", "create_snapshot, linked list")

if __name__ == "__main__":
    run_benchmark("tests.benchmarks.snapshot", str(__doc__), ARMS, LINES, GROWING)
