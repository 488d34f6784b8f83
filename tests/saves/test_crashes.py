"""A power cut or a kill between any two file operations loses nothing that was promised."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator

import pytest

from savegen.runtime import NoSuchSave, SaveError, SaveWriteError
from savegen.saves.stores.folder import FolderStore
from tests.saves import virtual
from tests.saves.virtual import ROOT, Patch, PowerCut, VirtualDisk

OLD, NEW = b"old" * 70, b"new" * 80  # longer than one write


def first(store: FolderStore) -> None:
    with store.lock("one"):
        store.write("one/1.sav", [OLD])


def second(store: FolderStore) -> None:
    with store.lock("one"):
        store.write("one/2.sav", [NEW[:200], NEW[200:]])


def all_of(store: FolderStore) -> dict[str, bytes]:
    return {name: store.read(name) for name in store.names()}


Step = Callable[[FolderStore], object]
Cut = tuple[VirtualDisk, bool]  # as it comes up; whether the step was through


def cuts(
    use: Patch, before: list[Step], step: Step, kind: type = VirtualDisk
) -> Iterator[Cut]:
    """Cut the power in a step that follows others; yield all that may be left."""

    def start() -> tuple[VirtualDisk, Callable[[], object]]:
        disk, store = use(kind()), FolderStore(ROOT)
        for each in before:
            each(store)
        return disk, lambda: step(store)

    for outcome, done in virtual.cuts(start):
        yield use(outcome), done


def wholes(use: Patch, kind: type = VirtualDisk) -> Iterator[str]:
    """Yield what is wrong with a store that was writing its second file."""
    for disk, done in cuts(use, [first], second, kind):
        found = all_of(FolderStore(ROOT))
        if found.get("one/1.sav") != OLD:
            yield "the old one is lost"
        if found.get("one/2.sav", NEW) != NEW:
            yield "the new one is torn"
        if done and "one/2.sav" not in found:
            yield "the new one is lost"


def test_a_power_cut_leaves_files_whole_or_not_there(use: Patch) -> None:
    assert not set(wholes(use))


@pytest.mark.parametrize(
    ("kind", "faults"),
    [
        (virtual.Unsynced, {"the old one is lost", "the new one is torn"}),
        (virtual.UnsyncedNames, {"the old one is lost", "the new one is lost"}),
    ],
)
def test_a_store_that_does_not_sync_is_caught(
    use: Patch, kind: type, faults: set
) -> None:
    assert set(wholes(use, kind)) == faults


def test_the_first_file_of_all_is_there_when_writing_it_returns(use: Patch) -> None:
    for disk, done in cuts(use, [], first):
        found = all_of(FolderStore(ROOT))
        assert found in ({}, {"one/1.sav": OLD})
        assert found or not done


def test_after_any_cut_the_next_write_succeeds_and_sweeps(use: Patch) -> None:
    for disk, done in cuts(use, [first], second):
        store = FolderStore(ROOT)
        with store.lock("one"):
            store.write("one/3.sav", [NEW])
        assert store.read("one/3.sav") == NEW
        assert not [path for path in disk.names if path.endswith(".tmp")]


def test_what_follows_a_killed_process_is_as_safe(use: Patch) -> None:
    """The folders that it made may not be on the disk, though they can be seen."""
    number = 0
    while True:
        number += 1
        disk = use(VirtualDisk())
        disk.before = virtual.cut_at(number)
        try:
            first(FolderStore(ROOT))
            break
        except PowerCut:
            disk.killed()
        second(FolderStore(ROOT))
        for outcome in disk.outcomes():
            use(outcome)
            assert all_of(FolderStore(ROOT)).get("one/2.sav") == NEW, number
    assert number > 10


def test_appending_loses_nothing_that_it_returned_from(use: Patch) -> None:
    def append(store: FolderStore) -> None:
        store.append("one/1.journal", NEW)

    def once(store: FolderStore) -> None:
        store.append("one/1.journal", OLD)

    for disk, done in cuts(use, [first, once], append):
        found = FolderStore(ROOT).appended("one/1.journal")
        assert found.startswith(OLD)
        assert found == OLD + NEW or not done
        # what is left of one that did not return: nothing, a part, or zeros
        rest = found.removeprefix(OLD)
        assert NEW.startswith(rest) or not any(rest)
    for disk, done in cuts(use, [first], once):
        assert FolderStore(ROOT).appended("one/1.journal") == OLD or not done


def test_what_is_moved_has_one_name_at_any_time(use: Patch) -> None:
    def move(store: FolderStore) -> None:
        store.move("one/1.sav", ".trash/one~1.sav")

    for disk, done in cuts(use, [first], move):
        found = all_of(FolderStore(ROOT))
        assert [*found.values()] == [OLD]
        assert "one/1.sav" not in found or not done


def test_what_is_removed_leaves_the_others(use: Patch) -> None:
    def remove(store: FolderStore) -> None:
        store.remove("one/1.sav")

    for disk, done in cuts(use, [first, second], remove):
        found = all_of(FolderStore(ROOT))
        assert found["one/2.sav"] == NEW and found.get("one/1.sav", OLD) == OLD


# -- a system that refuses


STEPS: dict[str, Step] = {
    "write": second,
    "append": lambda store: store.append("one/1.journal", NEW),
    "move": lambda store: store.move("one/1.sav", ".trash/one~1.sav"),
    "remove": lambda store: store.remove("one/1.sav"),
}


@pytest.mark.parametrize("sticky", [False, True])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("error", virtual.ERRNOS)
def test_every_error_of_the_system_is_typed_and_harms_nothing(
    use: Patch, step: str, error: int, sticky: bool
) -> None:
    raised, number = 0, 0
    while True:
        number += 1
        disk = use(VirtualDisk())
        store = FolderStore(ROOT)
        first(store)
        start = len(disk.log)
        disk.before = virtual.failing_at(start + number, error, sticky)
        try:
            STEPS[step](store)
        except SaveWriteError as failure:
            assert failure.errno == error and failure.stage
            raised += 1
            committed = failure.committed
        except NoSuchSave:  # which is what ENOENT tells
            assert error == errno.ENOENT and step in ("move", "remove")
            raised += 1
            committed = False
        else:
            committed = True
        is_over = len(disk.log) < start + number
        disk.before = virtual.nothing
        assert not disk.opened
        check_after(step, store, committed)
        if is_over:
            break
    assert raised and number > 2


def check_after(step: str, store: FolderStore, committed: bool) -> None:
    found = all_of(store)
    if step == "write":
        assert found["one/1.sav"] == OLD
        assert found.get("one/2.sav") == (NEW if committed else None)
    elif step == "append":
        assert found["one/1.sav"] == OLD
        assert NEW.startswith(found.get("one/1.journal", b""))
    else:
        assert [*found.values()] in ([OLD], [])
        assert found or step == "remove"


@pytest.mark.parametrize("error", virtual.ERRNOS)
def test_a_read_that_fails_is_typed_and_closes_what_it_opened(
    use: Patch, error: int
) -> None:
    disk = use(VirtualDisk())
    store = FolderStore(ROOT)
    first(store)
    start = len(disk.log)
    all_of(store)
    steps = len(disk.log) - start
    failed = 0
    for number in range(1, steps + 1):
        disk.before = virtual.failing_at(len(disk.log) + number, error, False)
        try:
            all_of(store)
        except SaveError:
            failed += 1
        disk.before = virtual.nothing
        assert not disk.opened
    # a folder that is not there is an empty one
    assert steps > 5 and failed == steps - 2 * (error == errno.ENOENT)


def test_an_append_that_failed_has_added_nothing(use: Patch) -> None:
    disk = use(VirtualDisk())
    store = FolderStore(ROOT)
    first(store)
    store.append("one/1.journal", OLD)
    start = len(disk.log)
    store.append("one/1.journal", NEW)
    for number in range(1, len(disk.log) - start + 1):
        disk = use(VirtualDisk())
        store = FolderStore(ROOT)
        first(store)
        store.append("one/1.journal", OLD)
        disk.before = virtual.failing_at(len(disk.log) + number, 28, False)
        try:
            store.append("one/1.journal", NEW)
        except SaveWriteError:
            disk.before = virtual.nothing
            assert store.appended("one/1.journal") in (OLD, OLD + NEW)
