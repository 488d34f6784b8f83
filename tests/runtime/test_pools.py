"""An object out of a pool is like a new one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import GameObject, ObjectPool, SaveError, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from savegen.saves import coding
from tests.oracle import difference

NewManager = Callable[..., SaveLoadManager]


def makers(game: ModuleType) -> dict[str, Callable[[], Any]]:
    king = game.Unit(99)

    def tank() -> GameObject:
        body, gun = game.Boss(5), game.Unit(6)
        body.foe, body.friends = gun, [gun, body]
        gun.area = game.Box(game.Vec2(0.0, 0.0), game.Vec2(1.0, 1.0), ["n"])
        thing = GameObject(body, position=(1.0, 2.0, 3.0))
        thing.add_component(gun, part="gun")
        return thing

    return {
        "unit": lambda: game.Unit(3),
        "boss": game.Boss,
        "coin": lambda: game.Coin(4, king),
        "slotted": lambda: game.Slotted(1),
        "map": game.Map,
        "tank": tank,
        "coin of its own": lambda: game.Coin(4, game.Unit()),
        "bag": game.Bag,
    }


def spoil(game: ModuleType, thing: Any) -> None:
    if isinstance(thing, GameObject):
        thing.transform.position, thing.active = (9.0, 9.0, 9.0), False
        for component in thing.components:
            spoil(game, component)
        return
    for name, value in {
        "hp": 77,
        "trail": [game.Vec2(5.0, 5.0)],
        "foe": game.Unit(78),
        "friends": [],
        "orders": {},
        "area": None,
        "worth": 79,
        "owner": None,
        "value": 80,
        "left": None,
        "towns": {game.Town("x")},
        "items": ["y"],
    }.items():
        if hasattr(thing, name):
            object.__setattr__(thing, name, value)


@pytest.mark.parametrize("kind", ["unit", "boss", "coin", "slotted", "map", "tank"])
def test_an_object_out_of_the_pool_is_like_a_new_one(
    game: ModuleType, registry: Registry, kind: str
) -> None:
    make = makers(game)[kind]
    pool = ObjectPool(registry, make)
    for _ in range(3):
        used = pool.create_from_pool()
        assert told(used, make()) is None
        spoil(game, used)
        if kind != "map":
            assert told(used, make()) is not None
        pool.return_to_pool(used)
        again = pool.create_from_pool()
        assert again is used and told(again, make()) is None
        pool.return_to_pool(again)


def told(thing: Any, new: Any) -> str | None:
    """Return where two objects differ, of all that is saved."""
    return difference(described(thing), described(new))


def described(thing: Any) -> Any:
    if isinstance(thing, GameObject):
        place = thing.transform
        return [
            [(number, part) for number, part in thing.numbered],
            (place.position, place.scale, place.rotation, thing.active),
        ]
    return thing


def test_two_objects_out_of_a_pool_share_nothing(
    game: ModuleType, registry: Registry
) -> None:
    pool = ObjectPool(registry, makers(game)["tank"])
    pool.warm(2)
    one, two = pool.create_from_pool(), pool.create_from_pool()
    assert one.components[0].foe is one.components[1] is not two.components[1]
    assert two.components[0].friends[0] is two.components[1]
    one.components[1].area.notes.append("late")
    assert two.components[1].area.notes == ["n"]


@pytest.mark.parametrize("kind", ["coin of its own", "bag"])
def test_what_only_its_constructor_can_make_is_built_each_time(
    game: ModuleType, registry: Registry, kind: str
) -> None:
    pool = ObjectPool(registry, makers(game)[kind])
    first = pool.create_from_pool()
    assert not pool.return_to_pool(first) and len(pool) == 0
    assert pool.create_from_pool() is not first
    pool.warm(3)
    assert len(pool) == 0


def test_what_is_another_each_time_is_not_used_again(
    game: ModuleType, registry: Registry
) -> None:
    numbers = itertools.count()
    pool = ObjectPool(registry, lambda: game.Unit(next(numbers)))
    first = pool.create_from_pool()
    assert not pool.return_to_pool(first)
    assert pool.create_from_pool().hp > first.hp


def test_what_a_constructor_rolls_is_rolled_for_each_object(
    game: ModuleType, registry: Registry
) -> None:
    pool = ObjectPool(registry, lambda: game.Unit(random.randrange(2)))
    random.seed(1)
    found = [pool.create_from_pool() for _ in range(20)]
    assert not any(pool.return_to_pool(each) for each in found)
    random.seed(1)
    assert [each.hp for each in found] == [random.randrange(2) for _ in range(20)]


def test_how_many_objects_wait_from_the_start_changes_no_roll(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(random.randrange(9))})
    random.seed(1)
    before = random.getstate()
    manager.pool(1, warm=4)
    assert random.getstate() == before


def test_an_object_that_has_lost_a_component_is_not_kept(
    game: ModuleType, registry: Registry
) -> None:
    pool = ObjectPool(registry, makers(game)["tank"])
    thing = pool.create_from_pool()
    thing.remove_component(thing.components[0])
    assert not pool.return_to_pool(thing)


def test_what_all_objects_of_a_prefab_share_stays_shared_and_as_it_is(
    game: ModuleType, registry: Registry
) -> None:
    pool = ObjectPool(registry, makers(game)["coin"])
    coin = pool.create_from_pool()
    king = coin.owner
    king.hp = 5
    object.__setattr__(coin, "owner", None)
    pool.return_to_pool(coin)
    assert pool.create_from_pool().owner is king and king.hp == 5


def test_a_pool_holds_what_it_has_room_for(
    game: ModuleType, registry: Registry
) -> None:
    pool = ObjectPool(registry, game.Unit, capacity=2)
    pool.warm(5)
    assert len(pool) == 2
    units = [pool.create_from_pool() for _ in range(3)]
    assert [pool.return_to_pool(unit) for unit in units] == [True, True, False]
    with pytest.raises(SaveError, match="in the pool already"):
        pool.return_to_pool(units[0])
    with pytest.raises(SaveError, match="cannot be negative"):
        ObjectPool(registry, game.Unit, capacity=-1)


def test_destroyed_objects_go_to_their_pool_and_come_back_as_others(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(3)})
    manager.pool(1)
    holder = manager.add(game.Unit())
    first = manager.spawn(1, hp=50)
    holder.foe = first
    key = manager.key_of(first)
    manager.destroy(first)
    assert manager.create_snapshot().dangling == 1, "in the pool it is nobody"
    second = manager.spawn(1)
    assert second is first and second.hp == 3 and manager.key_of(second) != key


def test_a_load_takes_from_the_pool_and_gives_back(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(3)})
    pool = manager.pool(1)
    first = manager.spawn(1, hp=50)
    key = manager.key_of(first)
    before = manager.create_snapshot()
    manager.destroy(first)
    other = manager.spawn(1, hp=60)
    assert other is first, "it lives another life"
    report = manager.apply_snapshot(before)
    assert (report.created, report.removed, len(pool)) == (1, 1, 0)
    assert manager.get_component(key) is first, "and a third one; none is built"
    assert first.hp == 50 and len(manager) == 1


@pytest.mark.parametrize("warm", [0, 2, 5])
@pytest.mark.parametrize("live", [0, 1, 3, 4])
def test_a_load_of_a_file_makes_no_second_set_of_the_pooled_objects(
    game: ModuleType, new_manager: NewManager, warm: int, live: int
) -> None:
    built = []

    def unit() -> Any:
        built.append(game.Unit(3))
        return built[-1]

    saved = new_manager({1: unit})
    for hp in (50, 60, 70):
        saved.spawn(1, hp=hp)
    data = coding.encode(saved.create_snapshot())
    manager = new_manager({1: unit})
    pool = manager.pool(1, warm=warm)
    for _ in range(live):
        manager.spawn(1, hp=9)
    before = manager.create_snapshot()
    ready = live + len(pool)
    built.clear()
    for _ in range(3):
        manager.apply_snapshot(coding.decode(data, manager))
        assert [each.hp for each in manager.objects] == [50, 60, 70]
        assert len(built) == max(0, 3 - ready)
        assert len(pool) == max(0, ready - 3)
        assert not {*map(id, pool.waiting)} & {*map(id, manager.objects)}
    manager.apply_snapshot(before)
    assert [each.hp for each in manager.objects] == [9] * live
    assert len({*map(id, manager.objects)}) == live, "none has two lives"


def test_a_load_that_fails_gives_reused_objects_their_life_back(
    game: ModuleType, new_manager: NewManager
) -> None:
    saved = new_manager({1: lambda: game.Unit(3)})
    saved.spawn(1, hp=50)
    data = coding.encode(saved.create_snapshot())
    manager = new_manager({1: lambda: game.Unit(3)})
    pool = manager.pool(1)
    unit = manager.spawn(1, hp=9)
    key, seen = manager.key_of(unit), manager.create_snapshot().digest()
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveError, match="ZeroDivisionError"):
        manager.apply_snapshot(coding.decode(data, manager))
    assert manager.objects == (unit,) and manager.key_of(unit) == key
    assert unit.hp == 9 and not len(pool)
    assert manager.create_snapshot().digest() == seen


def test_a_load_that_fails_leaves_the_pool_as_it_was(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(3)})
    pool = manager.pool(1, warm=2)
    unit, actor = manager.spawn(1), manager.add(game.Actor())
    before = manager.create_snapshot()
    manager.destroy(unit)
    late = manager.spawn(1)
    waiting, seen = pool.waiting, manager.create_snapshot().digest()
    actor.fails = "reloaded"
    with pytest.raises(SaveError):
        manager.apply_snapshot(before)
    assert [*map(id, pool.waiting)] == [*map(id, waiting)]
    assert manager.create_snapshot().digest() == seen
    assert manager.key_of(late) is not None


def test_an_object_that_a_load_keeps_still_returns_to_its_pool(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: game.Unit(3)})
    pool = manager.pool(1)
    unit = manager.spawn(1)
    before = manager.create_snapshot()
    manager.spawn(1)
    manager.apply_snapshot(before)
    manager.destroy(unit)
    assert len(pool) == 2
