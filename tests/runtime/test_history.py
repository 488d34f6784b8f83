"""A rewound world is exactly what it was when the step was recorded."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import GameObject, History, SaveError, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from tests.runtime.worlds import Storm

NewManager = Callable[..., SaveLoadManager]


def test_a_history_rewinds_and_goes_forward(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(0))
    history = History(manager)
    for hp in range(5):
        unit.hp = hp
        history.record()
    assert len(history) == 4
    history.rewind(3)
    assert (unit.hp, len(history), history.steps_ahead) == (1, 1, 3)
    history.forward(2)
    assert unit.hp == 3
    unit.hp = 77
    history.rewind(0)
    assert unit.hp == 3, "what was not recorded is gone"
    unit.hp = 50
    history.record()
    assert history.steps_ahead == 0, "the future that was has ended"


def test_impossible_steps_raise_errors(manager: SaveLoadManager) -> None:
    history = History(manager)
    with pytest.raises(SaveError, match="the history is empty"):
        history.rewind()
    history.record()
    for steps in (1, -1):
        with pytest.raises(SaveError, match=f"must be from 0 to 0, not {steps}"):
            history.rewind(steps)
    with pytest.raises(SaveError, match="must be at least 1"):
        History(manager, capacity=0)


def test_a_history_discards_steps_beyond_its_capacity(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(0))
    history = History(manager, capacity=3)
    for hp in range(10):
        unit.hp = hp
        history.record()
    history.rewind(len(history))
    assert unit.hp == 6


def test_a_rewind_that_fails_changes_nothing(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor = manager.add(game.Actor())
    history = History(manager)
    for hp in range(3):
        actor.hp = hp
        history.record()
    actor.fails = "reloaded"
    with pytest.raises(SaveError):
        history.rewind(2)
    assert (actor.hp, len(history)) == (2, 2)
    actor.fails = ""
    history.rewind(2)
    assert actor.hp == 0


def hurt(game: Any, manager: SaveLoadManager, units: list[Any]) -> None:
    units[7].hp += 1


def spawn(game: Any, manager: SaveLoadManager, units: list[Any]) -> None:
    manager.destroy(units.pop(5))
    units.append(manager.add(game.Unit(8)))


def tune(game: Any, manager: SaveLoadManager, units: list[Any]) -> None:
    radio = next(manager.find(game.Radio))
    radio.tune((radio.station or 0) + 1)


def misfit(game: Any, manager: SaveLoadManager, units: list[Any]) -> None:
    units[9].hp += 0.5


@pytest.mark.parametrize("event", [hurt, spawn, tune, misfit])
def test_unchanged_data_needs_no_memory(
    game: ModuleType, manager: SaveLoadManager, event: Any
) -> None:
    units = [
        manager.add(game.Unit(n), placement=f"unit {n}", level="a")
        for n in range(1_000)
    ]
    for _ in range(200):
        manager.add(game.Radio()).tune(1)
        manager.add(game.Boss()).hp = 0.5
    history = History(manager)
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(12):
            event(game, manager, units)
            history.record()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # The median: now and then, a table of the interpreter grows in a single step.
    steps = [after - before for before, after in pairwise(sizes[1:])]
    assert median(steps) < 6_000, "bytes of a step"


@pytest.mark.parametrize("event", [hurt, spawn, tune, misfit])
def test_the_garbage_collector_passes_over_the_steps(
    game: ModuleType, manager: SaveLoadManager, event: Any
) -> None:
    units = [manager.add(game.Unit(n)) for n in range(20)]
    manager.add(game.Radio())
    history = History(manager)

    def record(times: int) -> int:
        for _ in range(times):
            event(game, manager, units)
            history.record()
        gc.collect()
        return len(gc.get_objects())

    grown = -record(20) + record(100)
    assert grown < 100 * 4


def test_an_object_with_an_unset_attribute_is_recorded(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(1))
    unit.foe = game.Unit(2)
    history = History(manager)
    history.record()
    del unit.trail, unit.foe.trail
    unit.friends = 7
    history.record()
    unit.trail = [1]
    history.rewind()
    assert unit.trail == unit.friends == unit.foe.trail == []
    history.forward()
    assert unit.friends == 7
    assert not hasattr(unit, "trail") and not hasattr(unit.foe, "trail")


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_any_sequence_of_events_can_be_rewound_and_repeated(
    game: ModuleType, registry: Registry, seed: int
) -> None:
    dice = random.Random(seed)
    manager = SaveLoadManager(registry)
    storm, history = Storm(game, manager, dice), History(manager)
    seen: list[str] = []
    for _ in range(12):
        storm.blow()
        history.record()
        seen.append(manager.create_snapshot().digest())
    place = len(seen) - 1
    for _ in range(10):
        if dice.random() < 0.3:
            storm.blow()  # not recorded
        there = dice.randrange(len(seen))
        step = history.rewind if there <= place else history.forward
        step(abs(there - place))
        place = there
        assert manager.create_snapshot().digest() == seen[there]


def test_objects_with_several_components_are_rewound(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    thing: Any = manager.add(GameObject(game.Unit(1)))
    history = History(manager)
    history.record()
    second = thing.add_component(game.Unit(2))
    thing.transform.rotation = 90.0
    history.record()
    thing.remove_component(second)
    history.record()
    history.rewind(1)
    assert [unit.hp for unit in thing.components] == [1, 2]
    history.rewind(1)
    assert [unit.hp for unit in thing.components] == [1]
    assert thing.transform.rotation == 0.0
    history.forward(2)
    assert [unit.hp for unit in thing.components] == [1]


def heard(game: Any, *actors: Any) -> list[list[str]]:
    """Return what happened to actors since they were asked last, without their saving."""
    logs = [[what for what in actor.log if what != "before_save"] for actor in actors]
    for actor in actors:
        actor.log.clear()
    return logs


def test_a_rewind_calls_hooks_only_on_what_changed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    hurt, calm = manager.add(game.Actor()), manager.add(game.Actor())
    history = History(manager)
    history.record()
    hurt.hp = 1
    history.record()
    heard(game, hurt, calm)
    history.rewind()
    assert heard(game, hurt, calm) == [["reloaded"], []]
    history.rewind(0)
    assert heard(game, hurt, calm) == [[], []]
    manager.apply_snapshot(manager.create_snapshot())
    assert heard(game, hurt, calm) == [["reloaded"], ["reloaded"]]


def test_a_rewind_tells_an_object_that_its_friend_is_another_object_now(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    fan, friend, stranger = (manager.add(game.Idol()) for _ in range(3))
    fan.friend = friend
    history = History(manager)
    history.record()
    manager.destroy(friend)
    history.record()
    heard(game, fan, stranger)
    history.rewind()
    assert fan.friend in manager.objects and fan.friend is not friend
    assert heard(game, fan, stranger) == [["reloaded"], []]
    assert fan.friend.log == ["restored"]


def test_a_friend_from_a_pool_is_another_one_too(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: game.Idol})
    manager.pool(1)
    fan, friend = manager.add(game.Idol()), manager.spawn(1)
    fan.friend = friend
    history = History(manager)
    history.record()
    manager.destroy(friend)
    history.record()
    heard(game, fan)
    history.rewind()
    assert fan.friend is friend and heard(game, fan) == [["reloaded"]]


def test_who_recorded_a_friend_from_a_pool_is_told(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: game.Idol})
    manager.pool(1)
    listener, friend = manager.add(game.Listener()), manager.spawn(1)
    fan = manager.add(game.Idol())
    fan.hp = [friend]  # which is no int
    listener.tune(friend)
    history = History(manager)
    history.record()
    manager.destroy(friend)
    history.record()
    heard(game, fan)
    history.rewind()
    assert listener.station is friend and listener.log == ["reloaded"]
    assert fan.hp == [friend] and heard(game, fan) == [["reloaded"]]


def test_a_value_that_does_not_fit_its_field_is_no_change(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    fan, other = manager.add(game.Idol()), manager.add(game.Idol())
    fan.hp = hp = [other, 0.5]
    history = History(manager)
    history.record()
    other.hp = 1
    history.record()
    heard(game, fan, other)
    history.rewind()
    assert heard(game, fan, other) == [[], ["reloaded"]] and fan.hp is hp
    fan.hp[1] = 0.75
    history.rewind(0)
    assert heard(game, fan) == [["reloaded"]]
    assert fan.hp == [other, 0.5]


def test_what_is_unchanged_is_not_touched(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bag, radio, unit = (
        manager.add(each) for each in (game.Bag(), game.Radio(), game.Unit(5))
    )
    bag.items, bag.bearer = ["lamp"], unit
    radio.tune([unit, 98.5])
    history = History(manager)
    history.record()
    unit.hp = 6
    history.record()
    station, loads = radio.station, game.Bag.loads
    history.rewind()
    assert unit.hp == 5 and radio.station is station and game.Bag.loads == loads
    radio.tune(None)
    bag.items.append("rope")
    history.rewind(0)
    assert bag.items == ["lamp"]
    assert radio.station == [unit, 98.5] and game.Bag.loads == loads + 1


def test_a_rewind_past_a_level_leaves_nothing_of_it(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    history = History(manager)
    history.record()
    manager.add(game.Unit(1), placement="a", level="crypt")
    history.record()
    manager.clear()
    history.rewind(1)
    assert manager.objects == () and manager.create_snapshot().placed() == {}
    history.forward(1)
    assert manager.create_snapshot().placed() == {"a": True}


def test_many_steps_back_are_one_load(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = [manager.add(game.Unit(n)) for n in range(20)]
    history, loads = History(manager, capacity=1_800), []
    digests = []
    for step in range(300):
        units[step % 20].hp = step
        if step % 7 == 0:
            manager.destroy(units[step % 20])
            units[step % 20] = manager.add(game.Unit(step))
        history.record()
        digests.append(manager.create_snapshot().digest())
    manager.after_load.append(lambda: loads.append(1))
    for back in (250, 30, 19):
        history.rewind(back)
    assert manager.create_snapshot().digest() == digests[0]
    history.forward(299)
    assert manager.create_snapshot().digest() == digests[-1] and len(loads) == 4
