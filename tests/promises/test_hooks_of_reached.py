"""Hooks: objects that are only reached get the same ones as objects that were added, in one order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.promises.door import SaveApplyError, decode, encode, promised
from tests.promises.games import Games, Play, Slot

GAME = """
CALLS = []

@saveable
class Cat:
    name: Saved[str] = ""
    friend: Saved[Cat | None] = None
    fails: ClassVar[str] = ""

    def __init__(self, name, friend=None):
        self.name, self.friend = name, friend

    @before_save
    def tidy(self):
        CALLS.append(("tidy", self.name))

    @on_activate
    def wake(self, reason):
        CALLS.append((reason.name.lower(), self.name))
        if self.name == Cat.fails:
            raise ValueError("the cat is ill")

    @on_deactivate
    def rest(self):
        CALLS.append(("rest", self.name))

# A class number is a hash of the name: some of these come before `Cat`, and some after it.
@saveable
class Ant(Cat): pass

@saveable
class Bee(Cat): pass

@saveable
class Dog(Cat): pass

@saveable
class Elk(Cat): pass

@saveable
class Zoo:
    cats: Saved[list[Cat]]

    def __init__(self, *cats):
        self.cats = [*cats]

@saveable
class Kitten(Cat):
    def tidy(self):
        CALLS.append(("kitten tidies", self.name))

    def wake(self, reason):
        CALLS.append(("kitten wakes", self.name))

    def rest(self):
        CALLS.append(("kitten rests", self.name))

class Sleepy:
    def wake(self, reason):
        CALLS.append(("sleeps on", self.name))

@saveable
class Mouser(Sleepy, Cat):  # the first base wins, although only the second has the mark
    def rest(self):
        super().rest()
        CALLS.append(("mouser rests", self.name))

@saveable
class Statue(Cat):
    tidy = wake = rest = None

@saveable
class Golem(Statue):
    def wake(self, reason):
        CALLS.append(("golem wakes", self.name))

from rest import Robot

@saveable
class Droid(Robot):
    name: Saved[str] = ""

    def __init__(self, name):
        self.name = name

    def boot(self, reason):
        CALLS.append(("droid boots", self.name))

    def __check(self):
        CALLS.append(("not a hook", self.name))

    def halt(self):
        CALLS.append(("droid halts", self.name))
"""

REST = """
class Machine:  # not saveable itself
    @on_activate
    def boot(self, reason): raise AssertionError

    @before_save
    def __check(self):
        self.checked = True

@saveable(transient=("checked",))
class Robot(Machine):
    power: Saved[int] = 3

    @on_deactivate
    def halt(self): raise AssertionError
"""


@pytest.fixture
def play(games: Games) -> Iterator[Play]:
    with games(GAME, rest=REST).playing() as play:
        play.game.CALLS.clear()
        play.game.Cat.fails = ""
        yield play
        play.game.Cat.fails = ""


def calls(play: Play) -> list[tuple[str, str]]:
    """Return the hooks that were called since this was asked last."""
    found = [*play.game.CALLS]
    play.game.CALLS.clear()
    return found


def found(play: Play, manager: Any) -> list[str]:
    return sorted(cat.name for cat in manager.find(play.game.Cat))


# -- add


def test_adding_an_object_activates_what_it_reaches(play: Play) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom", game.Bee("Maya"))))
    assert sorted(calls(play)) == [("spawned", "Maya"), ("spawned", "Tom")]


def test_adding_an_object_lets_find_return_what_it_reaches(play: Play) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom", game.Bee("Maya"))))
    assert found(play, manager) == ["Maya", "Tom"]


def test_adding_an_object_fails_as_a_whole_if_a_hook_of_what_it_reaches_raises(
    play: Play,
) -> None:
    game, manager = play.game, play.manager()
    game.Cat.fails = "Maya"
    with pytest.raises(Exception, match="ill"):
        manager.add(game.Zoo(game.Cat("Tom", game.Bee("Maya"))))
    assert len(manager) == 0 and found(play, manager) == []


def test_an_object_that_is_reached_twice_is_activated_once(play: Play) -> None:
    game, manager = play.game, play.manager()
    tom = game.Cat("Tom")
    manager.add(game.Zoo(tom, tom))
    manager.add(game.Zoo(tom))
    assert calls(play) == [("spawned", "Tom")]


def test_an_added_object_is_activated_once_although_others_reach_it(play: Play) -> None:
    game, manager = play.game, play.manager()
    tom = manager.add(game.Cat("Tom"))
    manager.add(game.Zoo(tom))
    assert calls(play) == [("spawned", "Tom")]


# -- capture


def test_a_capture_calls_no_hook_but_before_save(play: Play) -> None:
    game, manager = play.game, play.manager()
    zoo = manager.add(game.Zoo())
    zoo.cats.append(game.Cat("Tom", game.Bee("Maya")))
    manager.create_snapshot()
    assert {name for name, _ in calls(play)} == {"tidy"}
    zoo.cats.clear()
    manager.create_snapshot()
    assert {name for name, _ in calls(play)} <= {"tidy"}


def test_after_a_capture_find_returns_what_it_met(play: Play) -> None:
    game, manager = play.game, play.manager()
    zoo = manager.add(game.Zoo())
    zoo.cats.append(game.Cat("Tom"))
    manager.create_snapshot()
    assert found(play, manager) == ["Tom"]
    zoo.cats.clear()
    manager.create_snapshot()
    assert found(play, manager) == []


# -- load


def test_a_load_activates_what_is_reached(play: Play, slot: Slot) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom", game.Bee("Maya"))))
    snapshot = manager.create_snapshot()
    slot.save(manager)
    calls(play)
    manager.apply_snapshot(snapshot)
    assert sorted(calls(play)) == [("reloaded", "Maya"), ("reloaded", "Tom")]
    slot.load(play.manager())
    assert sorted(calls(play)) == [("restored", "Maya"), ("restored", "Tom")]


def test_after_a_load_find_returns_what_is_reached(play: Play, slot: Slot) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom", game.Bee("Maya"))))
    slot.save(manager)
    other = play.manager()
    slot.load(other)
    assert found(play, other) == ["Maya", "Tom"]


def test_a_load_deactivates_what_is_not_reached_any_more(play: Play) -> None:
    game, manager = play.game, play.manager()
    zoo = manager.add(game.Zoo())
    before = manager.create_snapshot()
    zoo.cats.append(game.Cat("Tom", game.Bee("Maya")))
    manager.create_snapshot()
    calls(play)
    manager.apply_snapshot(before)
    assert sorted(calls(play)) == [("rest", "Maya"), ("rest", "Tom")]


def test_a_load_from_a_file_deactivates_the_objects_that_it_replaces(
    play: Play, slot: Slot
) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom")))
    slot.save(manager)
    calls(play)
    slot.load(manager)
    assert calls(play) == [("rest", "Tom"), ("restored", "Tom")]


def test_clearing_a_world_deactivates_what_is_reached(play: Play) -> None:
    game, manager = play.game, play.manager()
    manager.add(game.Zoo(game.Cat("Tom")))
    manager.create_snapshot()
    calls(play)
    manager.clear()
    assert calls(play) == [("rest", "Tom")]
    assert found(play, manager) == []


def test_a_hook_of_a_reached_object_that_raises_undoes_the_load(play: Play) -> None:
    game, manager = play.game, play.manager()
    zoo = manager.add(game.Zoo(game.Cat("Tom")))
    before = manager.create_snapshot()
    zoo.cats[0].name = "Felix"
    game.Cat.fails = "Tom"
    with pytest.raises(SaveApplyError, match="Cat.wake.*ill"):
        manager.apply_snapshot(before)
    assert zoo.cats[0].name == "Felix"


# -- overrides of hooks


def test_an_override_of_a_hook_is_a_hook_without_a_decorator(play: Play) -> None:
    manager = play.manager()
    kit = manager.add(play.game.Kitten("Kit"))
    assert calls(play) == [("kitten wakes", "Kit")]
    snapshot = manager.create_snapshot()
    assert calls(play) == [("kitten tidies", "Kit")]
    manager.apply_snapshot(snapshot)
    assert calls(play) == [("kitten wakes", "Kit")]
    manager.destroy(kit)
    assert calls(play) == [("kitten rests", "Kit")]


@pytest.mark.parametrize(
    ("name", "on_add", "on_save", "on_load", "on_destroy"),
    [
        ("Mouser", ["sleeps on"], ["tidy"], ["sleeps on"], ["rest", "mouser rests"]),
        ("Statue", [], [], [], []),
        ("Golem", ["golem wakes"], [], ["golem wakes"], []),
        ("Droid", ["droid boots"], [], ["droid boots"], ["droid halts"]),
    ],
)
def test_overrides_are_found_as_python_finds_them(
    play: Play,
    name: str,
    on_add: list[str],
    on_save: list[str],
    on_load: list[str],
    on_destroy: list[str],
) -> None:
    manager, other = play.manager(), play.manager()
    thing = manager.add(getattr(play.game, name)("X"))
    assert [call for call, _ in calls(play)] == on_add
    snapshot = manager.create_snapshot()
    assert [call for call, _ in calls(play)] == on_save
    manager.apply_snapshot(snapshot)
    assert [call for call, _ in calls(play)] == on_load
    other.apply_snapshot(decode(encode(snapshot), other))
    assert [call for call, _ in calls(play)] == on_load
    if name == "Droid":
        assert thing.checked, "the private hook of the base is another method"
    manager.destroy(thing)
    assert [call for call, _ in calls(play)] == on_destroy


# -- their order


def mixed(play: Play) -> Any:
    """Return a world in which objects of several classes were added in turns."""
    manager, game = play.manager(), play.game
    kinds = [game.Dog, game.Ant, game.Cat, game.Elk, game.Bee]
    for number in range(10):
        manager.add(kinds[number % 5](f"{number}"))
    return manager


def names_of(play: Play) -> list[str]:
    return [name for hook, name in calls(play) if hook in ("reloaded", "restored")]


IN_ORDER = [str(number) for number in range(10)]


def test_hooks_run_in_the_order_in_which_objects_were_added(play: Play) -> None:
    manager = mixed(play)
    snapshot = manager.create_snapshot()
    assert [name for _, name in calls(play) if _ == "tidy"] == IN_ORDER
    manager.apply_snapshot(snapshot)
    assert names_of(play) == IN_ORDER
    other = play.manager()
    other.apply_snapshot(decode(encode(snapshot), other))
    assert names_of(play) == IN_ORDER


def test_hooks_run_in_one_order_from_memory_and_from_a_file(play: Play) -> None:
    manager, game = play.manager(), play.game
    chain = None
    for kind in (game.Ant, game.Dog, game.Bee, game.Elk, game.Cat, game.Ant):
        chain = kind(f"reached {kind.__name__}", chain)
    gone = manager.add(game.Zoo())
    manager.add(game.Zoo(chain))
    for name in ("first", "second", "third"):
        manager.add(game.Zoo(game.Bee(name)))
    manager.destroy(gone)  # the last object takes its place in the array
    snapshot = manager.create_snapshot()
    calls(play)
    manager.apply_snapshot(snapshot)
    from_memory = names_of(play)
    other = play.manager()
    with promised("what was saved loads"):
        other.apply_snapshot(decode(encode(snapshot), other))
    assert names_of(play) == from_memory
    other.apply_snapshot(other.create_snapshot())
    assert names_of(play) == from_memory
