"""References to what was destroyed: a world that has loaded them can be saved, and loaded again."""

from __future__ import annotations

from typing import Any
from weakref import ref

import pytest

from savegen.runtime import NO_REFERENCES, SaveLoadManager
from savegen.runtime.values.folds import typed, untyped
from savegen.saves import Autosave, MemoryStore, SaveSlots, decode, encode
from tests.promises.games import Game

GAME = """
from weakref import ref

@saveable
class Goblin:
    chief: Saved[Goblin]
    foes: Saved[set[Goblin]]
    ranks: Saved[dict[Goblin, int]]
    path: Saved[list[Goblin]]
    maybe: Saved[list[Goblin | None]]
    mixed: Saved[list[Goblin | int]]
    deep: Saved[dict[str, tuple[set[Goblin], ...]]]
    by_name: Saved[dict[str, Goblin]]
    pair: Saved[tuple[Goblin, int]]
    weak: Saved[list[ref[Goblin]]]
    late: Saved[int]  # not set: such an object is saved by its `save_data`
"""


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return Game(tmp_path_factory.mktemp("dead") / "game", GAME).generate()


@pytest.mark.parametrize("recorded", [False, True])
def test_none_where_a_destroyed_object_was_stops_no_save_and_no_load(
    version: Game, recorded: bool
) -> None:
    slots = SaveSlots(MemoryStore())
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        alive, dead = (manager.add(game.Goblin()) for _ in range(2))
        autosave = Autosave(slots, manager)
        autosave.record()
        for each in (alive, dead):
            fill(each, alive, dead)
        manager.destroy(dead)
        save = autosave.record if recorded else lambda: slots.save("auto", manager)
        save()
        manager = SaveLoadManager(registry)
        for turn in range(3):
            slots.load("auto", manager)
            slots.save("auto", manager)
        (found,) = manager.find(game.Goblin)
        assert found.chief is None and found in found.foes and found.ranks[found] == 1


def fill(goblin: Any, alive: Any, dead: Any) -> None:
    goblin.chief, goblin.path, goblin.maybe = dead, [alive, dead], [alive, dead]
    goblin.foes, goblin.ranks = {alive, dead}, {alive: 1, dead: 2}
    goblin.mixed, goblin.deep = [alive, dead, 3], {"": ({alive, dead},)}
    goblin.by_name, goblin.pair = {"": alive, "x": dead}, (dead, 1)
    goblin.weak = [ref(alive), ref(dead)]


@pytest.mark.parametrize("is_late", [False, True])
def test_a_load_leaves_the_destroyed_out_of_what_holds_no_none(
    version: Game, is_late: bool
) -> None:
    slots = SaveSlots(MemoryStore())
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        alive, dead = (manager.add(game.Goblin()) for _ in range(2))
        for each in (alive, dead):
            fill(each, alive, dead)
            if not is_late:
                each.late = 1
        manager.destroy(dead)
        slots.save("one", manager)
        manager = SaveLoadManager(registry)
        report = slots.load("one", manager)
        (it,) = manager.find(game.Goblin)
        assert it.foes == {it} and it.ranks == {it: 1} and it.path == [it]
        assert it.mixed == [it, 3] and it.deep == {"": ({it},)}
        assert it.by_name == {"": it}
        assert it.chief is None and it.pair == (None, 1) and it.maybe == [it, None]
        assert [each() for each in it.weak] == [it, None]
        assert report.dangling == 10
        slots.save("one", manager)
        again = SaveLoadManager(registry)
        assert slots.load("one", again).dangling == 0
        (other,) = again.find(game.Goblin)
        assert other.maybe == [other, None] and other.foes == {other}


def test_a_destroyed_object_where_no_type_is_declared_is_none_and_counted(
    version: Game,
) -> None:
    with version.playing() as (game, registry, *_):
        manager, states = SaveLoadManager(registry), list[Any]()
        alive, dead = (manager.add(game.Goblin()) for _ in range(2))
        fill(alive, alive, alive)
        manager.destroy(dead)
        alive.late = [dead]
        manager.add_state("last", lambda: {"foe": dead}, states.append)
        snapshot = manager.create_snapshot()
        assert snapshot.dangling == 2
        assert untyped(snapshot.states["last"], NO_REFERENCES) == {"foe": None}
        other = SaveLoadManager(registry)
        other.add_state("last", lambda: states[-1], states.append)
        other.apply_snapshot(decode(encode(snapshot), other))
        (found,) = other.find(game.Goblin)
        assert (states, found.late) == ([{"foe": None}], [None])
        again = other.create_snapshot()
        assert again.states == {"last": typed({"foe": None}, NO_REFERENCES)}
        assert again.dangling == 0


def test_a_weak_reference_to_an_object_that_is_false_is_not_dead(
    version: Game,
) -> None:
    with version.playing() as (game, registry, *_):
        manager, states = SaveLoadManager(registry), list[Any]()
        alive = manager.add(game.Goblin())
        fill(alive, alive, alive)
        game.Goblin.__bool__ = lambda self: False
        manager.add_state("last", lambda: ref(alive), states.append)
        manager.apply_snapshot(manager.create_snapshot())
        assert states[-1]() is alive
        del game.Goblin.__bool__
