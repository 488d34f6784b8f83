"""How long a world takes to be saved to disk and loaded from there, beside the usual ways.

    python -m tests.benchmarks.savefile [--objects N[,N…]] [--repeat 3] [--only WORD] [--json FILE]

`tests.benchmarks.arms` says how that is measured: by processor time, so what the disk itself takes,
`fsync` in all of them, is in neither. Bytes, memory and the longest stall follow.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import lzma
import os
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from savegen import saves
from savegen.saves import coding, file
from tests.benchmarks.arms import (
    Arm,
    Bench,
    Figure,
    Line,
    Probe,
    Step,
    Suite,
    run_benchmark,
)
from tests.benchmarks.worlds import (
    SMALL,
    WORLDS,
    Arena,
    Chain,
    Friends,
    Small,
)

FOLDER = Path("saves")
STALLING = 200_000  # objects that are saved in the background
OFTEN = 100  # times that a small world is saved
LOADS, LOADED = 1000, 500  # into new managers, objects of each


def slots() -> Any:
    return saves.SaveSlots(FOLDER)


def saved(arena: Arena) -> Callable[[], object]:
    found = slots()
    return lambda: found.save("slot-1", arena.manager)


def loaded(arena: Arena, full: bool = False) -> Callable[[], object]:
    """Return a load into an empty world, or over the one that was saved."""
    found, manager = slots(), arena.manager if full else arena.other
    found.save("slot-1", arena.manager)
    return lambda: found.load("slot-1", manager)


def journaled(arena: Arena) -> Callable[[], object]:
    autosave = saves.Autosave(slots(), arena.manager)
    autosave.record()
    arena.change(0.01)
    record: Callable[[], object] = autosave.record
    return record


def compressed_by(compress: Any, arena: Arena) -> Callable[[], object]:
    """Return a step that compresses the sections of a save, and does nothing else to them."""
    sections = coding.read(
        saves.encode(arena.manager.create_snapshot())
    ).body.sections()
    return lambda: file.save_file(sections, saves.Metadata(), compression=compress)


def listed(count: int) -> Callable[[], object]:
    found, arena = slots(), Arena(100).added()
    for number in range(count):
        found.save(f"slot-{number}", arena.manager, title="At the gate", playtime=61.5)
    return Step(lambda turn: found.list(), count)


# -- a small world, again and again


def small(step: Callable[[int], object]) -> Step:
    return Step(step, SMALL, OFTEN)


def encoded_small() -> Callable[[], object]:
    manager, encode = Small().added().manager, saves.encode
    encode(manager.create_snapshot())
    return small(lambda turn: encode(manager.create_snapshot()))


def decoded_small() -> Callable[[], object]:
    arena, decode = Small().added(), saves.decode
    data = saves.encode(arena.manager.create_snapshot())
    managers = [arena.new_manager() for _ in range(OFTEN)]
    arena.other.apply_snapshot(decode(data, arena.other))
    return small(
        lambda turn: managers[turn].apply_snapshot(decode(data, managers[turn]))
    )


def pickled_small() -> Callable[[], object]:
    units = Small().units
    return small(lambda turn: pickle.dumps(units, protocol=5))


def unpickled_small() -> Callable[[], object]:
    data = pickle.dumps(Small().units, protocol=5)
    kept: list[Any] = []
    return small(lambda turn: kept.append(pickle.loads(data)))


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


def by_hand(arena: Arena) -> Callable[[], object]:
    from tests.benchmarks import expert

    return lambda: write(expert.dumped(arena.units), "world.msgpack")


def back_by_hand(arena: Arena) -> Callable[[], object]:
    from tests.benchmarks import expert

    by_hand(arena)()
    return lambda: expert.loaded(Path("world.msgpack").read_bytes())


def by_fory(count: int) -> Callable[[], object]:
    from tests.benchmarks import fory

    serializer, world = fory.serializer(), fory.actors(count)
    return lambda: write(serializer.dumps(world), "world.fory")


def back_by_fory(count: int) -> Callable[[], object]:
    from tests.benchmarks import fory

    by_fory(count)()
    serializer = fory.serializer()
    return lambda: serializer.loads(Path("world.fory").read_bytes())


def robustness_of_fory(count: int) -> dict[str, float]:
    from tests.benchmarks import fory

    return fory.robustness(count)


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
    return Step(
        lambda turn: [json.loads(Path(name).read_bytes()) for name in names], count
    )


# -- the table


def arms_of(name: str) -> dict[str, Arm]:
    """Return what is measured of one of the three worlds."""

    def world(count: int) -> Arena:
        return Arena(count, name)

    return {
        f"save, {name}": lambda n: saved(world(n).added()),
        f"load into an empty world, {name}": lambda n: loaded(world(n).added()),
        f"load over a full world, {name}": lambda n: loaded(world(n).added(), True),
        f"pickle + write, {name}": lambda n: pickled(world(n)),
        f"read + pickle.loads, {name}": lambda n: unpickled(world(n)),
    }


def lines_of(name: str) -> list[Line]:
    bar, aim = (0.45, 0.38) if name == "SlotActor" else (0.8, 0.65)
    loads = f"read + pickle.loads, {name}"
    return [
        Line(f"save, {name}", f"pickle + write, {name}", (bar, None), aim),
        Line(f"load into an empty world, {name}", loads, (0.45, None)),
        Line(f"load over a full world, {name}", loads, (0.7, None)),
    ]


ARMS: dict[str, Arm] = {
    **{arm: make for name in WORLDS for arm, make in arms_of(name).items()},
    "save by hand, Actor": lambda n: by_hand(Arena(n, "Actor")),
    "load by hand, Actor": lambda n: back_by_hand(Arena(n, "Actor")),
    "pyfory + write, Actor": lambda n: by_fory(n),
    "read + pyfory, Actor": lambda n: back_by_fory(n),
    "encode, small world": lambda n: encoded_small(),
    "decode + apply, small world": lambda n: decoded_small(),
    "pickle.dumps, small world": lambda n: pickled_small(),
    "pickle.loads, small world": lambda n: unpickled_small(),
    "save, no set": lambda n: saved(Arena(n, "Lone").added()),
    "save, empty sets": lambda n: saved(Friends(n, False).added()),
    "save, filled sets": lambda n: saved(Friends(n, True).added()),
    "load, no set": lambda n: loaded(Arena(n, "Lone").added()),
    "load, empty sets": lambda n: loaded(Friends(n, False).added()),
    "load, filled sets": lambda n: loaded(Friends(n, True).added()),
    "save, linked list": lambda n: saved(Chain(n)),
    "journal, 1 % changed": lambda n: journaled(Arena(n).added()),
    "compress with zlib, Unit": lambda n: compressed_by("zlib", Arena(n).added()),
    "compress with zstd, Unit": lambda n: compressed_by("zstd", Arena(n).added()),
    "list slots": lambda n: listed(min(n, 1000)),
    "lzma(pickle) + write": lambda n: compressed(Arena(n)),
    "json + write": lambda n: dumped(Arena(n)),
    "sqlite3": lambda n: stored(Arena(n)),
    "read titles as json": lambda n: read_titles(min(n, 1000)),
}
LINES = [
    *(line for name in WORLDS for line in lines_of(name)),
    Line("save, Actor", "save by hand, Actor", (2.2, None)),
    Line("load into an empty world, Actor", "load by hand, Actor", (1.5, None)),
    Line("save, Actor", "pyfory + write, Actor"),
    Line("load into an empty world, Actor", "read + pyfory, Actor"),
    Line("encode, small world", "pickle.dumps, small world", (1.5, None)),
    Line("decode + apply, small world", "pickle.loads, small world", (2.5, None)),
    Line("save, empty sets", "save, no set", (1.5, None)),
    Line("save, filled sets", "save, no set", (1.5, None)),
    Line("load, empty sets", "load, no set", (1.5, None)),
    Line("load, filled sets", "load, no set", (1.5, None)),
    Line("journal, 1 % changed", "save, Unit", (0.6, None)),
    Line("compress with zstd, Unit", "compress with zlib, Unit", (0.3, None)),
    Line("save, Unit", "lzma(pickle) + write"),
    Line("save, Unit", "json + write"),
    Line("save, Unit", "sqlite3"),
    Line("list slots", "read titles as json"),
]
GROWING = ("save, Unit", "load into an empty world, Unit", "save, linked list")


# -- bytes, memory, and the longest stall


def sizes_of(name: str, count: int) -> dict[str, float]:
    """Return the bytes of a world, as savegen writes it and as pickle does."""
    arena, encode = Arena(count, name).added(), saves.encode
    snapshot = arena.manager.create_snapshot()
    data = pickle.dumps(arena.units, protocol=5)
    found = {
        "plain": encode(snapshot),
        "zlib": encode(snapshot, compress="zlib"),
        "lzma": encode(snapshot, compress="lzma"),
        "zstd": encode(snapshot, compress="zstd"),
        "pickle": data,
        "gzip": gzip.compress(data),
        "xz": lzma.compress(data),
    }
    return {way: len(each) for way, each in found.items()}


def other_sizes(count: int) -> dict[str, float]:
    """Return the bytes of a record of 1 %, and of the save before it."""
    arena = Arena(count).added()
    journaled(arena)()
    for step in (dumped, stored):
        step(arena)()
    (base,) = Path("saves/auto").glob("*.sav")
    (record,) = Path("saves/auto").glob("*.journal")
    files = {
        "save": base,
        "record": record,
        "json": Path("world.json"),
        "sqlite3": Path("world.db"),
    }
    return {label: path.stat().st_size for label, path in files.items()}


def many_loads(count: int) -> dict[str, float]:
    """Load again and again into new managers; return the most memory, and that of ten."""
    arena, found = Arena(LOADED).added(), slots()
    found.save("slot-1", arena.manager)
    most = few = 0
    for turn in range(LOADS):
        found.load("slot-1", arena.new_manager())
        most = max(most, _memory())
        few = most if turn < 10 else few
    return {"most": most, "few": few}


def _memory() -> int:
    # The peak that the system reports begins with that of the process that started this one.
    return int(Path("/proc/self/statm").read_text().split()[1])


def imports(count: int) -> dict[str, float]:
    """Return the seconds that imports take in a bare interpreter."""
    program = "from time import process_time as t; a = t(); import {}; print(t() - a)"
    return {
        name: median(_printed(program.format(name)) for _ in range(7))
        for name in ("msgspec", "savegen.runtime")
    }


def _printed(program: str) -> float:
    words = [sys.executable, "-c", program]
    return float(subprocess.run(words, capture_output=True, check=True).stdout)


def stalls(count: int) -> dict[str, float]:
    """Save in the background; return the milliseconds of the snapshot and of the longest tick."""
    arena = Arena(min(2 * count, STALLING)).added()
    found = slots()
    before = min(asyncio.run(_ticks(None))[1] for _ in range(3))
    snapshot, longest = asyncio.run(
        _ticks(lambda: found.save_async("slot-1", arena.manager))
    )
    return {
        "the snapshot": snapshot,
        "the longest tick": longest,
        "the longest tick without a save": before,
    }


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


PROBES: dict[str, Probe] = {
    **{f"sizes, {name}": partial(sizes_of, name) for name in WORLDS},
    "other sizes": other_sizes,
    "many loads": many_loads,
    "imports": imports,
    "stalls": stalls,
    "pyfory": robustness_of_fory,
}


def figures(bench: Bench, count: int) -> Iterator[Figure]:
    """Yield what files weigh, what loads leave in memory, and how long a game stalls."""
    for name in WORLDS:
        yield from _sizes(name, bench.probe(f"sizes, {name}", count), count)
    found = bench.probe("other sizes", count)
    ratio = found["record"] / found["save"]
    yield Figure(
        "bytes of a record, 1 % of Unit changed, beside the save", ratio, "×", 1 / 50
    )
    for label in ("json", "sqlite3"):
        yield Figure(
            f"bytes of Unit as {label}", found[label] / count, "bytes an object"
        )
    for name in WORLDS:
        kept, unpickled = (
            bench.run(f"{way}, {name}", count, "--weigh")["kept"]
            for way in ("load into an empty world", "read + pickle.loads")
        )
        what = f"memory of a world of {name} after a load"
        yield Figure(what, kept / count, "bytes an object")
        yield Figure(f"{what}, beside pickle's", kept / unpickled, "×", 1.2)
    loads = bench.probe("many loads", count)
    what = f"memory of {LOADS:,} loads of {LOADED} objects, beside that of ten"
    yield Figure(what, loads["most"] / loads["few"], "×", 1.2)
    seconds = bench.probe("imports", count)
    ratio = seconds["savegen.runtime"] / seconds["msgspec"]
    yield Figure("import savegen.runtime, beside import msgspec", ratio, "×", 3)
    for label, milliseconds in bench.probe("stalls", count).items():
        yield Figure(f"saving Unit in the background: {label}", milliseconds, "ms")
    found = bench.probe("pyfory", count)
    yield Figure(
        "pyfory: a cycle of two objects crashes the process", found["cycle"], ""
    )
    yield Figure("pyfory: a chain of 100,000 crashes the process", found["chain"], "")
    yield Figure("pyfory: flipped bits that load in silence", found["flips"], "of 1")


def _sizes(name: str, found: dict[str, float], count: int) -> Iterator[Figure]:
    yield Figure(f"bytes of {name}", found["plain"] / count, "bytes an object")
    pairs = ("plain", "pickle"), ("zlib", "gzip"), ("zstd", "gzip"), ("lzma", "xz")
    for mine, theirs in pairs:
        peer = "its pickle" if theirs == "pickle" else f"its pickle, {theirs}"
        what = f"bytes of {name}, {mine}, beside {peer}"
        yield Figure(what, found[mine] / found[theirs], "×", 1.0)
    what = f"bytes of {name}, zstd, beside zlib"
    yield Figure(what, found["zstd"] / found["zlib"], "×", 1.05)


SUITE = Suite(ARMS, LINES, GROWING, PROBES, figures)

if __name__ == "__main__":
    run_benchmark("tests.benchmarks.savefile", str(__doc__), SUITE)
