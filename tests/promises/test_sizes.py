"""What saves weigh, and what the commands show of it: nothing is padded, nothing is hidden."""

from __future__ import annotations

import gzip
import lzma
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.promises.door import SaveSlots, encode, mismatches, refused, save_report
from tests.promises.games import Game, Play, Slot

GAME = """
import numpy as np
import numpy.typing as npt

@saveable
class Roller:
    hp: Saved[int] = 0
    dice: Saved[random.Random]

@saveable
class Cell:
    at: Saved[npt.NDArray[np.int64]]
    next: Saved[npt.NDArray[np.int64]]

@saveable
class Actor:
    position: Saved[tuple[float, float]]
    name: Saved[str]
    hp: Saved[int]
    speed: Saved[float]
    alive: Saved[bool]
    mood: Saved[str | None]
    trail: Saved[list[int]]
    foe: Saved[Actor | None]

    def __init__(self, number):
        self.position = (number * 0.5, 1.0)
        self.name = f"unit {number}"
        self.hp = number
        self.speed = number / 7
        self.alive = True
        self.mood = None
        self.trail = [number, number + 1, number + 2]
        self.foe = None
"""


def size(play: Play, make: Callable[[int], Any], count: int) -> int:
    """Return the bytes of a save of some objects."""
    manager = play.manager()
    for number in range(count):
        manager.add(make(number))
    return len(encode(manager.create_snapshot()))


def rollers(play: Play, dice: random.Random) -> Callable[[int], Any]:
    def make(number: int) -> Any:
        made = play.game.Roller()
        made.hp, made.dice = number, dice
        return made

    return make


# -- generators


def test_objects_that_share_a_generator_cost_a_few_bytes_each(play: Play) -> None:
    make = rollers(play, random.Random(1))
    assert size(play, make, 20_000) - size(play, make, 2) < 16 * 20_000


def test_a_shared_generator_is_stored_once(play: Play) -> None:
    shared = size(play, rollers(play, random.Random(1)), 200)
    apart = size(play, lambda n: rollers(play, random.Random(n))(n), 200)
    assert apart > 200 * 2500 > 20 * shared


def saved_rollers(play: Play, slots: Any) -> None:
    """Save a roller; let its generator go on, and save it again."""
    manager = play.manager()
    roller = manager.add(rollers(play, random.Random(1))(7))
    slots.save("before", manager)
    roller.dice.random()
    slots.save("after", manager)


def test_diff_sees_that_a_generator_went_on(
    game: Game, play: Play, tmp_path: Path
) -> None:
    saved_rollers(play, SaveSlots(tmp_path))
    before, after = str(tmp_path / "before"), str(tmp_path / "after")
    _, text = game.command("saves", "diff", before, after, code=None)
    assert "dice" in text or "Random" in text, text
    _, text = game.command("saves", "diff", before, before, code=None)
    assert "dice" not in text and "Random" not in text, text


def test_show_shows_two_states_of_a_generator_differently(
    game: Game, play: Play, tmp_path: Path
) -> None:
    saved_rollers(play, SaveSlots(tmp_path))
    found = [
        game.command("saves", "show", str(tmp_path / name), "Roller")[1]
        for name in ("before", "after", "before")
    ]
    assert found[0] == found[2] != found[1]


# -- arrays


def cell(play: Play, number: int) -> Any:
    import numpy as np

    made = play.game.Cell()
    made.at = np.array([number, number + 1, number + 2], dtype=np.int64)
    made.next = np.array([number, 0, -number], dtype=np.int64)
    return made


def test_a_small_array_takes_little_more_than_its_bytes(play: Play) -> None:
    many = size(play, lambda n: cell(play, n), 2000)
    few = size(play, lambda n: cell(play, n), 1000)
    assert (many - few) / 1000 <= 2 * 24 + 16


OTHERS = ["np.array([1.5, 2.0])", "np.array([1], dtype=np.int32)", "np.array(['a'])"]


@pytest.mark.parametrize("text", OTHERS)
def test_strict_capture_refuses_an_array_of_another_dtype(
    play: Play, text: str
) -> None:
    manager = play.manager()
    made = manager.add(cell(play, 1))
    made.at = eval(text, vars(play.game))
    refused("strict", lambda: manager.create_snapshot(strict=True), "Cell.at")


@pytest.mark.parametrize("text", OTHERS)
def test_an_array_of_another_dtype_is_reported_and_comes_back(
    play: Play, slot: Slot, text: str
) -> None:
    manager = play.manager()
    made = manager.add(cell(play, 1))
    made.at = eval(text, vars(play.game))
    (found,) = mismatches(save_report(slot.save(manager)))
    assert found.where == "Cell.at"
    other = play.manager()
    slot.load(other)
    (loaded,) = other.objects
    assert repr(loaded.at) == repr(made.at)


# -- beside pickle

COUNT = 3000


@pytest.fixture
def actors(play: Play) -> tuple[Any, bytes]:
    """Return a snapshot of actors, and their pickle."""
    manager = play.manager()
    units = [manager.add(play.game.Actor(number)) for number in range(COUNT)]
    dice = random.Random(1)
    for unit in units:
        unit.foe = dice.choice(units)
    return manager.create_snapshot(), pickle.dumps(units, protocol=5)


def test_a_save_is_not_larger_than_a_pickle(actors: tuple[Any, bytes]) -> None:
    snapshot, pickled = actors
    assert len(encode(snapshot)) <= len(pickled)


@pytest.mark.parametrize(
    ("method", "compress"), [("zlib", gzip.compress), ("lzma", lzma.compress)]
)
def test_a_compressed_save_is_not_larger_than_a_compressed_pickle(
    actors: tuple[Any, bytes], method: str, compress: Any
) -> None:
    snapshot, pickled = actors
    assert len(encode(snapshot, compress=method)) <= len(compress(pickled))


@pytest.mark.parametrize("method", ["zlib", "lzma", "zstd"])
def test_a_slot_is_compressed_by_the_name_of_a_method(
    play: Play, slot: Slot, method: str
) -> None:
    manager = play.manager()
    for number in range(500):
        manager.add(play.game.Actor(number))
    sizes = []
    for options in ({}, {"compress": method}):
        try:
            slot.save(manager, **options)
        except Exception as error:
            raise AssertionError(f"compress={method!r}: {error}") from error
        sizes.append((slot.folder / slot.files[-1]).stat().st_size)
    assert sizes[1] < sizes[0] / 2
    other = play.manager()
    slot.load(other)
    assert len(other) == 500
