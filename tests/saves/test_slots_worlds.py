"""Slots with real worlds in them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from savegen.runtime import (
    GameObject,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveLoadManager,
)
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.saves import FolderStore, Limits, MemoryStore, SaveSlots
from savegen.saves import SlotLoadReport, Store, coding, file
from savegen.saves.journal import RecordChain, Removals, payload_of
from savegen.runtime.snapshots.snapshot import Snapshot

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


def test_the_limit_of_objects_counts_objects_and_nothing_else(store: Store) -> None:
    manager = world(1.0, 2.0, 3.0)
    manager.add_state("day", lambda: 3, print)
    with pytest.raises(SaveLimitError, match="objects is 3; at most 2 "):
        SaveSlots(store, limits=Limits(objects=2)).save("one", manager)
    slots = SaveSlots(store, limits=Limits(objects=3))
    slots.save("one", manager)
    slots.load("one", manager)


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
    SaveSlots(store).save("one", world(1.0, 2.0), compress="zlib")
    manager = world(7.0)
    assert SaveSlots(store).load("one", manager).removed == 1
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
    with pytest.raises(SaveError, match="saves to 'one' are refused"):
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


def test_a_save_with_a_damaged_thumbnail_loads_and_says_so(store: Store) -> None:
    slots = SaveSlots(store)
    slots.save("one", world(1.0), thumbnail=b"a picture")
    (name,) = (name for name in store.names() if name.endswith(".sav"))
    data = store.read(name).replace(b"a picture", b"a pikture")
    store.remove(name)
    store.write(name, [data])
    manager = world(2.0)
    report = slots.load("one", manager)
    assert rotations(manager) == [1.0] and report.is_newest
    assert report.notes == (f"{name}: the thumbnail is damaged",)
    with pytest.raises(SaveCorruptError, match="the thumbnail is damaged"):
        slots.thumbnail("one")
    slots.save("one", manager)
    assert not slots.load("one", manager).notes


# -- saves that contradict themselves, though their digests are right


def lie(store: Store, name: str, records: int = 0) -> None:
    """Let a save say what no world can be; `records` follow it in a journal."""
    data = store.read(name)
    body = coding.read(data).body
    world = replace(body.world, free=[10**6])
    metadata = file.read_header(data).metadata
    data = file.save_file(replace(body, world=world).sections(), metadata)
    store.remove(name)
    store.write(name, [data])
    chain = RecordChain(file.digest_of(data))
    for _ in range(records):
        nothing, _ = coding.encoded(Snapshot(), metadata)
        record = chain.record(payload_of(Removals(has_slots=False), nothing))
        store.append(name.replace(".sav", ".journal"), record)


@pytest.mark.parametrize("records", [0, 1])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_save_that_contradicts_itself_is_passed_over_like_a_damaged_one(
    store: Store, is_async: bool, records: int
) -> None:
    slots = SaveSlots(store)
    for rotation in (1.0, 2.0, 3.0):
        slots.save("one", world(rotation))
    lie(store, "one/3.sav", records)
    manager, slots = world(7.0), SaveSlots(store, keep=9)
    result = loaded(slots, manager, is_async)
    assert rotations(manager) == [2.0] and result.info.generation == 2
    assert not result.is_newest and "one/3.sav: " in result.notes[0]
    slots.save("one", world(4.0))
    lie(store, "one/2.sav", records)
    lie(store, "one/4.sav", records)
    loaded(slots, manager, is_async)
    assert rotations(manager) == [1.0]


@pytest.mark.parametrize("is_async", [False, True])
def test_who_asks_for_a_generation_that_contradicts_itself_gets_no_other(
    store: Store, is_async: bool
) -> None:
    slots, manager = SaveSlots(store), world(7.0)
    for rotation in (1.0, 2.0):
        slots.save("one", world(rotation))
    lie(store, "one/2.sav")
    with pytest.raises(SaveCorruptError, match="one/2.sav: the list of free slots"):
        loaded(slots, manager, is_async, generation=2)
    lie(store, "one/1.sav")
    with pytest.raises(SaveCorruptError, match="'one'.*one/2.sav: .*one/1.sav: "):
        loaded(slots, manager, is_async)
    assert rotations(manager) == [7.0]


def test_an_error_of_the_games_own_passes_nothing_over(store: Store) -> None:
    slots, manager = SaveSlots(store), world(7.0)
    for rotation in (1.0, 2.0):
        slots.save("one", world(rotation), level="cave")

    def levels(name: str) -> None:
        raise SaveCorruptError("the level")

    with pytest.raises(SaveError, match="the level"):
        slots.load("one", manager, levels=levels)
    assert rotations(manager) == [7.0]


def loaded(
    slots: SaveSlots, manager: SaveLoadManager, is_async: bool, **options: Any
) -> SlotLoadReport:
    if is_async:
        return asyncio.run(slots.load_async("one", manager, **options))
    return slots.load("one", manager, **options)
