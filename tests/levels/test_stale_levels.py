"""A `Level` only shows and unloads objects that its own loading has placed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from savegen.levels import Level, load_level
from savegen.runtime import GameObject, SaveError
from savegen.runtime.manager import SaveLoadManager as Manager
from savegen.saves import MemoryStore, SaveSlots
from tests.levels.cave import FURNITURE, GUARD, LAMP, PORTAL
from tests.runtime.worlds import assert_consistent


@pytest.fixture
def folder(draw: Any) -> Path:
    found: Path = draw("##..", "..LG", FURNITURE)
    return found


def count(level: Level) -> int:
    return len([*level.objects])


def test_after_a_clear_the_old_level_has_no_objects_of_the_new_one(
    manager: Manager, folder: Path
) -> None:
    old = load_level(folder, manager)
    manager.clear()
    assert count(old) == 0
    new = load_level(folder, manager)
    assert (count(old), count(new)) == (0, 3)
    old.unload()
    assert count(new) == len(manager) == 3
    assert_consistent(manager)


def test_a_level_that_was_unloaded_does_not_unload_the_next(
    manager: Manager, folder: Path
) -> None:
    old = load_level(folder, manager)
    old.unload()
    new = load_level(folder, manager)
    old.unload()
    assert (count(old), count(new), len(manager)) == (0, 3, 3)


def test_the_levels_of_two_regions_have_different_objects(
    manager: Manager, folder: Path
) -> None:
    left = load_level(folder, manager, (0, 0, 2, 1))
    right = load_level(folder, manager, (2, 0, 2, 1))
    left.unload()
    again = load_level(folder, manager, (0, 0, 2, 1))
    assert (count(left), count(again), count(right)) == (0, 1, 2)


def test_a_snapshot_restores_an_unloaded_level(manager: Manager, folder: Path) -> None:
    level = load_level(folder, manager)
    before = manager.create_snapshot()
    level.unload()
    manager.apply_snapshot(before)
    assert count(level) == 3
    level.unload()
    assert not [*manager.objects]


def test_after_a_restart_the_objects_belong_to_the_new_level(
    manager: Manager, folder: Path
) -> None:
    old, levels = load_level(folder, manager), list[Level]()
    before = manager.create_snapshot()
    manager.restart(lambda: levels.append(load_level(folder, manager)), before)
    assert (count(old), *map(count, levels)) == (0, 3)


@pytest.mark.parametrize("starts", [False, True], ids=["as it is", "with levels="])
def test_objects_of_a_save_belong_to_the_loaded_level(
    manager: Manager, folder: Path, starts: bool
) -> None:
    slots, found = SaveSlots(MemoryStore()), [load_level(folder, manager)]
    manager.destroy(next(found[0].objects))
    slots.save("one", manager, level="cavern")
    manager.clear()
    found.append(load_level(folder, manager))
    levels = (lambda _: found.append(load_level(folder, manager))) if starts else None
    slots.load("one", manager, levels=levels)
    *old, new = found
    assert [*map(count, old)] == [0] * len(old) and count(new) == 2
    old[0].unload()
    assert len(manager) == 2
    new.unload()
    assert len(manager) == 0


def test_a_load_that_fails_leaves_the_old_level_its_objects(
    manager: Manager, folder: Path
) -> None:
    old, lost = load_level(folder, manager), list[Level]()
    before = manager.create_snapshot()

    def levels() -> None:
        lost.append(load_level(folder, manager))
        raise SaveError("not today")

    with pytest.raises(SaveError, match="not today"):
        manager.restart(levels, before)
    assert (count(old), count(lost[0])) == (3, 0)
    lost[0].unload()
    assert count(old) == 3
    manager.clear()
    load_level(folder, manager)
    assert (count(old), count(lost[0]), len(manager)) == (0, 0, 3)


def test_a_level_that_fails_takes_nothing_from_another(
    manager: Manager, tmp_path: Path, draw: Any
) -> None:
    level = load_level(draw("....", "L.P.", {"L": LAMP, "P": PORTAL}), manager)
    level.unload()
    before = manager.create_snapshot()
    with pytest.raises(SaveError, match="no eyes"):
        load_level(
            draw("....", "L.G.", {"L": LAMP, "G": {**GUARD, "fails": True}}), manager
        )
    assert manager.create_snapshot().digest() == before.digest()
    camp = manager.add(GameObject())
    level.unload()
    assert [*manager.objects] == [camp]
