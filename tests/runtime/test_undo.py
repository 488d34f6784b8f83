"""What a failed load leaves behind, outside of the world too: nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import (
    GameObject,
    SaveApplyError,
    SaveError,
    SaveLoadManager,
    Snapshot,
)
from savegen.saves import decode, encode

NewManager = Callable[..., SaveLoadManager]


class Screen:
    """The actors that are shown: each since it was activated, until it is deactivated."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.fails_at: Any = None  # called with each actor and what happens to it

    def note(self, actor: Any, what: str) -> None:
        if what == "deactivate":
            self.shown[:] = [each for each in self.shown if each is not actor]
        elif what != "before_save" and all(each is not actor for each in self.shown):
            self.shown.append(actor)
        if self.fails_at is not None and self.fails_at(actor, what):
            raise RuntimeError(f"{what} fails")


@pytest.fixture
def screen(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Screen:
    screen = Screen()
    monkeypatch.setattr(game.Actor, "does", staticmethod(screen.note))
    return screen


def fail() -> None:
    raise OSError("no sound card")


def foreign(manager: SaveLoadManager, game: ModuleType, *objects: Any) -> Snapshot:
    """Return a snapshot as if it came from a file: of a world with some objects."""
    other = SaveLoadManager(manager._world.registry)
    for obj in objects:
        other.add(obj)
    return decode(encode(other.create_snapshot()), manager)


def failing(step: Callable[[], object], error: type[Exception] = SaveApplyError) -> Any:
    with pytest.raises(error) as caught:
        step()
    return caught.value


# -- what was activated


@pytest.mark.parametrize("way", ["apply", "merge", "restart", "place", "request"])
def test_what_a_failed_load_has_activated_is_deactivated(
    game: ModuleType, manager: SaveLoadManager, screen: Screen, way: str
) -> None:
    mine = manager.add(game.Actor())
    stage = game.Stage(game.Actor())  # its star is only reached
    snapshot = foreign(manager, game, game.Actor(), stage)
    screen.shown[:] = [mine]
    manager.after_load.append(fail)

    def levels() -> None:
        manager.add(game.Actor(), placement="late", level="crypt")
        manager.add(game.Stage(game.Actor()))

    def place() -> None:
        levels()
        fail()

    def request(actor: Any, what: str) -> bool:
        if actor is mine and what == "reloaded":
            manager.add(game.Actor())
        return what == "spawned"

    if way == "apply":
        failing(lambda: manager.apply_snapshot(snapshot))
    elif way == "merge":
        failing(lambda: manager.merge(snapshot))
    elif way == "restart":
        failing(lambda: manager.restart(levels, snapshot))
    elif way == "place":
        failing(lambda: manager.restart(place, snapshot))
    else:
        manager.after_load.remove(fail)
        screen.fails_at = request
        failing(lambda: manager.apply_snapshot(manager.create_snapshot()))
    assert screen.shown == [mine] and [*manager.find(game.Actor)] == [mine]


def test_an_object_that_could_not_be_added_is_deactivated_and_back_in_its_pool(
    game: ModuleType, new_manager: NewManager, screen: Screen
) -> None:
    manager = new_manager({1: lambda: GameObject(game.Actor(), game.Actor())})
    pool = manager.pool(1, warm=1)
    screen.fails_at = lambda actor, what: len(screen.shown) == 2
    failing(lambda: manager.spawn(1), SaveError)
    assert screen.shown == [] and len(pool) == 1 and len(manager) == 0


def test_an_on_deactivate_that_raises_in_the_undo_is_named_and_the_undo_goes_on(
    game: ModuleType, manager: SaveLoadManager, screen: Screen
) -> None:
    unit = manager.add(game.Unit())
    snapshot = foreign(manager, game, *(game.Actor() for _ in range(3)))
    screen.shown.clear()
    screen.fails_at = lambda actor, what: what == "deactivate" and screen.shown
    manager.after_load.append(fail)
    error = failing(lambda: manager.apply_snapshot(snapshot))
    assert error.__notes__ == [
        "while deactivating a new `Actor`: `Actor.hush` raised RuntimeError: deactivate fails",
        "while deactivating a new `Actor`: `Actor.hush` raised RuntimeError: deactivate fails",
        "while restoring the world: `fail` raised OSError: no sound card",
    ]
    assert screen.shown == [] and [*manager.objects] == [unit]


def test_each_callback_runs_again_even_if_the_one_before_it_raises(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(3))
    before = manager.create_snapshot()
    unit.hp = 50
    bar: list[int] = []  # of the user interface: the health that it shows
    after = [lambda: bar.append(unit.hp), fail, lambda: bar.append(-unit.hp)]
    manager.after_load.extend(after)
    failing(lambda: manager.apply_snapshot(before))
    assert bar == [3, 50, -50]


# -- Ctrl-C


@pytest.mark.parametrize("exception", ["signal", KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_the_undo_waits_for_its_end(
    game: ModuleType, manager: SaveLoadManager, exception: Any
) -> None:
    units = [manager.add(game.Unit()) for _ in range(3)]
    before = manager.create_snapshot()
    calls: list[str] = []

    def interrupted() -> None:
        calls.append("after")
        if len(calls) == 1:
            fail()
        if exception == "signal":
            signal.raise_signal(signal.SIGINT)
        else:
            raise exception("stop")

    manager.after_load.extend([interrupted, lambda: calls.append("last")])
    for unit in units:
        unit.hp = 50
    with pytest.raises((KeyboardInterrupt, SystemExit)) as caught:
        manager.apply_snapshot(before)
    assert isinstance(caught.value.__context__, SaveApplyError)
    assert [unit.hp for unit in units] == [50] * 3
    assert calls == ["after", "after", "last"]
    manager.after_load.clear()
    assert manager.apply_snapshot(before).changed == 3, "it is not busy any more"


# -- recorders


@pytest.fixture
def radio(game: ModuleType, manager: SaveLoadManager) -> Any:
    radio = manager.add(game.Radio())
    radio.station = "jazz"
    return radio


@pytest.mark.parametrize("was_dirty", [False, True])
@pytest.mark.parametrize("way", ["apply", "level"])
def test_what_a_recorder_has_in_no_field_is_put_back(
    game: ModuleType, manager: SaveLoadManager, radio: Any, was_dirty: bool, way: str
) -> None:
    radio.tune("rock")
    before = manager.create_snapshot()
    songs: Any = ["jazz", lambda: "of no field"]  # cannot be saved
    radio.station = songs
    radio.set_dirty(game.Radio.Behaviors.TUNE, was_dirty)

    def tunes() -> None:
        radio.tune("folk")
        fail()

    if way == "level":
        failing(lambda: manager.restart(tunes, before))
    else:
        manager.after_load.append(fail)
        failing(lambda: manager.apply_snapshot(before))
    assert radio.station == songs and radio.is_dirty() == was_dirty


def test_a_recorder_that_has_not_changed_is_not_loaded_again(
    game: ModuleType, manager: SaveLoadManager, radio: Any
) -> None:
    radio.tune(["rock"])
    before, other = manager.create_snapshot(), manager.add(game.Radio())
    other.station = songs = ["jazz"]
    manager.after_load.append(fail)
    failing(lambda: manager.apply_snapshot(before))
    assert other.station is songs and not other.is_dirty()


def test_a_serializer_that_raises_before_a_load_is_named_if_the_load_fails(
    game: ModuleType,
    manager: SaveLoadManager,
    radio: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    radio.tune("rock")
    before = manager.create_snapshot()
    manager.add(game.Radio())  # nothing has changed what it plays
    radio.volume = 7
    monkeypatch.setattr(game.Radio, "save_tune", lambda self, record: self.aerial)
    manager.after_load.append(fail)
    [note, _] = failing(lambda: manager.apply_snapshot(before)).__notes__
    assert note.startswith("a `Radio` was not restored completely: `save_tune` ")
    assert radio.volume == 7


# -- values that other code holds


def test_containers_of_an_object_stay_the_same_objects(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    calm, hurt, angry = [manager.add(game.Boss(n)) for n in range(3)]
    town, atlas = manager.add(game.Town("here")), manager.add(game.Map())
    atlas.towns = {town}
    before = manager.create_snapshot()
    hurt.hp, hurt.trail, town.name = 50, [game.Vec2(1.0, 1.0)], "there"
    atlas.towns, atlas.roads = {town}, {town: {town: 1.0}}
    box = game.Box(game.Vec2(0.0, 0.0), game.Vec2(1.0, 1.0))
    hurt.area, angry.friends = box, [calm]
    held = [
        (boss, name, value)
        for boss in (calm, hurt, angry, atlas)
        for name, value in vars(boss).items()
    ]
    saved = manager.create_snapshot().digest()

    def spoil() -> None:
        angry.friends.append(hurt)
        calm.orders["retreat"] = None
        if angry.hp == 2:
            angry.hp = 3
            fail()

    manager.after_load.append(spoil)
    friends = angry.friends
    failing(lambda: manager.apply_snapshot(before))
    manager.after_load.clear()
    del friends[1], calm.orders["retreat"]  # of the call in the undo
    angry.hp = 2
    assert [name for boss, name, v in held if getattr(boss, name) is not v] == []
    assert manager.create_snapshot().digest() == saved
    assert atlas.towns == {town} and atlas.roads == {town: {town: 1.0}}


def test_a_class_with_its_own_load_data_is_loaded_again_only_if_it_has_changed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    same, changed = manager.add(game.Bag()), manager.add(game.Bag())
    changed.items = ["rope"]
    before = manager.create_snapshot()
    changed.items, loads = ["lamp"], game.Bag.loads
    manager.after_load.append(fail)
    failing(lambda: manager.apply_snapshot(before))
    assert game.Bag.loads == loads + 3, "both by the load, one by the undo"
    assert changed.items == ["lamp"] and same.items == []


def test_states_are_put_back_one_by_one_and_only_if_they_have_changed(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    state: dict[str, Any] = {"bad": 1, "scores": [1], "clock": 1, "lambda": fail}
    calls: list[str] = []

    def setter(name: str) -> Callable[[Any], None]:
        def set(value: Any) -> None:
            calls.append(name)
            state[name] = value
            if name == "bad" and len(calls) > 4:
                raise ValueError("bad")

        return set

    for name in ("bad", "scores", "clock"):
        manager.add_state(name, partial(state.get, name), setter(name))
    before = manager.create_snapshot()
    scores = state["scores"] = [2]
    state["bad"] = 2
    manager.add_state("lambda", lambda: state["lambda"], setter("lambda"))
    manager.after_load.append(fail)
    error = failing(lambda: manager.apply_snapshot(before))
    assert calls == ["bad", "scores", "clock", "bad", "scores"]
    assert state["scores"] is scores == [2] and state["bad"] == 2
    assert "ValueError" not in str(error.__notes__)
    assert state["lambda"] is fail


# -- what the world itself does not know


def test_a_pool_of_a_failed_load_keeps_no_object_of_the_world(
    game: ModuleType, new_manager: NewManager, screen: Screen
) -> None:
    manager = new_manager({1: game.Unit})
    unit, actor = manager.spawn(1), manager.add(game.Actor())
    before = manager.create_snapshot()

    def spoil(actor: Any, what: str) -> bool:
        manager.pool(1)
        manager.destroy(unit)
        manager.add(game.Actor())
        return what == "spawned"

    screen.fails_at = spoil
    failing(lambda: manager.apply_snapshot(before))
    screen.fails_at = None
    assert [*manager.objects] == [unit, actor] and manager.spawn(1) is not unit


def test_a_snapshot_that_failed_can_be_applied_again(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    mine = manager.add(game.Unit(1))
    snapshot = foreign(manager, game, game.Unit(2))
    tries: list[int] = []

    def request() -> None:
        tries.append(1)
        if len(tries) == 1:
            actor = manager.add(game.Actor())
            actor.fails = "spawned"

    manager.after_load.append(request)
    failing(lambda: manager.apply_snapshot(snapshot))
    assert manager.apply_snapshot(snapshot).created == 1
    [unit] = manager.objects
    assert unit is not mine and (unit.hp, mine.hp) == (2, 1)


def test_the_parent_of_an_object_outside_of_a_partial_snapshot_is_put_back(
    game: ModuleType, manager: SaveLoadManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = manager.create_snapshot(filter="keep")
    tower = manager.add(GameObject(), level="keep")
    child = manager.add(GameObject(parent=tower))
    world = manager._world
    repair = world.repair_families

    def interrupted() -> None:
        repair()
        assert child.parent is None
        raise KeyboardInterrupt

    monkeypatch.setattr(world, "repair_families", interrupted)
    with pytest.raises(KeyboardInterrupt):
        manager.apply_snapshot(part)
    assert child.parent is tower and tower.children == (child,)
