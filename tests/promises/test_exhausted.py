"""Code of the game that runs out of memory or of calls refuses the save; no value counts as lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.promises.door import Autosave, SaveError, refused
from tests.promises.games import Games, Play, Slot

GAME = """
FAILING = {}  # by the name of what fails: the error

def may_fail(name):
    if name in FAILING:
        raise FAILING[name]

@saveable
class Hero(Recorder):
    class Tricks(Enum):
        JUGGLE = 1

    hp: Saved[int] = 10

    def __init__(self):
        self.set_dirty(self.Tricks.JUGGLE)

    @property
    def speed(self) -> Saved[int]:
        may_fail("speed")
        return 7

    @speed.setter
    def speed(self, value): ...

    @before_save
    def rest(self):
        may_fail("rest")

    @serializer(Tricks.JUGGLE)
    def save_balls(self, record):
        may_fail("save_balls")
        record.save("balls", 3)

    @deserializer(Tricks.JUGGLE)
    def load_balls(self, record):
        record.load("balls", print)

@dataclass
class Bag:
    gold: int

    @property
    def weight(self) -> int:
        may_fail("weight")
        return self.gold

    def __getattribute__(self, name):
        if name == "gold":
            may_fail("gold")
        return object.__getattribute__(self, name)

@saveable
class Cart:
    bag: Saved[Bag]

    def __init__(self):
        self.bag = Bag(5)

@saveable(override=True)
class Chest:
    gold: Saved[int] = 1

    def save_data(self, references=NO_REFERENCES):
        may_fail("save_data")
        return self.save_data_(references)

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
"""
HEAD = "from savegen import serializer, deserializer\n"
FAILING = ["speed", "rest", "save_balls", "gold", "save_data", "state"]


@pytest.fixture
def game(games: Games) -> Any:
    return games(HEAD + GAME)


def world(play: Play) -> Any:
    manager = play.manager()
    for cls in (play.game.Hero, play.game.Cart, play.game.Chest):
        manager.add(cls())
    manager.add_state("score", lambda: play.game.may_fail("state"), print)
    return manager


@contextmanager
def raising(play: Play, what: str, error: BaseException) -> Iterator[None]:
    play.game.FAILING[what] = error
    try:
        yield
    finally:
        play.game.FAILING.clear()


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
@pytest.mark.parametrize("failing", FAILING)
def test_three_saves_that_run_out_of_memory_or_calls_leave_the_good_ones(
    play: Play, slot: Slot, failing: str, error: type[Exception]
) -> None:
    manager = world(play)
    slot.save(manager)
    autosave = Autosave(slot.slots, manager)
    autosave.record()
    files = slot.files
    with raising(play, failing, error()):
        for _ in range(3):
            refused("a save", lambda: slot.save(manager))
            refused("a snapshot", manager.create_snapshot)
            refused("a record", autosave.record)
    assert slot.files == files
    assert not slot.save(manager).lost and not autosave.record().lost


@pytest.mark.parametrize("error", [ValueError("no"), KeyError("balls"), MemoryError()])
def test_what_a_serializer_raises_names_it_and_its_object(
    play: Play, slot: Slot, error: Exception
) -> None:
    manager = world(play)
    names = ("object #1", "Hero", "`save_balls`", "Tricks.JUGGLE", type(error).__name__)
    with raising(play, "save_balls", error):
        told = refused("a save", lambda: slot.save(manager), *names)
    assert told.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("failing", FAILING)
def test_what_ends_the_game_passes_and_leaves_the_good_saves(
    play: Play, slot: Slot, failing: str, error: type[BaseException]
) -> None:
    manager = world(play)
    slot.save(manager)
    files = slot.files
    with raising(play, failing, error()), pytest.raises(error):
        slot.save(manager)
    assert slot.files == files and not slot.save(manager).lost


def test_a_save_with_almost_no_calls_left_is_refused_or_exact(
    play: Play, slot: Slot
) -> None:
    """Whatever runs out first, no save has less in it than the world."""
    manager = world(play)
    refusals = saves = 0

    def dive(left: int) -> None:
        nonlocal refusals, saves
        if left:
            return dive(left - 1)
        try:
            report = slot.save(manager)
        except SaveError:
            refusals += 1
        else:
            assert report.is_exact, report
            saves += 1

    for left in range(600, 1000, 3):
        with suppress(RecursionError):  # there was not even a call left for the save
            dive(left)
    assert refusals and saves
