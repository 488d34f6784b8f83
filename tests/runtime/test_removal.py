"""`destroy` and `remove` take a component: of the only one, its object is destroyed."""

from __future__ import annotations

import gc
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import (
    GameObject,
    History,
    SaveError,
    SaveLoadManager,
)
from tests.runtime.worlds import assert_consistent


@pytest.fixture
def pair(game: ModuleType, manager: SaveLoadManager) -> Any:
    """An object of two components, and the manager."""
    return manager.add(GameObject(game.Actor(), game.Unit()))


def test_destroying_the_only_component_destroys_its_object(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor, child = game.Actor(), GameObject(game.Unit())
    thing = manager.add(GameObject(actor))
    child.parent = thing
    manager.add(child)
    manager.destroy(actor)
    assert actor.log == ["spawned", "deactivate"]
    assert not manager.objects
    assert_consistent(manager)


def test_destroying_one_of_several_components_names_both_ways_out(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    text = r"this Unit is one of 2 components of its object: `remove` takes it out"
    with pytest.raises(SaveError, match=text):
        manager.destroy(pair.get(game.Unit))
    assert len(pair.components) == 2 and pair in manager.objects


def test_removing_a_component_leaves_the_object_and_the_last_one_destroys_it(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    actor, unit = pair.components
    friend = manager.add(game.Unit())
    friend.foe = unit
    manager.remove(unit)
    assert pair.components == (actor,) and pair in manager.objects
    assert not manager.key_of(unit) and actor.log == ["spawned"]
    assert manager.create_snapshot().dangling == 1
    assert_consistent(manager)
    manager.remove(actor)
    assert actor.log[-1] == "deactivate" and manager.objects == (friend,)
    assert_consistent(manager)


def test_an_object_that_stands_alone_is_its_only_component(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    one, other = manager.add(game.Actor()), manager.add(game.Actor())
    manager.remove(one)
    manager.destroy(other)
    assert one.log == other.log == ["spawned", "deactivate"] and not manager.objects


def test_what_is_no_component_of_the_world_is_refused(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    unit = pair.get(game.Unit)
    manager.remove(unit)
    for gone in (unit, game.Unit(), GameObject(game.Unit())):
        with pytest.raises(SaveError, match="is not in the world"):
            manager.remove(gone)
        with pytest.raises(SaveError, match="is not in the world"):
            manager.destroy(gone)
    with pytest.raises(SaveError, match="a GameObject is not a component"):
        manager.remove(pair)
    with pytest.raises(SaveError, match="must be an object of the world"):
        manager.remove(12)


def test_components_that_a_hook_removes_go_after_the_hooks(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    first, second, seen = game.Actor(), game.Actor(), []

    def remove_all(actor: Any, what: str) -> None:
        if what == "before_save":
            manager.remove(first)
            manager.remove(first)
            manager.remove(second)
            seen.append(len(thing.components))

    thing = manager.add(GameObject(first, second))
    first.does = remove_all
    manager.create_snapshot()
    assert seen == [2] and not manager.objects
    assert first.log.count("deactivate") == second.log.count("deactivate") == 1
    assert_consistent(manager)


def test_a_hook_may_destroy_its_own_component(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    def give_up(actor: Any, what: str) -> None:
        if what == "spawned":
            manager.destroy(actor)

    actor = game.Actor()
    actor.does = give_up
    manager.add(GameObject(actor))
    assert actor.log == ["spawned", "deactivate"] and not manager.objects


def test_a_hook_that_raises_keeps_the_component(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    actor = pair.get(game.Actor)
    actor.fails = "deactivate"
    with pytest.raises(SaveError, match="deactivate fails"):
        manager.remove(actor)
    assert actor in pair.components and manager.key_of(actor)
    assert_consistent(manager)


def test_a_snapshot_brings_removed_components_and_their_object_back(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    actor, unit = pair.components
    unit.hp, actor.hp = 5, 6
    snapshot = manager.create_snapshot()
    manager.remove(unit)
    manager.apply_snapshot(snapshot)
    (thing,) = manager.objects
    assert [type(it) for it in thing.components] == [game.Actor, game.Unit]
    manager.remove(thing.components[0])
    manager.destroy(thing.components[0])
    manager.apply_snapshot(snapshot)
    (thing,) = manager.objects
    assert [it.hp for it in thing.components] == [6, 5]
    assert_consistent(manager)


def test_rewinding_brings_removed_components_back(
    game: ModuleType, manager: SaveLoadManager, pair: Any
) -> None:
    history = History(manager)
    history.record()
    manager.remove(pair.get(game.Unit))
    history.record()
    manager.remove(pair.get(game.Actor))
    history.record()
    assert not manager.objects
    history.rewind(1)
    (thing,) = manager.objects
    assert [type(it) for it in thing.components] == [game.Actor]
    history.rewind(1)
    (thing,) = manager.objects
    assert [type(it) for it in thing.components] == [game.Actor, game.Unit]
    assert_consistent(manager)


def test_a_placed_object_without_components_is_a_destroyed_one(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    thing = GameObject(game.Unit(), game.Unit())
    manager.add(thing, placement="a", level="crypt")
    manager.remove(thing.components[0])
    assert manager.create_snapshot().placed() == {"a": True}
    manager.remove(thing.components[0])
    assert manager.create_snapshot().placed() == {"a": False}


def test_the_last_component_returns_its_object_to_the_pool(
    game: ModuleType, new_manager: Any
) -> None:
    manager = new_manager({"ghost": lambda: GameObject(game.Empty())})
    pool = manager.pool("ghost")
    ghost = manager.spawn("ghost")
    manager.destroy(ghost.get(game.Empty))
    assert pool.waiting == [ghost]
    assert manager.spawn("ghost") is ghost
    manager.remove(ghost.get(game.Empty))
    assert pool.waiting == [ghost] and len(ghost.components) == 1


def test_destroyed_objects_without_weak_references_are_freed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    def start() -> None:
        for id in "abc":
            manager.add(game.Slotted(), placement=id, level="crypt")

    def alive() -> int:
        gc.collect()
        return sum(type(obj) is game.Slotted for obj in gc.get_objects())

    before = alive()  # those of other tests
    start()
    snapshot = manager.create_snapshot()
    for _ in range(5):
        manager.restart(start, snapshot)  # new objects, which take the saved keys
        manager.create_snapshot()
    assert alive() - before == 3
