"""Apache Fory (`pyfory`), the fastest serialiser of Python objects: how fast, and at what price.

It is at its best with dataclasses whose fields are typed and whose class is registered, so that is
what it is measured with. Its actors refer to no others: a cycle ends the process.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

import pyfory

FLIPS = 1000  # bits that are flipped, one at a time
SECONDS = 10  # that one attempt may take
SILENT, LOUD = 3, 4  # exit codes: a wrong world, and an exception


@dataclass(eq=False)
class Actor:
    """The fields of the `Actor` of the other worlds."""

    name: str
    x: float
    y: float
    hp: int
    alive: bool
    facing: tuple[int, int]
    items: list[str]
    target: Optional[Actor] = None  # `Actor | None` is refused


def actors(count: int) -> list[Actor]:
    """Return actors that refer to no others."""
    return [
        Actor(
            f"actor {number}",
            number * 0.5,
            number / 7,
            number,
            True,
            (number % 3 - 1, 1),
            ["sword", f"key {number % 100}"],
        )
        for number in range(count)
    ]


def serializer() -> pyfory.Fory:
    fory = pyfory.Fory(xlang=False, ref=True, strict=True)
    fory.register_type(Actor)
    return fory


def robustness(count: int) -> dict[str, float]:
    """Return what becomes of worlds with references, and of damaged files.

    `cycle` and `chain` are 1 if the process crashed, `flips` the share of flipped bits after
    which a file loads without an error, as a world with other values.
    """
    first, second = actors(2)
    first.target, second.target = second, first
    chain = actors(100_000)
    for actor, following in zip(chain, chain[1:], strict=False):
        actor.target = following
    ends = Counter(_ends_of_flips())
    return {
        "cycle": float(_end(lambda: _copied([first])) < 0),
        "chain": float(_end(lambda: _copied([chain[0]])) < 0),
        "flips": ends[SILENT] / FLIPS,
    }


def _copied(world: list[Actor]) -> int:
    serializer().loads(serializer().dumps(world))
    return 0


def _ends_of_flips() -> list[int]:
    world = actors(50)
    data = serializer().dumps(world)
    values = [vars(actor) for actor in world]

    def loaded(bit: int) -> int:
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            found = serializer().loads(bytes(damaged))
        except Exception:
            return LOUD
        try:
            return 0 if [vars(actor) for actor in found] == values else SILENT
        except Exception:  # it is no list of objects any more
            return SILENT

    bits = random.Random(1).sample(range(len(data) * 8), FLIPS)
    return [_end(lambda: loaded(bit)) for bit in bits]


def _end(step: Callable[[], int]) -> int:
    """Return the exit code of a step in a process of its own; negative: what signal ended it."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = LOUD
        try:
            code = step()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
