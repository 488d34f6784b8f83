"""Slots with real worlds in them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from savegen.runtime import GameObject, SaveApplyError, SaveError, SaveLoadManager
from savegen.runtime.registry import FORMAT, Registry
from savegen.runtime.saves import FolderStore, MemoryStore, SaveSlots
from savegen.runtime.saves.stores.store import Store

REGISTRY = Registry(FORMAT, ())


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return FolderStore(tmp_path) if request.param == "folder" else MemoryStore()


def turned(rotation: float) -> GameObject:
    thing = GameObject()
    thing.transform.rotation = rotation
    return thing


def world(*rotations: float) -> SaveLoadManager:
    manager = SaveLoadManager(REGISTRY)
    for rotation in rotations:
        manager.add(turned(rotation))
    return manager


def rotations(manager: SaveLoadManager) -> list[float]:
    return [thing.transform.rotation for thing in manager.objects]


def test_a_world_is_set_back_to_what_was_saved_of_it(store: Store) -> None:
    slots, manager = SaveSlots(store), world(1.0, 2.0)
    slots.save("one", manager)
    saved = manager.create_snapshot().digest()
    for thing in manager.objects:
        thing.transform.rotation += 90
    slots.load("one", manager)
    assert rotations(manager) == [1.0, 2.0]
    assert manager.create_snapshot().digest() == saved
    manager.add(GameObject())
    slots.load("one", manager)
    assert rotations(manager) == [1.0, 2.0]


def test_another_manager_loads_it_too(store: Store) -> None:
    SaveSlots(store).save("one", world(1.0, 2.0), compress=True)
    manager = world(7.0)
    assert SaveSlots(store).load("one", manager).report.removed == 1
    assert rotations(manager) == [1.0, 2.0]


def test_what_is_saved_while_the_world_changes_is_of_one_moment(store: Store) -> None:
    slots, manager = SaveSlots(store), world(*map(float, range(2500)))

    async def scene() -> None:
        saving = asyncio.create_task(slots.save_async("one", manager))
        while not saving.done():
            for thing in manager.objects:
                thing.transform.rotation += 1
            random.choice([*manager.objects]).transform.rotation = -1.0
            await asyncio.sleep(0)
        await slots.load_async("one", manager)

    asyncio.run(scene())
    # The task took its snapshot before the first change: calling it was enough.
    assert rotations(manager) == [*map(float, range(2500))]


def test_a_load_that_fails_leaves_the_world_and_the_saves(store: Store) -> None:
    slots, manager = SaveSlots(store), world(1.0)
    slots.save("one", manager)
    manager.add(turned(5.0))
    before, names = manager.create_snapshot().digest(), store.names()

    def fail() -> None:
        raise ZeroDivisionError

    manager.after_load.append(fail)
    with pytest.raises(SaveApplyError):
        slots.load("one", manager)
    assert manager.create_snapshot().digest() == before and store.names() == names
    with pytest.raises(SaveError, match="nothing is saved to 'one'"):
        slots.save("one", manager)
    manager.after_load.clear()
    slots.load("one", manager)
    slots.save("one", manager)
    assert rotations(manager) == [1.0]


def test_a_save_of_one_level_loads_from_another(store: Store) -> None:
    slots, manager = SaveSlots(store), SaveLoadManager(REGISTRY)

    def start(level: str) -> None:
        gate = turned(float(len(level)))
        manager.add(gate, placement="gate", level=level)

    start("cave")
    for thing in manager.objects:
        thing.transform.rotation = 45.0
    slots.save("one", manager, level="cave")
    manager.clear()
    start("castle")
    slots.load("one", manager, levels=start)
    (gate,) = manager.objects
    assert gate.transform.rotation == 45.0
    assert manager.record_of(gate).level == "cave"


def test_a_level_that_cannot_be_started_leaves_the_world(store: Store) -> None:
    slots, manager = SaveSlots(store), world(1.0)
    slots.save("one", manager, level="cave")
    manager.add(turned(2.0))
    with pytest.raises(SaveError):
        slots.load("one", manager, levels=lambda level: 1 / 0)
    assert rotations(manager) == [1.0, 2.0]
