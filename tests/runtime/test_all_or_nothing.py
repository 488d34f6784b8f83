"""A load that fails at any step leaves the world unchanged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

import savegen.runtime
from savegen.runtime import GameObject, SaveApplyError, SaveLoadManager, Snapshot
from savegen.runtime.values import rows
from savegen.runtime.values.stored import StoredType

NewManager = Callable[..., SaveLoadManager]
RUNTIME = str(Path(savegen.runtime.__file__).parent)


# To look costs more than to fail. The world is the same all along, so that what one failure
# damages is still damaged after those that follow.
LOOK_EVERY = 16  # lines


class Injected(BaseException):
    """No code of ours may catch it for good."""


class Fault:
    """Raises at the nth line of savegen, or of generated code, that is run; once."""

    def __init__(self, at: int) -> None:
        self.lines = 0
        self._at = at

    def __enter__(self) -> Fault:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        return self._line if name.startswith(RUNTIME) or "_savegen" in name else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                raise Injected
        return self._line


class Scene:
    """A world with a bit of everything, and a snapshot from which much has changed."""

    def __init__(self, game: ModuleType, manager: SaveLoadManager, kind: str) -> None:
        """A `bare` world runs no code of the game's, one with `hooks` the most."""
        self.manager = manager
        one, two, lost = game.Unit(1), game.Boss(2), game.Unit(3)
        self.thing = manager.add(GameObject(one, two))
        for each in (lost, game.Slotted(4, game.Slotted(5)), game.Coin(6)):
            manager.add(each)
        atlas, town = game.Map(), game.Town("here")
        atlas.towns, atlas.roads = {town}, {town: {town: 1.0}}
        one.foe, one.friends = lost, [two, lost]
        if kind != "bare":
            manager.add(atlas)
        if kind == "hooks":
            self._add_hooks(game)
        self.before = manager.create_snapshot()
        manager.destroy(lost)
        self.thing.remove_component(two)
        self.thing.transform.position = (1.0, 1.0, 1.0)
        late = manager.add(game.Unit(7), placement="late", level="crypt")
        one.foe, one.hp, one.trail = late, 50, [game.Vec2(1.0, 1.0)]
        atlas.towns, atlas.roads = set(), {}
        manager.add(GameObject(parent=self.thing))
        self.digest = self.look()

    def _add_hooks(self, game: ModuleType) -> None:
        bag, actor = self.manager.add(game.Bag()), self.manager.add(game.Actor())
        bag.items, bag.bearer = ["rope"], game.Unit(8)
        self.manager.add_state("clock", lambda: [actor.hp], lambda value: None)
        self.manager.after_load.append(lambda: None)

    def look(self) -> str:
        return self.manager.create_snapshot().digest()


@pytest.mark.parametrize("kind", ["bare", "plain", "hooks"])
@pytest.mark.parametrize("way", ["apply", "partial", "merge"])
def test_an_exception_at_any_line_changes_nothing(
    game: ModuleType, new_manager: NewManager, kind: str, way: str
) -> None:
    scene = Scene(game, new_manager(), kind)
    load = _load(scene, way, game)
    _load(Scene(game, new_manager(), kind), way, game)()  # looks all classes up
    count = _count(Scene(game, new_manager(), kind), way, game)
    for at in range(1, 2 * count):
        try:
            with Fault(at):
                load()
        except Injected:
            # Before it loads, so that the last failures are looked at: each of them.
            if at % LOOK_EVERY == 0 or at > 0.8 * count:
                assert scene.look() == scene.digest, f"{way}: line {at} or a few before"
        else:
            break  # there are not so many lines: it has loaded
    assert at > 0.7 * count
    assert scene.look() != scene.digest


def _count(scene: Scene, way: str, game: ModuleType) -> int:
    load = _load(scene, way, game)
    with Fault(0) as fault:
        load()
    assert fault.lines > 300
    return fault.lines


def _load(scene: Scene, way: str, game: ModuleType) -> Callable[[], object]:
    manager = scene.manager
    if way == "merge":
        return lambda: manager.merge(scene.before)
    if way == "apply":
        return lambda: manager.apply_snapshot(scene.before)
    part = _partial(scene, game)
    scene.digest = scene.look()
    return lambda: manager.apply_snapshot(part)


def _partial(scene: Scene, game: ModuleType) -> Snapshot:
    part = scene.manager.create_snapshot(filter=game.Unit)
    for unit in scene.manager.find(game.Unit):
        unit.hp += 1
    return part


def failing(manager: SaveLoadManager, snapshot: Snapshot, match: str) -> SaveApplyError:
    seen = manager.create_snapshot().digest()
    with pytest.raises(SaveApplyError, match=match) as caught:
        manager.apply_snapshot(snapshot)
    assert manager.create_snapshot().digest() == seen
    return caught.value


def test_a_hook_that_raises_is_named_and_the_hooks_are_told_of_the_way_back(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actors = [manager.add(game.Actor()) for _ in range(3)]
    before = manager.create_snapshot()
    calls: list[str] = []
    manager.before_load.append(lambda: calls.append("before"))
    manager.after_load.append(lambda: calls.append("after"))
    for actor in actors:
        actor.hp = 50
        actor.log.clear()
    actors[1].fails = "reloaded"
    manager.before_load.append(lambda: setattr(actors[0], "hp", 77))
    with pytest.raises(SaveApplyError, match=r"`Actor.wake` raised RuntimeError"):
        manager.apply_snapshot(before)
    assert [actor.hp for actor in actors] == [77, 50, 50]
    manager.before_load.pop()
    assert actors[0].log == ["reloaded", "reloaded"] == actors[1].log
    assert actors[2].log == ["reloaded"], "the load did not reach it"
    assert calls == ["before", "before", "after"]


@pytest.mark.parametrize("hook", ["before_load", "after_load"])
def test_a_callback_that_raises_is_named(
    game: ModuleType, manager: SaveLoadManager, hook: str
) -> None:
    unit = manager.add(game.Unit())
    before = manager.create_snapshot()
    unit.hp = 50

    def fail() -> None:
        raise KeyError("physics")

    getattr(manager, hook).append(fail)
    failing(manager, before, r"fail` raised KeyError: 'physics'")


def test_an_on_deactivate_that_raises_keeps_its_object(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    before = manager.create_snapshot()
    actor = manager.add(game.Actor())
    actor.fails = "deactivate"
    failing(manager, before, r"`Actor.hush` raised")
    assert manager.key_of(actor) is not None


def test_a_field_that_refuses_its_value_is_named(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    picky, other = manager.add(game.Picky(1)), manager.add(game.Picky(2))
    before = manager.create_snapshot()
    picky.hp, other.hp, picky.mood = 5, 6, game.Mood.ANGRY
    other.refuses = 2
    failing(manager, before, r"`Picky.hp` cannot be set: ValueError: not this one")
    assert (picky.hp, other.hp, picky.mood) == (5, 6, game.Mood.ANGRY)


def test_a_class_that_guards_its_attributes_is_loaded_around_its_guard(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    guarded = game.Stubborn()
    manager.add(guarded)
    before = manager.create_snapshot()
    guarded.__dict__["hp"] = 9
    manager.apply_snapshot(before)
    assert guarded.hp == 1


def test_a_load_data_that_raises_is_named(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bag, unit = manager.add(game.Bag()), manager.add(game.Unit())
    bag.items = ["rope"]
    before = manager.create_snapshot()
    [row] = before.tables[int(bag.save_type)].rows
    row[bag.SaveLoadFields["ITEMS"]] = StoredType("int"), 7
    bag.items, unit.hp = ["lamp"], 50
    failing(manager, before, r"`Bag.load_data` raised TypeError")
    assert bag.items == ["lamp"] and unit.hp == 50


def test_a_hash_that_raises_undoes_the_load(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    atlas, town = manager.add(game.Map()), manager.add(game.Town("here"))
    atlas.towns = {town}
    before = manager.create_snapshot()
    atlas.towns = set()
    manager.destroy(town)
    row: Any = before.tables[int(town.save_type)].rows[0]
    row.name = []  # as a name, nothing that can be hashed
    failing(manager, before, r"`Map\.towns` cannot be set: TypeError")
    assert atlas.towns == set()


def test_a_prefab_that_cannot_be_built_undoes_the_load(
    game: ModuleType, new_manager: NewManager
) -> None:
    makers: list[Callable[[], Any]] = [game.Unit]
    manager = new_manager({1: lambda: makers[0]()})
    unit = manager.spawn(1)
    before = manager.create_snapshot()
    manager.destroy(unit)
    makers[0] = lambda: 1 / 0
    failing(manager, before, "ZeroDivisionError")
    makers[0] = game.Boss
    failing(manager, before, "prefab 1 builds a Boss, but the snapshot contains a Unit")
    makers[0] = game.Unit
    assert manager.apply_snapshot(before).created == 1


def test_what_hooks_of_a_failed_load_asked_for_is_forgotten(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    actor, other = manager.add(game.Actor()), manager.add(game.Actor())
    before = manager.create_snapshot()

    def does(actor: Any, what: str) -> None:
        if what == "reloaded":
            manager.add(game.Unit())

    actor.does, other.fails = does, "reloaded"
    failing(manager, before, "Actor.wake")
    assert len(manager) == 2
    other.fails = ""
    manager.apply_snapshot(before)
    assert len(manager) == 3


def test_an_interrupt_is_passed_on_as_it_is(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    before = manager.create_snapshot()
    unit.hp = 50

    def interrupt() -> Iterator[None]:
        raise KeyboardInterrupt

    manager.after_load.append(interrupt)
    with pytest.raises(KeyboardInterrupt):
        manager.apply_snapshot(before)
    assert unit.hp == 50


NOT_OF_A_MOMENT = frozenset(  # what the world is made with, and what only grows
    "registry assets activate deactivate _entries _highest_reached epoch".split()
)


def known(manager: SaveLoadManager) -> dict[str, Any]:
    """Return everything that is known of who is in a world, as it is now."""
    world = manager._world
    found = {n: each for n, each in vars(world).items() if n not in NOT_OF_A_MOMENT}
    found["slots"] = world.slots.state()
    for name in ("destroyed", "by_former_key", "generators"):
        found[name] = vars(found[name])
    return {name: _copied(value) for name, value in found.items()}


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(each) for name, each in value.items()}
    return value.copy() if isinstance(value, list) else value


def with_shadows(game: ModuleType, manager: SaveLoadManager, count: int) -> Snapshot:
    """Return a world in which units were reached, as if it had been read from a file."""
    chain = manager.add(game.Unit(9), placement="late", level="crypt")
    for number in range(count):
        chain.foe = game.Unit(number)
        chain = chain.foe
    snapshot = manager.create_snapshot()
    snapshot.world = None
    return snapshot


@pytest.mark.parametrize("kind", ["bare", "plain", "hooks"])
def test_a_failed_load_puts_back_all_that_is_known_of_the_world(
    game: ModuleType, new_manager: NewManager, kind: str
) -> None:
    scene = Scene(game, new_manager(), kind)
    manager, unit = scene.manager, next(scene.manager.find(game.Unit))
    unit.foe = game.Unit(8)
    manager.create_snapshot()
    snapshot, seen = with_shadows(game, new_manager(), 7), known(manager)
    given: list[int] = []

    def fail() -> None:
        if not given:
            given.append(manager.key_of(game.Unit(10)))
            raise KeyError("physics")

    manager.after_load.append(fail)
    failing(manager, snapshot, "physics")
    manager.after_load.remove(fail)
    assert known(manager) == seen
    unit.foe = game.Unit(8)
    assert manager.key_of(unit.foe) < given[0], "a key must not come to life again"
