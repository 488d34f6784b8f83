"""Folders, pipes, devices and links that are called like saves: skipped, told of, and left alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from savegen.runtime.errors import NoSuchSave, SaveCorruptError, SaveError
from savegen.saves.slots.slots import SaveSlots
from tests.saves.small_world import World

pytestmark = [
    pytest.mark.usefixtures("small"),
    pytest.mark.skipif(sys.platform == "win32", reason="has no pipes with names"),
]


def folder(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("mine")


def link(path: Path) -> None:
    target = path.parents[2] / "theirs"
    target.write_text("mine")
    path.symlink_to(target)


MAKE: dict[str, Callable[[Path], object]] = {
    "folder": folder,
    "pipe": os.mkfifo,
    "link": link,
    "dead link": lambda path: path.symlink_to("nowhere"),
    "device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.fixture(params=MAKE)
def strange(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return what is called `3.sav` in a slot that has two saves."""
    slots = SaveSlots(tmp_path / "saves")
    for state in (1, 2):
        slots.save("one", World(state))
    path = tmp_path / "saves" / "one" / "3.sav"
    MAKE[request.param](path)
    return path


@pytest.fixture
def slots(strange: Path) -> SaveSlots:
    return SaveSlots(strange.parents[1])


def loaded(slots: SaveSlots, slot: str = "one") -> int:
    world = World(-1)
    slots.load(slot, world)
    return int(world.state)


def test_a_load_skips_it_and_says_so(slots: SaveSlots) -> None:
    world = World()
    report = slots.load("one", world)
    assert world.state == 2 and not report.is_newest
    assert report.notes == ("one/3.sav: one/3.sav is not a regular file",)
    for verify in (False, True):
        (info,) = slots.list(verify)
        assert (info.generation, info.fault) == (2, "") and "3.sav" in info.notes[0]


def test_who_asks_for_it_gets_an_error(slots: SaveSlots) -> None:
    with pytest.raises(SaveCorruptError, match="3.sav is not a regular file"):
        slots.load("one", World(), generation=3)


def test_saving_goes_on_above_it_and_never_removes_it(
    slots: SaveSlots, strange: Path
) -> None:
    loaded(slots)
    for state in range(4, 12):
        slots.save("one", World(state))
    names = {path.name for path in strange.parent.iterdir()}
    assert names == {"3.sav", "9.sav", "10.sav", "11.sav"}
    assert loaded(slots) == 11 and os.path.lexists(strange)


def test_deleting_and_restoring_leave_it_where_it_is(
    slots: SaveSlots, strange: Path
) -> None:
    slots.delete("one")
    assert [path.name for path in strange.parent.iterdir()] == ["3.sav"]
    assert slots.list() == []
    with pytest.raises(NoSuchSave):
        loaded(slots)
    with pytest.raises(NoSuchSave):
        slots.delete("one")
    slots.restore("one")
    assert loaded(slots) == 2 and os.path.lexists(strange)


def test_a_copy_into_its_slot_takes_a_number_above_it(
    slots: SaveSlots, strange: Path
) -> None:
    slots.save("two", World(7))
    with pytest.raises(SaveError, match="delete its saves first"):
        slots.copy("two", "one")
    slots.delete("one")
    assert slots.copy("two", "one").generation == 4
    assert loaded(slots) == 7 and os.path.lexists(strange)


def test_the_slots_around_it_are_well(slots: SaveSlots, strange: Path) -> None:
    slots.save("two", World(7))
    strange.rename(strange.parents[1] / "two" / "9.sav")
    assert loaded(slots, "two") == 7
    assert [info.slot for info in slots.list()] == ["one", "two"]
