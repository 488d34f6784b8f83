"""Taking snapshots and applying them: what they contain, and what a load does not change."""

from __future__ import annotations

import copy
import gc
import random
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
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
from tests.oracle import difference
from tests.project import python

NewManager = Callable[..., SaveLoadManager]


def digest(manager: SaveLoadManager) -> str:
    return manager.create_snapshot().digest()


def changed(after: Snapshot, before: Snapshot) -> list[tuple[str, tuple[str, ...]]]:
    return [(c.what, c.fields) for c in after.changes(since=before)]


# -- round trips


def test_every_field_comes_back_and_objects_stay_the_same_objects(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, boss = manager.add(game.Unit(3)), manager.add(game.Boss())
    unit.foe, unit.friends, unit.shadow = boss, [boss, unit], weakref.ref(boss)
    unit.area = game.Box(game.Vec2(0.0, -0.0), game.Vec2(1.0, 2.0), ["a"])
    boss.guards = (unit,)
    before = manager.create_snapshot(strict=True)
    area, orders = unit.area, boss.orders
    unit.foe, unit.friends, unit.shadow, unit.area = None, [], None, None
    unit.hp, boss.guards = 99, ()
    boss.orders["advance"].append(7)
    report = manager.apply_snapshot(before)
    assert (report.kept, report.changed, report.created) == (2, 2, 0)
    assert unit.foe is boss and unit.shadow() is boss and boss.guards[0] is unit
    assert unit.friends[0] is boss and unit.friends[1] is unit and unit.hp == 3
    assert difference(unit.area, area) is None and unit.area is not area
    assert list(orders["advance"]) == [1, 2, 7], "what the game holds is left alone"
    assert list(boss.orders["advance"]) == [1, 2] and boss.orders["advance"].maxlen == 4


def test_an_object_that_has_not_changed_is_not_written(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    before = manager.create_snapshot()
    trail = unit.trail
    assert manager.apply_snapshot(before).changed == 0
    assert unit.trail is trail


def test_nothing_that_happens_later_changes_a_snapshot(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    unit.area = game.Box(game.Vec2(0.0, 0.0), game.Vec2(1.0, 1.0))
    before = manager.create_snapshot()
    seen = before.digest()
    unit.trail.append(game.Vec2(1.0, 2.0))
    unit.area.notes.append("late")
    unit.area.low = game.Vec2(9.0, 9.0)
    manager.apply_snapshot(before)
    unit.area.notes.append("later")
    before._digest = None
    assert before.digest() == seen


def test_what_is_only_referred_to_is_saved_shared_and_cyclic_as_it_is(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    hidden, other = game.Unit(1), game.Boss(2)
    unit.foe, unit.friends = hidden, [hidden, other]
    hidden.foe, other.foe = other, unit
    before = manager.create_snapshot()
    assert len(before) == 3 and len(manager) == 1
    hidden.hp, other.hp, other.foe = 50, 60, None
    unit.foe, unit.friends = None, []
    assert len(manager.create_snapshot()) == 1, "nothing leads there any more"
    manager.apply_snapshot(before)
    assert unit.foe is hidden and unit.friends[0] is hidden and hidden.foe is other
    assert other.foe is unit and (hidden.hp, other.hp) == (1, 2)


def test_a_list_of_a_hundred_thousand_nodes_needs_no_recursion(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    first = None
    for number in range(100_000):
        first = game.Slotted(number, first)
    assert first is not None
    manager.add(first)
    before = manager.create_snapshot()
    assert len(before) == 100_000
    last = first.left
    first.left = None
    manager.apply_snapshot(before)
    assert first.left is last and len(before.digest()) == 32
    while first is not None:  # or Python itself would recurse
        first = first.left


def test_what_was_spawned_since_is_gone_and_what_was_destroyed_is_back(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    old = manager.add(game.Unit(5))
    friend = manager.add(game.Unit(6))
    friend.foe, key = old, manager.key_of(old)
    before = manager.create_snapshot()
    seen = before.digest()
    manager.destroy(old)
    new = manager.add(game.Unit(7))
    report = manager.apply_snapshot(before)
    assert (report.kept, report.created, report.removed) == (1, 1, 1)
    made = manager.get_component(key)
    assert made is not old and made.hp == 5 and friend.foe is made
    assert manager.key_of(new) == 0
    assert digest(manager) == seen
    assert manager.apply_snapshot(before).created == 0, "it is alive now"
    assert manager.get_component(key) is made


def test_keys_of_an_abandoned_future_never_come_to_life(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    before = manager.create_snapshot()
    lost = manager.key_of(manager.add(game.Unit()))
    manager.apply_snapshot(before)
    assert manager.key_of(manager.add(game.Unit())) != lost


def test_components_come_back_under_their_numbers(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    thing = manager.add(GameObject(game.Unit(1), game.Unit(2)))
    thing.add_component(game.Boss(3), part="boss")
    boss = thing.part("boss")
    boss.foe = thing.components[0]
    before = manager.create_snapshot()
    seen = before.digest()
    first = thing.components[0]
    thing.remove_component(thing.components[1])
    thing.remove_component(boss)
    thing.add_component(game.Coin(4))
    thing.transform.position, thing.active = (5.0, 5.0, 5.0), False
    manager.apply_snapshot(before)
    assert thing.components[0] is first, "it was there all the time"
    assert [c.hp for c in thing.components] == [1, 2, 3]
    assert thing.part("boss").foe is first and thing.active
    assert thing.transform.position == (0.0, 0.0, 0.0)
    assert digest(manager) == seen
    assert [*manager.find(game.Coin)] == []


def test_parents_come_back_with_their_children(manager: SaveLoadManager) -> None:
    top = manager.add(GameObject())
    child, other = (manager.add(GameObject(parent=top)) for _ in range(2))
    before = manager.create_snapshot()
    seen = before.digest()
    child.parent = other
    manager.destroy(other)
    assert len(manager) == 1
    manager.apply_snapshot(before)
    assert [c.parent for c in top.children] == [top, top] and len(manager) == 3
    assert digest(manager) == seen


def test_an_attribute_that_is_not_set_is_not_set_again(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bare, unit = game.Slotted.__new__(game.Slotted), manager.add(game.Slotted(4))
    manager.add(bare)
    bare.left = unit
    before = manager.create_snapshot()
    bare.value, unit.value, bare.left = 3, 5, None
    manager.apply_snapshot(before)
    assert not hasattr(bare, "value") and unit.value == 4 and bare.left is unit


def test_a_class_that_saves_itself_loads_itself(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bag, bearer = manager.add(game.Bag()), game.Unit()
    bag.items, bag.bearer = ["rope"], bearer
    before = manager.create_snapshot()
    assert len(before) == 2, "its references are found too"
    bag.items.append("lamp")
    bag.bearer, loads = None, bag.loads
    manager.apply_snapshot(before)
    assert bag.items == ["rope"] and bag.bearer is bearer and bag.loads == loads + 1


def test_what_a_class_saves_itself_has_fields_alone_and_plain_values(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bag = manager.add(game.Bag())
    bag.extra = game.Unit()
    with pytest.raises(SaveError, match=r"`Bag.save_data` raised .*no field number 99"):
        manager.create_snapshot()
    bag.extra, bag.items = None, {"deep": [lambda: None]}
    [lost] = manager.create_snapshot().lost
    assert (lost.class_name, lost.field) == (
        "Bag",
        "items",
    ) and "function" in lost.value
    with pytest.raises(
        SaveError, match=r"`Bag\.items\['deep'\]\[0\]` cannot be saved: a function"
    ):
        manager.create_snapshot(strict=True)


def test_objects_are_hashed_only_once_they_are_whole(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    here, there, atlas = game.Town("Here"), game.Town("There"), game.Map()
    for each in (here, there, atlas):
        manager.add(each)
    atlas.towns, atlas.roads = {here, there}, {here: {there: 3.5}}
    before = manager.create_snapshot()
    for each in (here, there):
        manager.destroy(each)
    atlas.towns, atlas.roads = set(), {}
    manager.apply_snapshot(before)
    towns = {town.name: town for town in atlas.towns}
    assert towns.keys() == {"Here", "There"}
    assert towns["Here"] is not here and towns["Here"] in atlas.towns
    assert atlas.roads[towns["Here"]][towns["There"]] == 3.5


def test_an_empty_snapshot_is_a_valid_one(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    before = manager.create_snapshot()
    manager.add(game.Unit())
    manager.add(GameObject(game.Empty()))
    assert manager.apply_snapshot(before).removed == 2
    assert len(manager) == 0 == len(manager.create_snapshot())


def test_falsy_frozen_and_empty_objects_are_objects_like_others(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    nothing, coin = manager.add(game.Empty()), manager.add(game.Coin(3, game.Unit()))
    before = manager.create_snapshot()
    object.__setattr__(coin, "worth", 8)
    object.__setattr__(coin, "owner", None)
    manager.destroy(nothing)
    manager.apply_snapshot(before)
    assert coin.worth == 3 and coin.owner.hp == 10
    assert len([*manager.find(game.Empty)]) == 1


def test_loading_does_not_materialise_what_slows_every_access(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Coin(3))
    before = manager.create_snapshot()
    object.__setattr__(unit, "worth", 4)
    manager.apply_snapshot(before)
    assert dict not in map(type, gc.get_referents(unit))
    if sys.version_info < (3, 13):  # later ones keep the values beside the dict
        vars(unit)
        assert dict in map(type, gc.get_referents(unit)), "this test would see it"


# -- what is refused


def test_a_snapshot_of_another_manager_is_refused(new_manager: NewManager) -> None:
    with pytest.raises(SaveApplyError, match="another manager: use `merge`"):
        new_manager().apply_snapshot(new_manager().create_snapshot())


@pytest.mark.parametrize("name, value", [("friends", None), ("hp", "many")])
def test_a_value_outside_its_annotation_comes_back_and_is_named(
    game: ModuleType, manager: SaveLoadManager, name: str, value: object
) -> None:
    unit = manager.add(game.Unit())
    setattr(unit, name, value)
    before = manager.create_snapshot()
    setattr(unit, name, getattr(game.Unit(), name))
    manager.apply_snapshot(before)
    assert getattr(unit, name) == value
    kind = type(value).__name__
    with pytest.raises(SaveError, match=rf"`Unit\.{name}` holds a {kind}"):
        manager.create_snapshot(strict=True)


def test_a_reference_to_what_cannot_be_saved_is_lost_and_named(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit())
    unit.foe = object()
    [lost] = manager.create_snapshot().lost
    assert (lost.class_name, lost.field) == ("Unit", "foe")
    with pytest.raises(SaveError, match=r"`Unit\.foe` cannot be saved"):
        manager.create_snapshot(strict=True)


def test_strict_capture_finds_a_value_that_two_fields_hold(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    one, two = manager.add(game.Unit()), manager.add(game.Unit())
    one.trail = two.trail
    manager.create_snapshot()
    with pytest.raises(SaveError, match=r"`Unit\.trail`.*hold one list"):
        manager.create_snapshot(strict=True)
    one.trail = []
    one.area = two.area = game.Box(game.Vec2(0.0, 0.0), game.Vec2(0.0, 0.0))
    with pytest.raises(SaveError, match=r"`Unit\.area`.*hold one Box"):
        manager.create_snapshot(strict=True)


def test_strict_capture_names_several_shared_values_at_once(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = [manager.add(game.Unit()) for _ in range(9)]
    for unit in units:
        unit.trail = units[0].trail
    with pytest.raises(SaveError, match=r"hold one list; and 3 more: ") as raised:
        manager.create_snapshot(strict=True)
    assert str(raised.value).count(" (object #1) and `Unit.trail` (object ") == 5
    for unit in units[2:]:
        unit.trail = []
    with pytest.raises(SaveError, match=r"\(object #2\) hold one list: after a load"):
        manager.create_snapshot(strict=True)


# -- references to what is gone


def test_a_reference_to_a_destroyed_object_is_saved_as_none_or_left_out_and_counted(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, foe = manager.add(game.Unit()), manager.add(game.Unit())
    unit.foe, unit.friends = foe, [foe, unit]
    manager.destroy(foe)
    before = manager.create_snapshot()
    assert before.dangling == 2 and len(before) == 1
    report = manager.apply_snapshot(before)
    assert report.dangling == 2 and unit.foe is None and unit.friends == [unit]


@pytest.mark.parametrize("kind", ["Unit", "Slotted"])
def test_what_was_destroyed_is_never_adopted_again(
    game: ModuleType, manager: SaveLoadManager, kind: str
) -> None:
    if kind == "Unit":
        holder, gone = manager.add(game.Unit()), manager.add(game.Unit())
        name = "foe"
    else:
        gone = manager.add(game.Slotted(1))
        holder, name = manager.add(game.Slotted(2)), "left"
    manager.destroy(gone)
    for _ in range(3):
        assert len(manager.create_snapshot()) == 1
    setattr(holder, name, gone)
    assert len(manager.create_snapshot()) == 1


def test_a_key_of_a_destroyed_object_in_data_of_a_class_that_saves_itself(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    bag, bearer = manager.add(game.Bag()), manager.add(game.Unit())
    bag.bearer = bearer
    manager.destroy(bearer)
    before = manager.create_snapshot()
    manager.apply_snapshot(before)
    assert before.dangling == 1 and bag.bearer is None


# -- changes


def test_changes_are_exact(game: ModuleType, manager: SaveLoadManager) -> None:
    unit = manager.add(game.Unit())
    unit.speed, unit.hp = 0.0, 0
    before = manager.create_snapshot()
    unit.trail = [*unit.trail]
    unit.position = game.Vec2(0.0, 0.0)
    assert manager.create_snapshot().changes(since=before) == []
    for name, value in (
        ("speed", -0.0),
        ("hp", False),
        ("position", game.Vec2(0.0, -0.0)),
        ("trail", [game.Vec2(0.0, 0.0)]),
        ("foe", unit),
    ):
        old = getattr(unit, name)
        setattr(unit, name, value)
        after = manager.create_snapshot()
        assert changed(after, before) == [("changed", (name,))], name
        assert after.digest() != before.digest(), name
        setattr(unit, name, old)
    assert changed(manager.create_snapshot(), before) == []


def test_changes_tell_what_came_and_went(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    old = manager.add(game.Unit())
    before = manager.create_snapshot()
    manager.destroy(old)
    new = manager.add(game.Unit())
    new.foe = game.Coin(3) and None
    found = manager.create_snapshot().changes(since=before)
    assert [(c.what, c.component is new) for c in found] == [
        ("removed", False),  # its key is the lower one
        ("added", True),
    ]


def test_an_object_made_again_by_a_load_is_the_same_to_changes(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, foe = manager.add(game.Unit()), manager.add(game.Unit())
    unit.foe = foe
    before = manager.create_snapshot()
    manager.destroy(foe)
    manager.apply_snapshot(before)
    assert unit.foe is not foe
    assert manager.create_snapshot().changes(since=before) == []


# -- parts of a world


def test_a_partial_snapshot_touches_only_what_it_covers(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    boss, unit, coin = game.Boss(1), game.Unit(2), game.Coin(3)
    for each in (boss, unit, coin):
        manager.add(each)
    boss.foe = unit
    part = manager.create_snapshot(filter=game.Boss)
    assert len(part) == 1
    boss.hp, unit.hp, boss.foe = 10, 20, None
    late = manager.add(game.Boss(9))
    report = manager.apply_snapshot(part)
    assert boss.hp == 1 and boss.foe is unit and unit.hp == 20
    assert manager.key_of(late) == 0 and report.removed == 1
    assert manager.key_of(coin) is not None


def test_a_partial_snapshot_builds_what_is_missing_under_a_new_key(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    boss, unit = manager.add(game.Boss(1)), manager.add(game.Unit(2))
    boss.foe = unit
    key = manager.key_of(boss)
    part = manager.create_snapshot(filter=[boss])
    manager.destroy(boss)
    other = manager.add(game.Unit(5))
    assert manager.apply_snapshot(part).created == 1
    (made,) = manager.find(game.Boss)
    assert made.hp == 1 and made.foe is unit and manager.key_of(made) != key
    assert manager.key_of(other) is not None


def test_a_level_can_be_saved_alone(game: ModuleType, manager: SaveLoadManager) -> None:
    crypt = manager.add(game.Unit(1), placement="u1", level="crypt")
    cave = manager.add(game.Unit(2), placement="u2", level="cave")
    part = manager.create_snapshot(filter="crypt")
    crypt.hp = cave.hp = 50
    manager.apply_snapshot(part)
    assert (crypt.hp, cave.hp) == (1, 50)


def test_a_reference_out_of_a_partial_snapshot_to_what_is_gone_is_none(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    boss, unit = manager.add(game.Boss(1)), manager.add(game.Unit(2))
    boss.foe = unit
    part = manager.create_snapshot(filter=game.Boss)
    manager.destroy(unit)
    manager.apply_snapshot(part)
    assert boss.foe is None


def test_a_container_loses_what_a_partial_snapshot_left_out_and_is_gone(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit, gone, left = (manager.add(cls()) for cls in (game.Boss, game.Unit, game.Unit))
    unit.friends = [gone, left]
    part = manager.create_snapshot(filter=game.Boss)
    manager.destroy(gone)
    for _ in range(2):
        manager.apply_snapshot(part)
        assert unit.friends == [left]


def test_merging_adds_copies_with_keys_of_their_own(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    unit, hidden, bag = manager.add(game.Unit(1)), game.Unit(2), manager.add(game.Bag())
    unit.foe, hidden.foe, bag.bearer = hidden, unit, hidden
    thing = manager.add(GameObject(game.Unit(3), parent=None))
    snapshot = manager.create_snapshot()
    for target in (manager, new_manager()):
        before = len(target)
        keys = target.merge(snapshot)
        assert len(target) == before + 3
        copied = target.get_object(keys[manager.record_of(unit).key])
        assert copied is not unit and copied.hp == 1
        assert copied.foe is not hidden and copied.foe.foe is copied
        other = target.get_object(keys[manager.record_of(bag).key])
        assert other.bearer is copied.foe
        made = target.get_object(keys[manager.record_of(thing).key])
        assert made.components[0] is not thing.components[0]
        assert made.components[0].hp == 3
    assert unit.foe is hidden


# -- state that lives elsewhere


def test_a_state_is_saved_with_the_world(manager: SaveLoadManager) -> None:
    manager.add_state("dice", random.getstate, random.setstate)
    before = manager.create_snapshot()
    rolls = [random.random() for _ in range(3)]
    manager.apply_snapshot(before)
    assert [random.random() for _ in range(3)] == rolls
    with pytest.raises(SaveError, match="already"):
        manager.add_state("dice", random.getstate, random.setstate)


def test_a_digest_is_the_same_in_every_process(tmp_path: Path) -> None:
    script = (
        "from tests.room import Room\n"
        "from sample_game._savegen.registry import REGISTRY\n"
        "from savegen.runtime import SaveLoadManager\n"
        "manager = SaveLoadManager(REGISTRY)\n"
        "for each in Room().cast:\n"
        "    manager.add(each)\n"
        "print(manager.create_snapshot().digest())\n"
    )
    seen = {python("-c", script, PYTHONHASHSEED=seed) for seed in "123"}
    assert len(seen) == 1 and len(seen.pop()) == 33


def test_a_snapshot_and_its_copy_by_hand_agree(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    """The oracle is not ours alone: a deep copy of the fields says the same."""
    unit = manager.add(game.Unit())
    unit.area = game.Box(game.Vec2(1.0, 2.0), game.Vec2(3.0, 4.0), ["x"])
    before, by_hand = manager.create_snapshot(), copy.deepcopy(unit.area)
    unit.area.notes.append("y")
    unit.area.high = game.Vec2(0.0, 0.0)
    manager.apply_snapshot(before)
    found: Any = difference(unit.area, by_hand)
    assert found is None


def test_dice_from_a_file_are_other_dice_than_those_in_the_world(
    game: Any, new_manager: NewManager
) -> None:
    manager = new_manager()
    manager.add(game.Gambler(random.Random(1)))
    save = encode(manager.create_snapshot())
    manager = new_manager()
    newer = game.Gambler(random.Random(2))
    manager.add(newer, placement="regular", level="tavern")
    manager.create_snapshot()
    manager.apply_snapshot(decode(save, manager))
    manager.apply_snapshot(decode(encode(manager.create_snapshot()), manager))
    rolls = [gambler.dice.random() for gambler in manager.find(game.Gambler)]
    assert rolls == [random.Random(seed).random() for seed in (1, 2)]
