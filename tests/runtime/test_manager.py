"""Who is in a world: objects, components, keys; and what is asked for at the wrong moment."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import (
    Activation,
    GameObject,
    SaveError,
    SaveLoadManager,
    StaleKeyError,
)

NewManager = Callable[..., SaveLoadManager]


def test_an_object_that_stands_alone_has_a_key(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    key = manager.key_of(unit)
    assert key == 1
    assert manager.get_component(key) is unit
    assert manager.get_object(key) is unit is manager.object_of(unit)
    assert [*map(id, manager.objects)] == [id(unit)]


def test_none_has_the_key_0_and_that_leads_to_none(manager: SaveLoadManager) -> None:
    assert manager.key_of(None) == 0 and manager.get_component(0) is None


def test_components_have_keys_of_their_own(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    body, guard = game.Unit(), game.Unit()
    thing = manager.add(GameObject(body, guard))
    assert manager.object_of(guard) is thing
    keys = [manager.key_of(each) for each in (thing, body, guard)]
    assert keys == [1, 2, 3]
    assert [manager.get_component(key) for key in keys][0] is thing
    assert [manager.get_object(key) for key in keys] == [thing] * 3
    assert manager.get_component(keys[2]) is guard


def test_what_was_destroyed_has_no_key_and_its_key_is_stale(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    key = manager.key_of(unit)
    manager.destroy(unit)
    assert manager.key_of(unit) == 0
    with pytest.raises(StaleKeyError):
        manager.get_component(key)
    with pytest.raises(SaveError, match="not in the world"):
        manager.destroy(unit)


def test_a_key_of_another_kind_is_refused(manager: SaveLoadManager) -> None:
    with pytest.raises(SaveError, match="a str is not a key"):
        manager.get_component("3")  # type: ignore[arg-type]
    with pytest.raises(
        StaleKeyError, match="the key 3 is stale: object #3 was destroyed"
    ):
        manager.get_component(3)


@pytest.mark.parametrize("what", [object(), 3, "Unit"])
def test_what_cannot_be_saved_cannot_be_added(
    manager: SaveLoadManager, what: object
) -> None:
    with pytest.raises(SaveError, match="@saveable"):
        manager.add(what)
    assert len(manager) == 0


def test_an_unmarked_subclass_is_refused_by_name(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    class Ogre(game.Unit):  # type: ignore[name-defined, misc]
        pass

    with pytest.raises(SaveError, match="Ogre` is not marked `@saveable`"):
        manager.add(Ogre())


def test_an_object_is_added_once(game: ModuleType, manager: SaveLoadManager) -> None:
    unit = manager.add(game.Unit())
    with pytest.raises(SaveError, match="is in a world already"):
        manager.add(unit)
    with pytest.raises(SaveError, match="is in a world already"):
        manager.add(GameObject(unit))
    assert len(manager) == 1


def test_find_yields_components_and_objects_of_subclasses_too(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, boss, coin = game.Unit(), game.Boss(), game.Coin(3)
    manager.add(unit)
    manager.add(GameObject(boss, coin))
    found = [id(each) for each in manager.find(game.Unit)]
    assert sorted(found) == sorted([id(unit), id(boss)])
    assert [*manager.find(game.Coin)] == [coin]
    assert [*manager.find(game.Map)] == []


def test_components_come_and_go_while_the_game_runs(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    thing = manager.add(GameObject(game.Unit(1)))
    first = thing.add_component(game.Unit(2))
    key = manager.key_of(first)
    thing.remove_component(first)
    assert manager.key_of(first) == 0
    second = thing.add_component(game.Unit(3), part="second")
    assert manager.key_of(second) != key, "a number is never used again"
    assert thing.part("second") is second
    with pytest.raises(SaveError, match="does not have this component"):
        thing.remove_component(first)
    with pytest.raises(SaveError, match="no part called 'first'"):
        thing.part("first")
    assert [each.hp for each in manager.find(game.Unit)] == [1, 3]


def test_an_object_cannot_be_its_own_parent(manager: SaveLoadManager) -> None:
    top, middle = GameObject(), GameObject()
    middle.parent = top
    bottom = GameObject(parent=middle)
    with pytest.raises(SaveError, match="its own parent"):
        top.parent = bottom
    assert (top.parent, top.children, middle.children) == (None, (middle,), (bottom,))


def test_an_object_that_was_only_reached_can_be_destroyed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    unit.foe = target = game.Unit()
    before = manager.create_snapshot()
    manager.destroy(target)
    assert [*map(id, manager.find(game.Unit))] == [id(unit)] and manager.key_of(
        target
    ) == 0
    after = manager.create_snapshot()
    assert (len(after), after.dangling) == (1, 1)
    manager.apply_snapshot(after)
    assert unit.foe is None
    manager.apply_snapshot(before)
    assert unit.foe is not None and unit.foe is not target


def test_a_reached_object_is_destroyed_with_components_that_nobody_has_met(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    parent = GameObject()
    manager.add(GameObject(parent=parent))
    parent.add_component(game.Unit())
    manager.destroy(parent)
    assert [*manager.objects] == []
    assert len(manager.create_snapshot()) == 0


def test_children_are_destroyed_with_their_parent(manager: SaveLoadManager) -> None:
    top = manager.add(GameObject())
    child = manager.add(GameObject(parent=top))
    other = manager.add(GameObject())
    manager.destroy(top)
    assert [*manager.objects] == [other]
    assert manager.key_of(child) == 0


def test_clear_leaves_nothing(game: ModuleType, manager: SaveLoadManager) -> None:
    manager.add(game.Unit())
    manager.add(GameObject(game.Unit(), parent=manager.add(GameObject())))
    manager.clear()
    assert len(manager) == 0 and [*manager.find(object)] == []


def test_a_manager_belongs_to_its_thread(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    told: list[Exception] = []

    def intrude() -> None:
        for step in (manager.create_snapshot, lambda: manager.add(game.Unit())):
            try:
                step()
            except SaveError as error:
                told.append(error)

    thread = threading.Thread(target=intrude)
    thread.start()
    thread.join()
    assert len(told) == 2 and "thread" in str(told[0])


# -- prefabs


def test_a_prefab_is_spawned_with_parameters(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({7: lambda: GameObject(game.Unit())})
    thing = manager.spawn(7, position=(1.0, 2.0, 0.0), hp=3)
    assert thing.transform.position == (1.0, 2.0, 0.0)
    assert thing.get(game.Unit).hp == 3
    assert manager.record_of(thing).prefab == 7


def test_what_a_prefab_does_not_know_is_refused(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({7: lambda: game.Unit()})
    for wrong in (
        lambda: manager.spawn(8),
        lambda: manager.spawn(7, colour=3),
        lambda: manager.spawn(7, position=(0.0, 0.0, 0.0)),
    ):
        with pytest.raises(SaveError):
            wrong()
    assert len(manager) == 0


def test_each_spawned_object_rolls_its_own_dice(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({7: lambda: game.Unit(random.randint(1, 10**9))})
    random.seed(3)
    expected = [random.randint(1, 10**9) for _ in range(4)]
    random.seed(3)
    assert [manager.spawn(7).hp for _ in range(4)] == expected


def test_what_a_load_builds_changes_no_roll_after_it(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({7: lambda: game.Unit(random.randint(1, 9))})
    unit = manager.spawn(7)
    before = manager.create_snapshot()
    manager.destroy(unit)
    random.seed(3)
    expected = random.random()
    random.seed(3)
    assert manager.apply_snapshot(before).created == 1
    assert random.random() == expected


# -- data of one component


def test_data_of_a_component_does_not_carry_where_its_object_is(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = game.Unit()
    thing = manager.add(GameObject(unit, position=(1.0, 2.0, 3.0)))
    data = unit.save_data(manager)
    thing.transform.position = (0.0, 0.0, 0.0)
    unit.load_data(data, manager)
    assert thing.transform.position == (0.0, 0.0, 0.0)


# -- hooks


def test_an_object_is_told_why_it_becomes_active(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    spawned = manager.add(game.Actor())
    placed = manager.add(game.Actor(), placement="door 3", level="cellar")
    manager.apply_snapshot(manager.create_snapshot())
    manager.destroy(spawned)
    seen = ["spawned", "before_save", "reloaded", "deactivate"]
    assert spawned.log == seen
    assert placed.log == [Activation.PLACED.value, *seen[1:3]]


def test_a_hook_that_raises_keeps_an_object_out(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor = game.Actor()
    actor.fails = "spawned"
    with pytest.raises(SaveError, match="`Actor.wake` raised RuntimeError: spawned"):
        manager.add(actor)
    assert len(manager) == 0
    actor.fails = ""
    manager.add(actor)
    actor.fails = "deactivate"
    with pytest.raises(SaveError, match=r"`Actor\.hush` raised"):
        manager.destroy(actor)
    assert len(manager) == 1


def test_what_a_hook_asks_for_is_done_when_the_hooks_are(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor, victim = manager.add(game.Actor()), manager.add(game.Unit())
    counted: list[int] = []

    def does(actor: Any, what: str) -> None:
        if what == "before_save":
            manager.add(game.Unit(33))
            manager.destroy(victim)
            counted.append(len(manager))

    actor.does = does
    snapshot = manager.create_snapshot()
    assert counted == [2] and len(snapshot) == 2, "nothing changed while it was taken"
    assert [unit.hp for unit in manager.find(game.Unit)] == [33]


@pytest.mark.parametrize("what", ["create_snapshot", "apply_snapshot", "merge"])
def test_a_hook_cannot_save_or_load(
    game: ModuleType, manager: SaveLoadManager, what: str
) -> None:
    actor = manager.add(game.Actor())
    before = manager.create_snapshot()
    arguments = () if what == "create_snapshot" else (before,)
    actor.does = lambda *_: getattr(manager, what)(*arguments)
    with pytest.raises(SaveError, match="a hook cannot"):
        manager.create_snapshot()
    actor.does = None
    assert manager.create_snapshot().digest() == before.digest()


def test_objects_that_are_only_referred_to_have_their_hooks_called_too(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor = game.Actor()
    manager.add(game.Stage(actor))
    manager.create_snapshot()
    manager.create_snapshot()
    assert actor.log == ["spawned", *["before_save"] * 2]
