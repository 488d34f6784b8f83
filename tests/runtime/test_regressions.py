"""Regression tests for bugs that involved two parts of the runtime."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime.generated.registry import GAME_OBJECT_NUMBER
from savegen.runtime import (
    GameObject,
    History,
    SaveError,
    SaveLoadManager,
    StaleKeyError,
)

NewManager = Callable[..., SaveLoadManager]


def test_a_component_that_is_added_again_is_alive_again(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    tank = manager.add(GameObject(game.Unit()))
    gun = tank.add_component(game.Coin(1))
    tank.remove_component(gun)
    tank.add_component(gun)
    assert manager.key_of(gun) is not None
    manager.apply_snapshot(manager.create_snapshot())
    assert tank.get(game.Coin) is gun and [*manager.find(game.Coin)] == [gun]


def test_components_that_come_and_go_have_their_hooks_called(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    tank = manager.add(GameObject())
    actor = tank.add_component(game.Actor())
    tank.remove_component(actor)
    assert actor.log == ["spawned", "deactivate"]


def test_a_history_keeps_what_was_recorded(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    radio, history = manager.add(game.Radio()), History(manager)
    for station in ("news", "jazz", "talk"):
        radio.tune(station)
        history.record()
    history.rewind(1)
    assert radio.station == "jazz"
    history.rewind(1)
    assert radio.station == "news"


def test_what_was_recorded_counts_as_a_change(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    radio = manager.add(game.Radio())
    radio.tune(1)
    before = manager.create_snapshot()
    radio.tune(2)
    (change,) = manager.create_snapshot().changes(since=before)
    assert change.fields == ("recording",)
    assert manager.apply_snapshot(before).changed == 1 and radio.station == 1


def test_a_recorded_reference_to_a_destroyed_object_is_none_and_counted(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    radio, unit = manager.add(game.Radio()), manager.add(game.Unit())
    radio.tune([unit])
    part = manager.create_snapshot(filter=[radio])
    other = new_manager()
    other.merge(part)
    assert next(other.find(game.Radio)).station == [None], "it is not of that world"
    manager.destroy(unit)
    assert manager.create_snapshot().dangling == 1
    manager.apply_snapshot(part)
    assert radio.station == [None]


def test_dangling_references_are_counted_in_fields_and_in_what_was_recorded(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    radio, unit = manager.add(game.Radio()), manager.add(game.Unit())
    radio.owner = unit
    radio.tune([unit])
    manager.destroy(unit)
    assert manager.create_snapshot().dangling == 2


def test_a_set_is_made_anew_if_only_a_hash_in_it_has_changed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    atlas, town = manager.add(game.Map()), game.Town("here")
    atlas.towns, atlas.roads = {town}, {town: {}}
    before = manager.create_snapshot()
    town.name = "there"
    atlas.towns, atlas.roads = {town}, {town: {}}
    manager.apply_snapshot(before)
    assert town.name == "here" and town in atlas.towns and town in atlas.roads


@pytest.mark.parametrize("added", ["component", "object"])
def test_what_was_only_referred_to_and_then_added_is_only_referred_to_again(
    game: ModuleType, manager: SaveLoadManager, added: str
) -> None:
    unit, tank = manager.add(game.Unit()), manager.add(GameObject())
    unit.foe = foe = game.Unit(3)
    before = manager.create_snapshot()
    if added == "component":
        tank.add_component(foe)
    else:
        manager.add(GameObject(foe))
    manager.apply_snapshot(before)
    after = manager.create_snapshot()
    assert unit.foe is foe and after.dangling == 0
    assert after.digest() == before.digest()


def test_a_partial_load_leaves_alone_what_was_alive_and_left_out(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    tank = manager.add(GameObject(game.Unit()))
    part = manager.create_snapshot(filter=game.Boss)
    tank.add_component(game.Boss())
    manager.apply_snapshot(part)
    assert manager.key_of(tank) is not None


def test_a_partial_load_twice_builds_what_is_missing_once(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(4))
    key = manager.key_of(unit)
    part = manager.create_snapshot(filter=[unit])
    manager.destroy(unit)
    manager.apply_snapshot(part)
    (made,) = manager.objects
    manager.apply_snapshot(part)
    assert [id(each) for each in manager.objects] == [id(made)]
    assert manager.key_of(made) != key
    with pytest.raises(StaleKeyError):
        manager.get_component(key)


def test_parents_and_children_agree_after_any_load(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    old, new = manager.add(GameObject()), manager.add(GameObject())
    child = manager.add(GameObject(game.Unit(), parent=old))
    part = manager.create_snapshot(filter=[child])
    family = manager.create_snapshot(filter=[old])
    manager.destroy(child)
    manager.apply_snapshot(part)
    (made,) = old.children
    made.parent = new
    manager.apply_snapshot(family)
    assert made.parent is new and new.children == (made,) and old.children == ()


def test_a_child_that_a_newer_level_adds_keeps_its_parent(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    manager.add(GameObject(), placement="p", level="v")
    before = manager.create_snapshot()
    manager.clear()
    parent = manager.add(GameObject(), placement="p", level="v")
    child = manager.add(GameObject(parent=parent), placement="c", level="v")
    manager.apply_snapshot(before)
    assert parent.children == (child,)


def test_a_merge_from_elsewhere_brings_no_keys_of_that_world(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    boss, unit, bag = (manager.add(cls()) for cls in (game.Boss, game.Unit, game.Bag))
    unit.foe, bag.bearer = boss, boss
    part = manager.create_snapshot(filter=[unit, bag])
    other = new_manager()
    other.add(game.Coin(1))
    other.merge(part)
    assert next(other.find(game.Unit)).foe is None
    assert next(other.find(game.Bag)).bearer is None


def test_a_partial_load_leaves_keys_of_what_is_only_referred_to(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    keep = game.Unit()
    manager.add(game.Unit())
    part = manager.create_snapshot(filter=game.Unit)
    manager.key_of(keep)
    manager.apply_snapshot(part)
    manager.create_snapshot()
    manager.key_of(keep)
    new_manager().merge(manager.create_snapshot(filter=game.Unit))


@pytest.mark.parametrize("kind", ["Bag", "Slotted"])
def test_a_partial_snapshot_holds_what_keys_lead_to(
    game: ModuleType, manager: SaveLoadManager, kind: str
) -> None:
    if kind == "Bag":
        holder, name, hidden = manager.add(game.Bag()), "bearer", game.Unit(7)
    else:
        holder, name, hidden = game.Slotted(), "left", game.Slotted(7)
        del holder.value  # so that it has no row
        manager.add(holder)
    setattr(holder, name, hidden)
    part = manager.create_snapshot(filter=[holder])
    setattr(holder, name, None)
    manager.create_snapshot()
    manager.apply_snapshot(part)
    assert getattr(holder, name) is hidden


def test_a_class_may_have_a_field_called_components(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    before = manager.create_snapshot()
    manager.add(game.Machine())
    assert manager.apply_snapshot(before).removed == 1


def test_what_a_save_data_adds_comes_after_the_snapshot(
    game: ModuleType, manager: SaveLoadManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    bag, save = manager.add(game.Bag()), game.Bag.save_data

    def saving(bag: Any, references: Any) -> Any:
        manager.add(game.Unit())
        return save(bag, references)

    monkeypatch.setattr(game.Bag, "save_data", saving)
    before = manager.create_snapshot()
    assert len(before) == 1 and len(before.digest()) == 32 and len(manager) == 2
    assert manager.key_of(bag) is not None


def test_a_place_that_is_a_list_is_copied_and_one_that_is_none_is_told(
    manager: SaveLoadManager,
) -> None:
    camp = manager.add(GameObject())
    place: Any = [1.0, 2.0, 3.0]
    camp.transform.position = place
    before = manager.create_snapshot()
    place[0] = 9.0
    manager.apply_snapshot(before)
    assert camp.transform.position == (1.0, 2.0, 3.0)
    camp.transform.rotation = "north"  # type: ignore[assignment]
    with pytest.raises(SaveError, match=r"`GameObject\.rotation` holds a str"):
        manager.create_snapshot(strict=True)


def test_a_game_object_with_one_odd_value_is_captured_but_for_that_value(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    camp, tent = manager.add(GameObject()), manager.add(GameObject())
    tent.parent = camp
    unit = camp.add_component(game.Unit())
    camp.transform.position = [1.0, 2.0, 3.0]  # type: ignore[assignment]
    camp.transform.rotation = "north"  # type: ignore[assignment]
    snapshot = manager.create_snapshot()
    (extras,) = snapshot.tables[GAME_OBJECT_NUMBER].extras.values()
    assert [*extras] == ["rotation"]
    tent.parent, camp.transform.rotation = None, 0.0
    manager.apply_snapshot(snapshot)
    assert camp.children == (tent,) and camp.components == (unit,)
    assert repr(camp.transform.rotation) == "'north'"


def test_an_object_under_another_key_is_another_one(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    before = manager.create_snapshot()
    manager.destroy(unit)
    manager.add(unit)
    found = manager.create_snapshot().changes(since=before)
    assert sorted(change.what for change in found) == ["added", "removed"]


def test_equal_worlds_have_one_digest_whatever_their_sets_hold(
    game: ModuleType, new_manager: NewManager
) -> None:
    digests = set()
    for _ in range(20):
        manager, heap = new_manager(), game.Heap()
        spread = [object() for _ in range(random.randrange(200))]  # other addresses
        first, second = game.Bag(), game.Bag()
        first.items, second.items = ["a"], ["b"]
        heap.bags = {first, second}
        manager.add(heap)
        digests.add(manager.create_snapshot().digest())
        del spread
    assert len(digests) == 1


def test_no_other_thread_asks_for_keys(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    told: list[str] = []

    def intrude() -> None:
        for step in (lambda: manager.key_of(game.Unit()), lambda: len(manager)):
            try:
                step()
            except SaveError as error:
                told.append(str(error))

    thread = threading.Thread(target=intrude)
    thread.start()
    thread.join()
    assert len(told) == 2


def test_before_save_is_called_once_and_only_on_what_is_saved(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    stage = manager.add(game.Stage(game.Actor()))
    actor = stage.star
    manager.create_snapshot()
    manager.add(actor)
    actor.log.clear()
    manager.create_snapshot()
    assert actor.log == ["before_save"]
    manager.destroy(actor)
    stage.star = other = game.Actor()
    manager.create_snapshot()
    stage.star = None
    other.log.clear()
    manager.create_snapshot()
    assert other.log == []


def test_a_number_is_not_given_twice(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    tank = manager.add(GameObject(game.Unit()))
    tank.remove_component(tank.components[0])
    with pytest.raises(SaveError, match="had a component with the number 0"):
        tank.add_component(game.Unit(), number=0)


def test_what_a_failed_load_has_made_is_of_no_world(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: GameObject(game.Actor())})
    manager.pool(1)
    tank, made = manager.spawn(1), []
    before = manager.create_snapshot()
    manager.destroy(tank)

    def fail(actor: Any) -> None:
        made.append(manager.object_of(actor))
        raise RuntimeError

    type(tank.components[0]).does = staticmethod(lambda actor, what: fail(actor))
    try:
        with pytest.raises(SaveError):
            manager.apply_snapshot(before)
    finally:
        game.Actor.does = None
    made[0].add_component(game.Unit())
    assert manager.key_of(tank) == 0, "it was destroyed before"


def test_a_placed_object_that_cannot_be_added_stays_destroyed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    manager.destroy(manager.add(game.Actor(), placement="p", level="v"))
    actor = game.Actor()
    actor.fails = "placed"
    with pytest.raises(SaveError):
        manager.add(actor, placement="p", level="v")
    assert manager.create_snapshot().placed() == {"p": False}


def test_an_object_is_of_one_world(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    tank = manager.add(GameObject(game.Unit()))
    with pytest.raises(SaveError, match="is in a world already"):
        new_manager().add(tank)


def test_states_that_fail_are_named(manager: SaveLoadManager) -> None:
    values = [1]
    manager.add_state("clock", lambda: 12 // values[0], lambda value: 12 // values[0])
    before = manager.create_snapshot()
    values[0] = 0
    with pytest.raises(SaveError, match="the state 'clock' cannot be saved: ZeroDiv"):
        manager.create_snapshot()
    with pytest.raises(SaveError, match="the state 'clock' cannot be set: ZeroDiv"):
        manager.apply_snapshot(before)  # that it cannot be read now stops no load


def test_how_full_a_pool_is_changes_no_roll(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(random.randrange(9))})
    manager.pool(1)
    rolls = []
    for _ in range(3):
        random.seed(1)
        manager.destroy(manager.spawn(1))
        rolls.append(random.random())
    assert len({*rolls}) == 1


def test_a_pool_gets_only_what_it_has_made(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: game.Unit, 2: game.Boss})
    manager.pool(2)
    unit = manager.spawn(1)
    manager.set_prefab(unit, 2)
    manager.destroy(unit)
    assert type(manager.spawn(2)) is game.Boss


def test_what_is_known_of_an_object_comes_back_with_every_snapshot(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    first = manager.create_snapshot()
    manager.set_prefab(unit, 7)
    second = manager.create_snapshot()
    for snapshot, prefab in ((first, None), (second, 7), (second, 7), (first, None)):
        manager.apply_snapshot(snapshot)
        assert manager.record_of(unit).prefab == prefab


def test_what_no_kind_holds_is_lost_and_the_rest_is_saved(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, radio = manager.add(game.Unit()), manager.add(game.Radio())
    unit.mood = len
    radio.tune(len)
    radio.volume = 7
    before = manager.create_snapshot()
    assert {(each.class_name, each.field) for each in before.lost} == {
        ("Unit", "mood"),
        ("Radio", "Radio.Behaviors.TUNE 'station'"),
    }
    radio.volume = 1
    manager.apply_snapshot(before)
    assert (radio.volume, radio.station) == (7, len)
