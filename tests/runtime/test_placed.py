"""Objects that levels place, when the level and the save disagree."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from savegen.saves import decode, encode
from savegen.runtime import (
    GameObject,
    OnUnknown,
    SaveApplyError,
    SaveError,
    SaveLoadManager,
    SlotMapReference,
    Snapshot,
)

NewManager = Callable[..., SaveLoadManager]


def place(manager: SaveLoadManager, game: ModuleType, *names: str) -> dict[str, object]:
    return {
        name: manager.add(game.Unit(10), placement=name, level="crypt")
        for name in names
    }


def test_absent_is_not_destroyed(game: ModuleType, manager: SaveLoadManager) -> None:
    units = place(manager, game, "a", "b", "c")
    manager.destroy(units["b"])
    snapshot = manager.create_snapshot()
    assert snapshot.placed() == {"a": True, "b": False, "c": True}


def test_a_placement_id_is_given_once(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = place(manager, game, "a")
    with pytest.raises(SaveError, match="already placed as 'a'"):
        place(manager, game, "a")
    manager.destroy(units["a"])
    place(manager, game, "a")
    assert manager.create_snapshot().placed() == {"a": True}


def restarted(
    game: ModuleType, manager: SaveLoadManager, *names: str
) -> tuple[Snapshot, dict[str, object]]:
    """Save a level, change it, and start it again with other objects at its places."""
    units = place(manager, game, "a", "b")
    units["a"].hp, units["a"].foe = 3, units["b"]  # type: ignore[attr-defined]
    snapshot = manager.create_snapshot()
    manager.clear()
    return snapshot, place(manager, game, *names)


def test_a_snapshot_applies_after_the_level_was_restarted(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    snapshot, units = restarted(game, manager, "b", "a")
    report = manager.apply_snapshot(snapshot)
    assert (report.kept, report.created, report.removed) == (2, 0, 0)
    first = units["a"]
    assert first.hp == 3 and first.foe is units["b"]  # type: ignore[attr-defined]
    [key] = [k for k, each in snapshot.placements.items() if each.placement == "b"]
    assert manager.key_of(units["b"]) == key, "with the keys of the snapshot"
    assert manager.create_snapshot().digest() == snapshot.digest()


def test_what_a_newer_level_adds_is_kept(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    snapshot, units = restarted(game, manager, "a", "b", "new")
    report = manager.apply_snapshot(snapshot)
    assert report.added_by_level == ("new",) and report.removed == 0
    assert manager.key_of(units["new"]) != 0 and len(manager) == 3


def test_what_was_destroyed_before_the_save_is_not_there_after_a_restart(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = place(manager, game, "a", "b")
    manager.destroy(units["b"])
    snapshot = manager.create_snapshot()
    manager.clear()
    units = place(manager, game, "a", "b")
    assert manager.apply_snapshot(snapshot).removed == 1
    assert manager.key_of(units["b"]) == 0 and len(manager) == 1
    assert manager.create_snapshot().placed() == {"a": True, "b": False}


def test_what_was_destroyed_after_the_save_is_back(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = place(manager, game, "a", "b")
    snapshot = manager.create_snapshot()
    manager.destroy(units["b"])
    assert manager.apply_snapshot(snapshot).created == 1
    assert manager.create_snapshot().placed() == {"a": True, "b": True}


@pytest.mark.parametrize("kind", ["level", "class", "function"])
def test_a_level_that_is_entered_again_lacks_what_was_destroyed_before_it_was_left(
    game: ModuleType, manager: SaveLoadManager, kind: str
) -> None:
    units = place(manager, game, "a", "b")
    other = manager.add(game.Coin(1), placement="coin", level="crypt")
    manager.destroy(other)
    manager.destroy(units["b"])
    filters = {"level": "crypt", "class": game.Unit, "function": is_unit}
    part = manager.create_snapshot(filter=filters[kind])
    manager.destroy(units["a"])
    place(manager, game, "a", "b", "new")
    manager.add(game.Coin(1), placement="coin", level="crypt")
    report = manager.apply_snapshot(part)
    # A function says nothing of what is not there: only a class and a level do.
    assert report.added_by_level == (("new",) if kind != "function" else ())
    assert report.removed == {"level": 2, "class": 1, "function": 0}[kind]
    alive = {"a": True, "b": kind == "function", "new": True, "coin": kind != "level"}
    assert manager.create_snapshot().placed() == alive


def is_unit(record: SlotMapReference) -> bool:
    return record.placement != "coin"


@pytest.mark.parametrize("policy", OnUnknown)
def test_what_a_newer_level_removed_is_up_to_the_policy(
    game: ModuleType, new_manager: NewManager, policy: OnUnknown
) -> None:
    manager = new_manager(on_unknown=policy)
    snapshot, units = restarted(game, manager, "a")
    first = units["a"]
    if policy is OnUnknown.ERROR:
        seen = manager.create_snapshot().digest()
        with pytest.raises(SaveApplyError, match="'crypt' no longer places 'b'"):
            manager.apply_snapshot(snapshot)
        assert manager.create_snapshot().digest() == seen
        return
    report = manager.apply_snapshot(snapshot)
    assert report.removed_by_level == ("b",) and first.hp == 3  # type: ignore[attr-defined]
    foe = first.foe  # type: ignore[attr-defined]
    if policy is OnUnknown.DROP:
        assert foe is None and len(manager) == 1 and report.created == 0
    else:
        assert foe.hp == 10 and len(manager) == 2 and report.created == 1
    again = manager.create_snapshot()
    assert manager.apply_snapshot(again).changed == 0


def test_without_its_level_everything_is_built(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = place(manager, game, "a", "b")
    snapshot = manager.create_snapshot()
    manager.clear()
    report = manager.apply_snapshot(snapshot)
    assert report.created == 2 and report.removed_by_level == ()
    assert {*map(id, manager.find(game.Unit))}.isdisjoint(map(id, units.values()))


def test_parents_that_were_spawned_come_back_before_their_children_need_them(
    game: ModuleType, new_manager: NewManager
) -> None:
    manager = new_manager({1: lambda: GameObject(game.Unit(1))})
    top = manager.spawn(1)
    for _ in range(3):
        manager.spawn(1).parent = top
    snapshot = manager.create_snapshot()
    manager.clear()
    manager.apply_snapshot(snapshot)
    first, *rest = manager.objects
    assert first.children == tuple(rest) and all(o.parent is first for o in rest)


def test_a_level_that_only_saves_tell_of_is_not_taken_for_a_newer_one(
    game: ModuleType, manager: SaveLoadManager, new_manager: NewManager
) -> None:
    """Nothing has loaded the level in the second process, so it lacks nothing."""
    place(manager, game, "a")
    early = encode(manager.create_snapshot())
    place(manager, game, "b")
    late = encode(manager.create_snapshot())
    other = new_manager()  # with the strictest policy
    for data, count in ((early, 1), (late, 2), (early, 1)):
        other.apply_snapshot(decode(data, other))
        assert len(other) == count
