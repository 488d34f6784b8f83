"""How long a world takes to be saved to disk and loaded from there, beside the usual ways.

    python -m tests.benchmarks.savefile [--objects N[,N…]] [--repeat 3] [--json FILE]

`tests.benchmarks.arms` says how that is measured: by processor time, so what the disk itself takes,
`fsync` in all of them, is in neither. Bytes on disk and the longest stall follow.
"""

from __future__ import annotations

import asyncio
import json
import lzma
import os
import pickle
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.arms import Arm, Line, run_benchmark
from tests.benchmarks.worlds import Arena

FOLDER = Path("saves")
STALLING = 200_000  # objects that are saved in the background


def slots() -> Any:
    from savegen.saves import SaveSlots

    return SaveSlots(FOLDER)


def saved(arena: Arena) -> Callable[[], object]:
    found = slots()
    return lambda: found.save("slot-1", arena.manager)


def loaded(arena: Arena) -> Callable[[], object]:
    found = slots()
    found.save("slot-1", arena.manager)
    return lambda: found.load("slot-1", arena.other)


def journaled(arena: Arena, changed: int) -> Callable[[], object]:
    from savegen.saves import Autosave

    autosave = Autosave(slots(), arena.manager)
    autosave.record()
    arena.change(changed / len(arena.units))
    return autosave.record


def listed(count: int) -> Callable[[], object]:
    found, arena = slots(), Arena(100).added()
    for number in range(count):
        found.save(f"slot-{number}", arena.manager, title="At the gate", playtime=61.5)
    return found.list


# -- the usual ways


def write(data: bytes, name: str) -> None:
    """Write a file as one should: whole, or not at all."""
    with open(f"{name}.new", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{name}.new", name)


def pickled(arena: Arena) -> Callable[[], object]:
    return lambda: write(pickle.dumps(arena.units, protocol=5), "world.pickle")


def compressed(arena: Arena) -> Callable[[], object]:
    return lambda: write(lzma.compress(pickle.dumps(arena.units, 5)), "world.xz")


def unpickled(arena: Arena) -> Callable[[], object]:
    pickled(arena)()
    return lambda: pickle.loads(Path("world.pickle").read_bytes())


def plain_rows(arena: Arena) -> list[list[Any]]:
    places = {id(unit): place for place, unit in enumerate(arena.units)}
    return [
        [u.position, u.name, u.hp, u.speed, u.alive, u.mood, u.trail, places[id(u.foe)]]
        for u in arena.units
    ]


def dumped(arena: Arena) -> Callable[[], object]:
    return lambda: write(json.dumps(plain_rows(arena)).encode(), "world.json")


def stored(arena: Arena) -> Callable[[], object]:
    """Fill a table of a database, texts for what it has no type for."""

    def step() -> None:
        Path("world.db").unlink(missing_ok=True)
        base = sqlite3.connect("world.db")
        base.execute(
            "create table units (x, y, name, hp, speed, alive, mood, trail, foe)"
        )
        rows = (
            (*position, *rest, json.dumps(trail), foe)
            for position, *rest, trail, foe in plain_rows(arena)
        )
        base.executemany("insert into units values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        base.commit()
        base.close()

    return step


def read_titles(count: int) -> Callable[[], object]:
    """Read a file of JSON for each slot, as if somebody had kept one beside it."""
    names = [f"title-{number}.json" for number in range(count)]
    for name in names:
        Path(name).write_text(json.dumps({"title": "At the gate", "playtime": 61.5}))
    return lambda: [json.loads(Path(name).read_bytes()) for name in names]


ARMS: dict[str, Arm] = {
    "save": lambda n: saved(Arena(n).added()),
    "save, slotted": lambda n: saved(Arena(n, "Slotted").added()),
    "load into an empty world": lambda n: loaded(Arena(n).added()),
    "journal, 1 % changed": lambda n: journaled(Arena(n).added(), n // 100),
    "list slots": lambda n: listed(min(n, 1000)),
    "pickle + write": lambda n: pickled(Arena(n)),
    "pickle + write, slotted": lambda n: pickled(Arena(n, "Slotted")),
    "lzma(pickle) + write": lambda n: compressed(Arena(n)),
    "json + write": lambda n: dumped(Arena(n)),
    "sqlite3": lambda n: stored(Arena(n)),
    "read + pickle.loads": lambda n: unpickled(Arena(n)),
    "read titles as json": lambda n: read_titles(min(n, 1000)),
}

LINES = (
    Line("save", "pickle + write", (1 / 2, 0.8)),
    Line("save, slotted", "pickle + write, slotted", (None, 0.5)),
    Line("save", "lzma(pickle) + write", (1 / 10, None)),
    Line("save", "json + write", (None, None)),
    Line("save", "sqlite3", (None, None)),
    Line("load into an empty world", "read + pickle.loads", (1 / 3, 0.95)),
    Line("journal, 1 % changed", "save", (0.6, None)),
    Line("list slots", "read titles as json", (None, None)),
)
GROWING = ("save", "load into an empty world")


# -- bytes on disk, and the longest stall


def sizes(count: int) -> dict[str, int]:
    """Return the bytes that one world takes, by the way it is saved."""
    arena = Arena(count).added()
    found = slots()
    for name, options in (
        ("plain", {}),
        ("zlib", {"compress": "zlib"}),
        ("lzma", {"compress": "lzma"}),
    ):
        found.save(name, arena.manager, **options)
    journaled(arena, count // 100)()
    for step in (pickled, compressed, dumped, stored):
        step(arena)()
    files = {
        "savegen": "saves/plain/1.sav",
        "savegen, zlib": "saves/zlib/1.sav",
        "savegen, lzma": "saves/lzma/1.sav",
        "journal, 1 % changed": "saves/auto/1.journal",
        "pickle": "world.pickle",
        "lzma(pickle)": "world.xz",
        "json": "world.json",
        "sqlite3": "world.db",
    }
    return {label: Path(name).stat().st_size for label, name in files.items()}


def stalls(count: int) -> dict[str, float]:
    """Save in the background; return the milliseconds of the snapshot and of the longest tick."""
    arena = Arena(count).added()
    found = slots()
    before = min(asyncio.run(_ticks(None))[1] for _ in range(3))
    snapshot, longest = asyncio.run(
        _ticks(lambda: found.save_async("slot-1", arena.manager))
    )
    return {"snapshot": snapshot, "longest tick": longest, "without a save": before}


async def _ticks(save: Callable[[], Any] | None) -> tuple[float, float]:
    start = perf_counter()
    waiting = asyncio.ensure_future(save() if save else asyncio.sleep(1.0))
    await asyncio.sleep(0)  # the save has begun: its snapshot is taken
    snapshot = perf_counter() - start
    longest = 0.0
    while not waiting.done():
        tick = perf_counter()
        await asyncio.sleep(0.001)
        longest = max(longest, perf_counter() - tick - 0.001)
    await waiting
    return snapshot * 1e3, longest * 1e3


def main() -> None:
    if sys.argv[1:2] == ["--sizes"]:
        print(json.dumps(sizes(int(sys.argv[2]))))
    elif sys.argv[1:2] == ["--stalls"]:
        print(json.dumps(stalls(int(sys.argv[2]))))
    else:
        run_benchmark(
            "tests.benchmarks.savefile", str(__doc__), ARMS, LINES, GROWING, MORE
        )


MORE = {
    "bytes on disk, 100,000 objects": ("--sizes", "100000"),
    f"milliseconds of the game's thread, {STALLING:,} objects saved in the background": (
        "--stalls",
        str(STALLING),
    ),
}

if __name__ == "__main__":
    main()
