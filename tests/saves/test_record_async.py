"""Records and saves that another thread writes, in a game that has no asyncio."""

from __future__ import annotations

import asyncio
import errno
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime import SaveError, SaveLoadManager, SaveWriteError
from savegen.runtime.generated.registry import Registry
from savegen.saves import Autosave, FolderStore, MemoryStore, SaveSlots
from savegen.saves.autosave import changes
from savegen.saves.slots.background import PendingSave
from tests.project import program
from tests.runtime.worlds import Storm
from tests.saves import virtual
from tests.saves.test_background import Gated
from tests.saves.virtual import ROOT, Patch, PowerCut, VirtualDisk, failing_at
from tests.soaking import examples


class Slow(Gated):
    """A gate for records that are appended, too."""

    def append(self, name: str, data: bytes) -> None:
        self.has_begun.set()
        self.may_begin.wait()
        super().append(name, data)


@pytest.fixture
def store() -> Iterator[Slow]:
    store = Slow()
    yield store
    store.open()


class Play:
    """A world of many units, the first of which changes, and its autosave."""

    def __init__(self, game: ModuleType, registry: Registry, store: Any) -> None:
        self.game, self.registry = game, registry
        self.world = SaveLoadManager(registry)
        self.unit = self.world.add(game.Unit(0))
        for _ in range(50):
            self.world.add(game.Unit(0))
        self.slots = SaveSlots(store)
        self.autosave = Autosave(self.slots, self.world)

    def set(self, hp: int) -> None:
        self.unit.hp = hp

    @property
    def loaded(self) -> int:
        """What a load of the slot gives."""
        manager = SaveLoadManager(self.registry)
        self.slots.load("auto", manager)
        return next(iter(manager.find(self.game.Unit))).hp


@pytest.fixture
def play(game: ModuleType, registry: Registry, store: Slow) -> Play:
    return Play(game, registry, store)


def test_what_is_recorded_is_the_world_of_the_call(play: Play, store: Slow) -> None:
    for hp in (1, 2):
        play.set(hp)
        saving = play.autosave.record_async(title=f"hp {hp}")
        play.set(77)
        assert not saving.done(), "the game goes on"
        store.open()
        assert play.loaded == hp
        report = saving.result(60)
        assert (report.info.title, report.generation) == (f"hp {hp}", 1)
        store.may_begin.clear()
    assert threading.current_thread().name not in store.threads
    assert [name for name in store.names() if "journal" in name], "it was appended"


def test_nothing_that_is_done_once_delays_the_first_record(
    game: ModuleType, registry: Registry, store: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    schemas: dict[Any, Any] = {}
    monkeypatch.setattr("savegen.saves.schema._ROW_SCHEMAS", schemas)
    autosave = Play(game, registry, store).autosave
    before = dict(schemas)
    autosave.record_async()
    assert before.keys() == {entry.row for entry in registry} == schemas.keys()


def test_the_game_can_run_while_many_rows_are_compared(
    game: ModuleType, registry: Registry
) -> None:
    world = SaveLoadManager(registry)
    units = [world.add(game.Unit(0)) for _ in range(3000)]
    before = world.create_snapshot()
    for unit in units:
        unit.hp = 1
    pauses: list[None] = []
    changes(before, world.create_snapshot(), lambda: pauses.append(None))
    assert len(pauses) >= 10, "5 for the rows, and 5 for the cells that differ"


def test_of_records_that_wait_the_newest_is_written_for_all(
    play: Play, store: Slow
) -> None:
    first = play.autosave.record_async()
    store.has_begun.wait()
    waiting = []
    for hp in range(1, 9):
        play.set(hp)
        waiting.append(play.autosave.record_async(title=f"hp {hp}"))
    assert len({*map(id, waiting)}) == 1, "at most one waits"
    store.open()
    play.slots.wait()
    assert first.result().info.title == "" and play.loaded == 8
    assert {each.result().info.title for each in waiting} == {"hp 8"}
    records = [name for name in store.names() if "journal" in name]
    assert len(records) == 1, "the difference between first and last is one record"


def test_a_record_comes_after_those_that_wait(play: Play, store: Slow) -> None:
    store.open()
    for hp in range(1, 7):
        play.set(hp)
        record: Any = play.autosave.record if hp % 2 else play.autosave.record_async
        record()
    assert play.loaded == 6


def test_a_pending_record_can_be_awaited(play: Play, store: Slow) -> None:
    store.open()

    async def scene() -> int:
        return (await play.autosave.record_async()).generation

    assert asyncio.run(scene()) == 1


def test_who_stops_to_wait_for_a_record_does_not_cancel_it(
    play: Play, store: Slow
) -> None:
    async def scene() -> PendingSave:
        saving = play.autosave.record_async()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(saving, 0.01)
        return saving

    saving = asyncio.run(scene())
    assert not saving.cancel()
    store.open()
    assert saving.result(60).generation == 1


@pytest.mark.parametrize("kind", ["save", "save_in_background", "save_async"])
def test_a_save_of_the_slot_in_between_is_followed_by_a_complete_save(
    play: Play, store: Slow, kind: str
) -> None:
    store.open()
    play.autosave.record_async().result(60)
    play.set(1)
    saving = getattr(play.slots, kind)("auto", play.world)
    if kind == "save_async":
        asyncio.run(saving)
    play.slots.wait()
    play.set(2)
    play.autosave.record_async()
    assert play.loaded == 2
    play.set(3)
    assert play.autosave.record_async().result(60).generation == 3
    assert play.loaded == 3


def test_a_record_that_a_later_save_has_overtaken_is_not_written(
    play: Play, store: Slow
) -> None:
    first = play.slots.save_in_background("auto", play.world)
    store.has_begun.wait()
    play.set(1)
    play.slots.save_in_background("auto", play.world)  # waits
    play.set(2)
    record = play.autosave.record_async()  # waits behind it
    play.set(3)
    last = play.slots.save_in_background("auto", play.world)  # takes its place
    store.open()
    assert record.result(60) == last.result(60) != first.result(60)
    assert play.loaded == 3
    for hp in (4, 5):
        play.set(hp)
        play.autosave.record_async()
        assert play.loaded == hp


def test_a_save_that_a_record_has_overtaken_is_not_written(
    play: Play, store: Slow
) -> None:
    store.open()
    play.autosave.record()
    save = play.slots.save_async("auto", play.world)  # nobody has begun with it
    play.set(1)
    record = play.autosave.record()
    assert asyncio.run(as_coroutine(save)) == record and play.loaded == 1


async def as_coroutine(save: Any) -> Any:
    return await save


def test_what_goes_wrong_is_the_error_until_a_record_is_saved(
    play: Play, store: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open()
    assert play.autosave.error is None
    play.autosave.record_async().result(60)
    full = SaveWriteError(errno.ENOSPC, "writing", False, "the disk is full")

    def fail(*args: Any) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", fail)
        play.set(1)
        assert play.autosave.record_async().exception(60) is full
        assert play.autosave.error is full
    assert play.loaded == 0
    play.set(2)
    assert play.autosave.record_async().result(60).generation == 2
    assert play.autosave.error is None and play.loaded == 2


def test_what_prevents_the_snapshot_is_raised_at_once(play: Play, store: Slow) -> None:
    store.open()
    play.autosave.record_async()
    with pytest.raises(SaveError, match="no option `titel`|titel"):
        play.autosave.record_async(titel="misspelt")  # type: ignore[call-arg]
    play.slots.wait()
    store._files["auto/1.sav"] = b"broken"
    with pytest.raises(SaveError, match="no save in 'auto' can be read"):
        play.slots.load("auto", play.world)
    with pytest.raises(SaveError, match="saves to 'auto' are refused"):
        play.autosave.record_async()
    assert play.autosave.record_async(new_lineage=True).result(60).generation == 2
    assert play.loaded == 0


@pytest.mark.parametrize("first", [True, False])
def test_without_threads_it_is_written_before_it_returns(
    play: Play, store: Slow, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store.open()
    if not first:
        play.autosave.record()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for hp in (1, 2, 3):
        play.set(hp)
        assert play.autosave.record_async().done() and play.loaded == hp
    saving = play.slots.save_in_background("one", play.world)
    assert saving.done() and saving.result().generation == 1


def test_the_interpreter_waits_for_the_last_record(tmp_path: Path) -> None:
    program(f"""
        from savegen.runtime import GameObject, SaveLoadManager
        from savegen.runtime.generated.registry import FORMAT, Registry
        from savegen.saves import Autosave, SaveSlots

        manager = SaveLoadManager(Registry(FORMAT, ()))
        things = [manager.add(GameObject()) for _ in range(3000)]
        autosave = Autosave(SaveSlots({str(tmp_path)!r}), manager)
        for turn in range(5):
            things[0].transform.rotation = float(turn)
            autosave.record_async(title=f"turn {{turn}}")
    """)
    (info,) = SaveSlots(FolderStore(tmp_path)).list(verify=True)
    assert info.title == "turn 4" and not info.fault


@settings(max_examples=examples(40), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 10**6))
def test_any_order_of_calls_leaves_what_was_saved_last(
    game: ModuleType, registry: Registry, seed: int
) -> None:
    dice = random.Random(seed)
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, dice)
    slots = SaveSlots(MemoryStore())
    autosave = Autosave(slots, manager)
    steps: list[Callable[[], Any]] = [
        autosave.record_async,
        autosave.record_async,
        autosave.record,
        lambda: slots.save_in_background("auto", manager),
        lambda: slots.save("auto", manager),
    ]
    for _ in range(12):
        storm.blow(dice.randrange(1, 4))
        dice.choice(steps)()
        if dice.random() < 0.3:
            slots.wait()
    digest = manager.create_snapshot().digest()
    autosave.record_async()
    other = SaveLoadManager(registry)
    report = slots.load("auto", other)
    assert report.notes == () and autosave.error is None
    assert other.create_snapshot().digest() == digest


# -- a snapshot that the game has taken


def test_a_snapshot_of_the_game_is_saved_in_place_of_a_new_one(
    play: Play, store: Slow
) -> None:
    store.open()
    play.set(1)
    quick = play.world.create_snapshot()
    play.set(2)
    saving = play.slots.save_in_background("auto", play.world, snapshot=quick)
    saving.result(60)
    play.slots.wait()
    assert play.loaded == 1
    play.world.apply_snapshot(quick)  # it still has all its rows
    assert [unit.hp for unit in play.world.find(play.game.Unit)][:2] == [1, 0]
    assert len(quick) == 51
    assert play.autosave.record(snapshot=quick).generation == 2
    assert play.slots.save("one", play.world, snapshot=quick).generation == 1


def test_only_snapshots_of_the_whole_world_are_saved(play: Play, store: Slow) -> None:
    store.open()
    other = SaveLoadManager(play.registry).create_snapshot()
    part = play.world.create_snapshot(filter=play.game.Unit)
    wrong: list[tuple[Any, str]] = [
        (other, "is not one of this manager"),
        (part, "was taken with a filter"),
        (b"", "must be Snapshot, not bytes"),
    ]
    for snapshot, message in wrong:
        with pytest.raises(SaveError, match=message):
            play.slots.save("auto", play.world, snapshot=snapshot)
    assert store.names() == []


# -- power cuts and full disks


def play_on(game: ModuleType, registry: Registry) -> list[PendingSave]:
    """Record four times and wait now and then."""
    play = Play(game, registry, FolderStore(ROOT))
    records = []
    for hp in range(1, 5):
        play.set(hp)
        records.append(play.autosave.record_async())
        if hp % 2:
            play.slots.wait()
    play.slots.wait()
    return records


def done(records: list[PendingSave]) -> int:
    """Return the number of the last record that was saved."""
    saved = [n for n, each in enumerate(records, 1) if not each.exception()]
    return max(saved, default=0)


def state_of(game: ModuleType, registry: Registry) -> int:
    manager = SaveLoadManager(registry)
    try:
        SaveSlots(FolderStore(ROOT)).load("auto", manager)
    except SaveError:
        return 0
    return next(iter(manager.find(game.Unit))).hp


def test_a_power_cut_at_any_operation_loses_pending_records_alone(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    saved = [0]

    def start() -> tuple[VirtualDisk, Callable[[], object]]:
        def step() -> None:
            records = play_on(game, registry)
            saved[0] = done(records)
            for each in records:
                if isinstance(error := each.exception(), PowerCut):
                    raise error

        return use(VirtualDisk()), step

    for outcome, _ in virtual.cuts(start):
        use(outcome)
        assert saved[0] <= state_of(game, registry) <= 4


@pytest.mark.parametrize("sticky", [False, True])
def test_an_error_at_any_operation_is_told_and_loses_nothing_that_was_saved(
    game: ModuleType, registry: Registry, use: Patch, sticky: bool
) -> None:
    whole = use(VirtualDisk())
    play_on(game, registry)
    told = 0
    for number in range(1, len(whole.log) + 1):
        full = use(VirtualDisk())
        full.before = failing_at(number, errno.ENOSPC, sticky)
        records = play_on(game, registry)
        full.before = virtual.nothing
        errors = [each.exception() for each in records]
        assert all(isinstance(error, SaveError | None) for error in errors)
        told += any(errors)
        assert state_of(game, registry) >= done(records)
        if not sticky:
            assert state_of(game, registry) == 4 or errors[-1]
        assert not full.opened, "a descriptor is left"
    assert told
