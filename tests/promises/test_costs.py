"""What takes no longer than it must: calls of functions are counted, so no clock is needed."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.promises.door import GameObject, decode, encode
from tests.promises.games import Play

GAME = """
import numpy as np
import numpy.typing as npt

@saveable
class Plain:
    hp: Saved[int] = 1
    name: Saved[str] = ""
    foe: Saved[Plain | None] = None

@saveable
class WithSet:
    hp: Saved[int] = 1
    name: Saved[str] = ""
    foe: Saved[Plain | None] = None
    friends: Saved[set[Plain]]

    def __init__(self, *friends):
        self.friends = {*friends}

@saveable
class WithList:
    hp: Saved[int] = 1
    name: Saved[str] = ""
    foe: Saved[Plain | None] = None
    friends: Saved[list[Plain]]

    def __init__(self, *friends):
        self.friends = [*friends]

@saveable
class Chain:
    hp: Saved[int] = 1
    next: Saved[Chain | None] = None

@saveable
class Grid:
    at: Saved[npt.NDArray[np.int64]]

    def __init__(self):
        self.at = np.array([1, 2, 3])
"""
COUNT = 600


def calls(step: Callable[[], object]) -> int:
    """Return how many functions a step calls, those written in C included.

    The collector is paused: what it frees of other tests would call functions, too.
    """
    found = [0]

    def count(frame: Any, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            found[0] += 1

    before, is_on = sys.getprofile(), gc.isenabled()
    gc.collect()
    gc.disable()
    sys.setprofile(count)
    try:
        step()
    finally:
        sys.setprofile(before)
        if is_on:
            gc.enable()
    return found[0]


STEPS: dict[str, Callable[[Any, Any], Callable[[], object]]] = {
    "capture": lambda manager, other: manager.create_snapshot,
    "apply": lambda manager, other: _applied(manager),
    "encode": lambda manager, other: _encoded(manager),
    "load": lambda manager, other: _loaded(manager, other),
}


def _applied(manager: Any) -> Callable[[], object]:
    snapshot = manager.create_snapshot()
    return lambda: manager.apply_snapshot(snapshot)


def _encoded(manager: Any) -> Callable[[], object]:
    snapshot = manager.create_snapshot()
    return lambda: encode(snapshot)


def _loaded(manager: Any, other: Any) -> Callable[[], object]:
    data = encode(manager.create_snapshot())
    return lambda: other.apply_snapshot(decode(data, other))


def cost(play: Play, step: str, make: Callable[[list[Any]], Any]) -> float:
    """Return the calls that an object of a kind costs in a step."""
    manager, other = play.manager(), play.manager()
    plain = [manager.add(play.game.Plain()) for _ in range(COUNT)]
    without = calls(STEPS[step](manager, other))
    for place in range(COUNT):
        manager.add(make([plain[place], plain[place - 1]]))
    other = play.manager()
    STEPS[step](manager, other)()  # what is made once
    return (calls(STEPS[step](manager, play.manager())) - without) / COUNT


# What an object may cost at least: a step with one call for each would forbid all others.
LEAST = 2.5


@pytest.mark.parametrize("step", STEPS)
def test_an_empty_set_of_references_costs_next_to_nothing(
    play: Play, step: str
) -> None:
    bare = cost(play, step, lambda others: play.game.Plain())
    empty = cost(play, step, lambda others: play.game.WithSet())
    assert empty <= 1.5 * max(bare, LEAST)


@pytest.mark.parametrize("step", STEPS)
def test_a_filled_set_of_references_costs_little_more_than_a_list(
    play: Play, step: str
) -> None:
    listed = cost(play, step, lambda others: play.game.WithList(*others))
    filled = cost(play, step, lambda others: play.game.WithSet(*others))
    assert filled <= 2 * max(listed, LEAST)


def test_an_array_is_decoded_in_a_few_calls(play: Play) -> None:
    assert cost(play, "load", lambda others: play.game.Grid()) <= 12


def captured_chain(play: Play, added: bool) -> float:
    manager = play.manager()
    nodes = [play.game.Chain() for _ in range(COUNT)]
    for node, following in zip(nodes, nodes[1:], strict=False):
        node.next = following
    for node in nodes if added else nodes[:1]:
        manager.add(node)
    manager.create_snapshot()
    return calls(manager.create_snapshot) / COUNT


# What is reached is noted once: it is packed in the loop that goes on.
def test_a_chain_that_is_only_reached_costs_little_more_than_an_added_one(
    play: Play,
) -> None:
    added, reached = captured_chain(play, True), captured_chain(play, False)
    assert reached <= 1.6 * max(added, LEAST)


def loaded_family(play: Play, count: int) -> int:
    """Return the calls of a load of so many children of one object."""
    manager = play.manager()
    parent = manager.add(GameObject())
    for _ in range(count):
        manager.add(GameObject(parent=parent))
    return calls(_loaded(manager, play.manager()))


def test_a_child_costs_the_same_in_a_large_family(play: Play) -> None:
    loaded_family(play, 10)  # what is made once
    assert loaded_family(play, 2 * COUNT) <= 2.5 * loaded_family(play, COUNT)
