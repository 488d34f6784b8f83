"""Players never lose a save, whatever happens between two file operations."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from savegen.runtime import SaveError, SaveWriteError
from savegen.saves.stores import files
from savegen.saves.slots.slots import SaveSlots
from tests.saves import virtual
from tests.saves.small_world import World
from tests.saves.virtual import ROOT, Patch, PowerCut, VirtualDisk

pytestmark = pytest.mark.usefixtures("small")

Step = Callable[[SaveSlots], object]


def prepared(use: Patch, kind: type[VirtualDisk] = VirtualDisk) -> VirtualDisk:
    """Return a disk on which the next save prunes, and something is in the trash."""
    disk = use(kind())
    slots = SaveSlots(ROOT)
    for state in (1, 2, 3):
        slots.save("one", World(state))
    slots.save("two", World(50))
    slots.delete("two")
    return disk


def ready(use: Patch, disk: VirtualDisk) -> tuple[VirtualDisk, SaveSlots]:
    """Return a copy of a disk, in use, and the slots of a process that goes on there."""
    disk = use(deepcopy(disk))
    slots = SaveSlots(ROOT)
    slots.load("one", World())
    return disk, slots


def load(slot: str = "one") -> int | None:
    """Return what a new process would load, or nothing."""
    slots = SaveSlots(ROOT)
    if slot not in [info.slot for info in slots.list()]:
        return None
    world = World(-1)
    slots.load(slot, world)
    return int(world.state)


STEPS: dict[str, Step] = {
    "save": lambda slots: slots.save("one", World(4)),
    "new lineage": lambda slots: slots.save("one", World(4), new_lineage=True),
    "new slot": lambda slots: slots.save("three", World(4)),
    "quick": lambda slots: slots.quick(World(4)),
    "delete": lambda slots: slots.delete("one"),
    "restore": lambda slots: slots.restore("two"),
    "copy": lambda slots: slots.copy("one", "three"),
    "empty": lambda slots: slots.empty_trash(),
}
# What each may leave in the slots, beside what was there.
LEFT: dict[str, dict[str, tuple[int | None, ...]]] = {
    "save": {"one": (3, 4)},
    "new lineage": {"one": (3, 4)},
    "new slot": {"three": (None, 4)},
    "quick": {"quick-1": (None, 4)},
    "delete": {"one": (3, None)},
    "restore": {"two": (None, 50)},
    "copy": {"three": (None, 3)},
    "empty": {},
}


def cuts(
    use: Patch, step: Step, kind: type[VirtualDisk] = VirtualDisk
) -> Iterator[bool]:
    """Cut the power in a step; come up with all that may be left, and whether it was done."""
    before = prepared(use, kind)

    def start() -> tuple[VirtualDisk, Callable[[], object]]:
        disk, slots = ready(use, before)
        return disk, lambda: step(slots)

    for outcome, done in virtual.cuts(start, at_least=8):
        use(outcome)
        yield done


@pytest.mark.parametrize("name", STEPS)
def test_a_power_cut_loses_nothing_and_tears_nothing(use: Patch, name: str) -> None:
    left = {"one": (3,), **LEFT[name]}
    seen: set[tuple[str, int | None]] = set()
    for done in cuts(use, STEPS[name]):
        for slot, states in left.items():
            state = load(slot)
            seen.add((slot, state))
            assert state in (states[-1:] if done else states), slot
    # Before and after, both were seen: the cut was in between.
    assert seen == {(slot, state) for slot, states in left.items() for state in states}


def test_what_was_deleted_is_in_the_trash_or_still_there(use: Patch) -> None:
    for done in cuts(use, STEPS["delete"]):
        slots = SaveSlots(ROOT)
        if load("one") is None:
            slots.restore("one")
            assert load("one") == 3


@pytest.mark.parametrize("name", STEPS)
def test_after_a_power_cut_the_game_goes_on(use: Patch, name: str) -> None:
    for done in cuts(use, STEPS[name]):
        slots = SaveSlots(ROOT)
        slots.save("one", World(9))
        assert load("one") == 9


@pytest.mark.parametrize("kind", [virtual.Unsynced, virtual.UnsyncedNames])
def test_a_disk_that_syncs_nothing_is_caught(use: Patch, kind: type) -> None:
    for done in cuts(use, STEPS["save"], kind):
        try:
            if load("one") not in (3, 4):
                return
        except SaveError:
            return
    pytest.fail("nothing was lost")


# -- a system that refuses


@pytest.mark.parametrize("sticky", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_every_error_of_the_system_is_typed_and_the_old_save_loads(
    use: Patch, name: str, sticky: bool
) -> None:
    left = {"one": (3,), **LEFT[name]}
    before = prepared(use)
    for error in virtual.ERRNOS if name == "save" else virtual.ERRNOS[-3:]:
        number, failed, is_over = 0, 0, False
        while not is_over:
            number += 1
            disk, slots = ready(use, before)
            start = len(disk.log)
            disk.before = virtual.failing_at(start + number, error, sticky)
            committed = False
            try:
                STEPS[name](slots)
                committed = True
            except SaveWriteError as failure:
                failed += 1
                # What cannot be seen is not overwritten for that.
                lost = error == errno.ENOENT and failure.errno == errno.EEXIST
                assert failure.errno == error or lost
                committed = failure.committed
            except SaveError:
                failed += 1
            is_over = len(disk.log) < start + number
            disk.before = virtual.nothing
            assert not disk.opened and not disk.locked
            for slot, states in left.items():
                state = load(slot)
                if error == errno.EIO and name == "copy" and state == 2:
                    continue  # the newest could not be read; it says so
                assert state in states
                if slot in LEFT[name]:
                    assert not committed or state == states[-1]
            slots.save("one", World(9))  # the disk is well again
            assert load("one") == 9
        assert failed and number > 8


def test_a_save_that_failed_is_made_up_for_by_the_next_one(use: Patch) -> None:
    disk, slots = ready(use, prepared(use))
    disk.before = virtual.failing_at(len(disk.log) + 1, errno.ENOSPC, True)
    with pytest.raises(SaveWriteError, match="No space left"):
        slots.save("one", World(4))
    disk.before = virtual.nothing
    info = slots.save("one", World(5)).info
    assert info.generation == 4 and load("one") == 5 and not info.diverged


# -- many things, one after the other


SLOTS = ("one", "two")


@given(st.data())
def test_whatever_was_done_what_was_saved_last_is_there(data: st.DataObject) -> None:
    """Random saves, loads, copies and deletions, and power cuts at random operations."""
    disk, truth = VirtualDisk(), dict.fromkeys(SLOTS)
    real, files.SYSTEM = files.SYSTEM, disk
    try:
        for state in range(1, data.draw(st.integers(1, 6)) + 1):
            slot = data.draw(st.sampled_from(SLOTS))
            step, after = data.draw(st.sampled_from(random_steps(slot, state, truth)))
            slots = SaveSlots(ROOT)
            if truth[slot] is not None and data.draw(st.booleans()):
                slots.load(slot, World())
            cut = data.draw(st.none() | st.integers(1, 40))
            if cut:
                disk.before = virtual.cut_at(len(disk.log) + cut)
            try:
                step(slots)
                truth |= after
                disk.before = virtual.nothing
            except PowerCut:
                disk = files.SYSTEM = data.draw(st.sampled_from([*disk.outcomes()]))
                found = {slot: load(slot) for slot in SLOTS}
                assert found in (truth, truth | after)
                truth = found
            assert {slot: load(slot) for slot in SLOTS} == truth
    finally:
        files.SYSTEM = real


def random_steps(slot: str, state: int, truth: dict) -> list[tuple[Step, dict]]:
    other = SLOTS[slot == SLOTS[0]]
    steps: list[tuple[Step, dict]] = [
        (lambda slots: slots.save(slot, World(state)), {slot: state})
    ]
    if truth[slot] is not None:
        steps.append((lambda slots: slots.delete(slot), {slot: None}))
        if truth[other] is None:
            copied = {other: truth[slot]}
            steps.append((lambda slots: slots.copy(slot, other), copied))
    return steps
