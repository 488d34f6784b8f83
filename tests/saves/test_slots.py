"""Slots: generations that follow each other, and what is loaded of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from savegen.runtime import (
    NoSuchSave,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
    SaveWriteError,
)
from savegen.saves import coding
from savegen.saves.slots import writer
from savegen.saves.limits import Limits
from savegen.saves.stores.store import MemoryStore
from savegen.saves.slots.slots import SaveSlots
from tests.saves.small_world import World

pytestmark = pytest.mark.usefixtures("small")


class Damaged(MemoryStore):
    """Memory in which files can be broken."""

    def flip(self, name: str, place: int = -20) -> None:
        data = bytearray(self.read(name))
        data[place] ^= 1
        self.put(name, bytes(data))

    def cut(self, name: str, size: int) -> None:
        self.put(name, self.read(name)[:size])

    def put(self, name: str, data: bytes) -> None:
        self._files[name] = data


@pytest.fixture
def store() -> Damaged:
    return Damaged()


@pytest.fixture
def slots(store: Damaged) -> SaveSlots:
    return SaveSlots(store)


def saved(slots: SaveSlots, slot: str, *states: int, **options: Any) -> None:
    for state in states:
        slots.save(slot, World(state), **options)


def loaded(slots: SaveSlots, slot: str, **options: Any) -> int:
    world = World(-1)
    slots.load(slot, world, **options)
    return world.state


# -- generations


def test_what_was_saved_last_is_loaded(slots: SaveSlots) -> None:
    saved(slots, "one", 1, 2)
    saved(slots, "two", 3)
    assert loaded(slots, "one") == 2 and loaded(slots, "two") == 3


def test_each_save_is_a_file_of_its_own_and_three_are_kept(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", *range(1, 6))
    assert store.names() == ["one/3.sav", "one/4.sav", "one/5.sav"]
    assert [loaded(slots, "one", generation=n) for n in (3, 4, 5)] == [3, 4, 5]
    with pytest.raises(NoSuchSave, match="generation 2: there are 5, 4, 3"):
        loaded(slots, "one", generation=2)


@pytest.mark.parametrize("keep", [1, 2, 7])
def test_as_many_are_kept_as_are_asked_for(store: Damaged, keep: int) -> None:
    slots = SaveSlots(store, keep=keep)
    saved(slots, "one", *range(1, 10))
    assert len(store.names()) == keep and loaded(slots, "one") == 9


def test_none_kept_is_refused(store: Damaged) -> None:
    with pytest.raises(SaveError, match="at least 1"):
        SaveSlots(store, keep=0)


def test_what_saving_returns_is_what_is_listed(slots: SaveSlots) -> None:
    saved(slots, "one", 1)
    info = slots.save(
        "one",
        World(2),
        title="At the gate",
        playtime=61.5,
        level="gate",
        extra={"a": [1]},
    ).info
    assert slots.list() == [info]
    assert (info.slot, info.generation, info.generations) == ("one", 2, (2, 1))
    assert (info.title, info.playtime, info.level) == ("At the gate", 61.5, "gate")
    assert info.metadata.extra == {"a": [1]} and not info.diverged and info.is_newest


def test_metadata_say_when_where_and_after_what(slots: SaveSlots, monkeypatch) -> None:
    monkeypatch.setattr(writer, "now", lambda: "2026-01-31T18:05:09Z")
    first = slots.save("one", World(1, save_version=4)).info
    second = slots.save("one", World(2)).info
    assert first.time == "2026-01-31T18:05:09Z" and first.metadata.save_version == 4
    assert first.metadata.slot == "one" and len(first.metadata.schema) == 16
    assert second.metadata.parent == first.digest != ""
    assert second.metadata.lineage == first.metadata.lineage != ""
    assert first.metadata.parent == ""


def test_the_list_is_by_name_and_has_the_newest(slots: SaveSlots) -> None:
    saved(slots, "two", 1, title="old")
    saved(slots, "two", 2, title="new")
    saved(slots, "one", 3, title="other")
    assert [(i.slot, i.title) for i in slots.list()] == [
        ("one", "other"),
        ("two", "new"),
    ]


def test_a_thumbnail_is_read_alone(slots: SaveSlots) -> None:
    picture = bytes(range(256)) * 900
    slots.save("one", World(1), thumbnail=picture)
    assert slots.thumbnail("one") == picture
    saved(slots, "two", 1)
    assert slots.thumbnail("two") == b""
    with pytest.raises(NoSuchSave):
        slots.thumbnail("three")


def test_a_slot_that_has_no_save_is_said_to_have_none(slots: SaveSlots) -> None:
    with pytest.raises(NoSuchSave, match="there is no save in 'one'"):
        loaded(slots, "one")
    saved(slots, "one", 1)  # which is no reason to refuse a save
    assert loaded(slots, "one") == 1


def test_names_are_checked_everywhere(slots: SaveSlots, tmp_path: Path) -> None:
    saved(slots, "one", 1)
    for step in (
        lambda: slots.save("../x", World(1)),
        lambda: slots.save_async("../x", World(1)),
        lambda: slots.load("../x", World(1)),
        lambda: slots.delete("../x"),
        lambda: slots.thumbnail("../x"),
        lambda: slots.copy("one", "../x"),
        lambda: slots.copy("../x", "two"),
        lambda: slots.restore("../x"),
        lambda: slots.export("../x", tmp_path / "x"),
        lambda: slots.import_(tmp_path / "x", "../x"),
    ):
        with pytest.raises(SaveError, match="cannot be called '../x'"):
            step()
    for twin in ("One", "ONE"):
        with pytest.raises(
            SaveError, match="some systems do not distinguish the two names"
        ):
            slots.save(twin, World(1))
        with pytest.raises(
            SaveError, match="some systems do not distinguish the two names"
        ):
            slots.copy("one", twin)


def test_a_world_that_cannot_be_saved_changes_nothing(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1)
    world = World(2)
    world.on_piece = raising(SaveError("what a thing"))
    with pytest.raises(SaveError, match="what a thing"):
        slots.save("one", world)
    assert store.names() == ["one/1.sav"] and loaded(slots, "one") == 1


def raising(error: BaseException) -> Any:
    def step() -> None:
        raise error

    return step


@pytest.mark.parametrize("what", ["create_snapshot", "on_piece"])
def test_too_little_memory_for_a_save_is_an_error_of_savegens(
    slots: SaveSlots, store: Damaged, what: str
) -> None:
    saved(slots, "one", 1)
    world = World(2)
    setattr(world, what, raising(MemoryError()))
    with pytest.raises(SaveError, match="not enough memory") as caught:
        slots.save("one", world)
    assert not isinstance(caught.value, SaveCorruptError)
    assert store.names() == ["one/1.sav"]
    saved(slots, "one", 3)


@pytest.mark.parametrize(
    "where, what",
    [(coding, "read"), (coding, "decode_body"), (World, "apply_snapshot")],
)
def test_too_little_memory_for_a_load_is_an_error_of_savegens(
    slots: SaveSlots, monkeypatch: pytest.MonkeyPatch, where: Any, what: str
) -> None:
    saved(slots, "one", 1, 2)
    with monkeypatch.context() as patch:
        patch.setattr(where, what, lambda *args, **others: raising(MemoryError())())
        with pytest.raises(SaveError, match="not enough memory"):
            loaded(slots, "one")
    with pytest.raises(SaveError, match="saves to 'one' are refused"):
        saved(slots, "one", 3)
    assert loaded(slots, "one") == 2, "an older one is not a way out"


def test_metadata_that_are_no_json_are_refused(
    slots: SaveSlots, store: Damaged
) -> None:
    for extra in ({"a": object()}, {"a": float("nan")}, {"a": (1,)}, {"a": "\ud800"}):
        with pytest.raises(SaveError):
            slots.save("one", World(1), extra=extra)
    assert store.names() == []


def test_what_load_would_refuse_save_refuses(store: Damaged) -> None:
    slots = SaveSlots(store, limits=Limits(objects=5))
    with pytest.raises(SaveLimitError):
        slots.save("one", World(1, rows=6))
    assert store.names() == []


# -- what is broken


@pytest.mark.parametrize("place", [0, 60, -60, -1])
def test_the_newest_that_verifies_is_loaded_and_says_so(
    slots: SaveSlots, store: Damaged, place: int
) -> None:
    saved(slots, "one", 1, 2, 3)
    store.flip("one/3.sav", place)
    world = World()
    result = slots.load("one", world)
    assert world.state == 2 and result.info.generation == 2
    assert not result.is_newest and "one/3.sav: " in result.notes[0]
    store.flip("one/2.sav", place)
    assert loaded(slots, "one") == 1


@pytest.mark.parametrize("size", [0, 1, 30, 100, -1])
def test_a_file_that_is_cut_short_is_passed_over_in_lists_too(
    slots: SaveSlots, store: Damaged, size: int
) -> None:
    saved(slots, "one", 1, 2)
    store.cut("one/2.sav", size)
    (info,) = slots.list()
    assert info.generation == 1 and not info.is_newest and not info.fault
    assert "one/2.sav: " in info.notes[0] and loaded(slots, "one") == 1


def test_a_list_finds_what_is_broken_inside_if_it_is_asked_to(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1, 2)
    store.flip("one/2.sav", -40)
    assert [info.generation for info in slots.list()] == [2]
    assert [info.generation for info in slots.list(verify=True)] == [1]


def test_a_slot_of_broken_saves_is_listed_with_its_fault(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1)
    saved(slots, "two", 2)
    store.flip("one/1.sav", 0)
    one, two = slots.list()
    assert one.fault and one.slot == "one" and not two.fault
    assert [bool(info.fault) for info in slots.list(verify=True)] == [True, False]


def test_a_failed_load_never_leads_to_a_lost_save(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1)
    store.flip("one/1.sav")
    with pytest.raises(SaveCorruptError, match="no save in 'one' can be read: one/1"):
        loaded(slots, "one")
    for _ in range(2):
        with pytest.raises(
            SaveError, match="saves to 'one' are refused: loading it has"
        ):
            slots.save("one", World(2))
    assert store.names() == ["one/1.sav"]
    saved(slots, "two", 2)  # another one may
    saved(slots, "one", 3, new_lineage=True)
    assert store.names() == ["one/1.sav", "one/2.sav", "two/1.sav"]
    saved(slots, "one", 4)
    assert loaded(slots, "one") == 4


def test_a_load_that_cannot_be_applied_refuses_saving_too(slots: SaveSlots) -> None:
    saved(slots, "one", 1, 2)
    world = World(7)
    world.raises = ValueError("a hook")
    with pytest.raises(SaveApplyError, match="^one/2.sav: a hook$"):
        slots.load("one", world)
    assert world.state == 7
    world.raises = None
    with pytest.raises(SaveError, match="saves to 'one' are refused"):
        slots.save("one", world)
    assert loaded(slots, "one", generation=1) == 1  # which opens it again
    saved(slots, "one", 3)


def test_a_newer_save_is_no_reason_to_load_an_older_one(slots: SaveSlots) -> None:
    saved(slots, "one", 1)
    slots.save("one", World(2, save_version=3))
    with pytest.raises(
        SaveVersionError, match="^one/2.sav: .*; `generation=1` loads the save before"
    ):
        loaded(slots, "one")
    with pytest.raises(SaveError, match="saves to 'one' are refused"):
        slots.save("one", World(2))
    assert loaded(slots, "one", read_only=True) == 2
    slots.save("two", World(2, save_version=3))
    with pytest.raises(SaveVersionError, match="^two/1.sav: .* newer game$"):
        loaded(slots, "two")
    with pytest.raises(SaveError, match="it was loaded with `read_only=True`"):
        slots.save("one", World(2))


def test_a_file_of_a_newer_savegen_is_refused_and_never_removed(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1, 2)
    data = bytearray(store.read("one/2.sav"))
    data[8] = 99  # the version of the format
    store.put("one/2.sav", bytes(data))
    words = "^one/2.sav: .*99.*; `generation=1` loads the save before"
    with pytest.raises(SaveVersionError, match=words):
        loaded(slots, "one")
    saved(slots, "one", 3, new_lineage=True)
    saved(slots, "one", *range(4, 10))
    assert "one/2.sav" in store.names() and loaded(slots, "one") == 9


def test_what_cannot_be_read_just_now_is_not_passed_over(
    slots: SaveSlots, store: Damaged
) -> None:
    """Else the player would go on from an older save, and nobody would know."""
    saved(slots, "one", 1, 2)
    real, errors = store.read, [SaveError("too many open files")]

    def read(name: str, start: int = 0, size: int | None = None) -> bytes:
        if name == "one/2.sav" and errors:
            raise errors[0]
        return real(name, start, size)

    store.read = read  # type: ignore[method-assign]
    with pytest.raises(SaveError, match="^one/2.sav: too many open files$"):
        loaded(slots, "one")
    errors[0] = SaveCorruptError("a bad sector")
    assert loaded(slots, "one") == 1
    errors.clear()
    assert loaded(slots, "one") == 2


def test_a_save_above_the_limits_is_not_passed_over(store: Damaged) -> None:
    saved(SaveSlots(store), "one", 1)
    SaveSlots(store).save("one", World(2, rows=50))
    words = "^one/2.sav: the number of objects is 50.*; `generation=1` loads the save"
    with pytest.raises(SaveLimitError, match=words) as caught:
        loaded(SaveSlots(store, limits=Limits(objects=20)), "one")
    assert (caught.value.most, caught.value.got) == (20, 50)


def test_what_is_broken_stays_until_it_is_old(slots: SaveSlots, store: Damaged) -> None:
    saved(slots, "one", 1, 2, 3)
    store.flip("one/3.sav", 0)
    assert loaded(slots, "one") == 2
    saved(slots, "one", 4)
    assert store.names() == [f"one/{n}.sav" for n in (1, 2, 3, 4)]
    saved(slots, "one", 5, 6)
    assert store.names() == [f"one/{n}.sav" for n in (4, 5, 6)]


def test_a_file_that_goes_while_it_is_listed_or_read_is_no_fault() -> None:
    found, number = [], 0
    while True:
        number += 1
        store = Damaged()
        slots, other = SaveSlots(store), SaveSlots(store)
        saved(slots, "one", 1, 2, 3)
        loaded(other, "one")
        reads = 0
        real = store.read

        def read(name: str, start: int = 0, size: int | None = None) -> bytes:
            nonlocal reads
            reads += 1
            if reads == number:
                saved(other, "one", 4, 5, 6, 7)
            return real(name, start, size)

        store.read = read  # type: ignore[method-assign]
        found.append(loaded(slots, "one"))
        if reads < number:
            break
    assert number > 6 and {*found[:-1]} == {7} and found[-1] == 3


# -- who follows whom


def test_who_has_not_loaded_a_slot_begins_beside_what_is_there(store: Damaged) -> None:
    saved(SaveSlots(store), "one", 1, 2, 3)
    fresh = SaveSlots(store)
    saved(fresh, "one", 4, 5, 6, 7)
    assert store.names() == [f"one/{n}.sav" for n in (3, 5, 6, 7)]
    (info,) = fresh.list()
    assert not info.diverged and loaded(fresh, "one", generation=3) == 3


def test_who_has_loaded_a_slot_goes_on_with_it(store: Damaged) -> None:
    saved(SaveSlots(store), "one", 1, 2, 3)
    fresh = SaveSlots(store)
    loaded(fresh, "one")
    saved(fresh, "one", 4)
    first, last = (
        fresh.load("one", World(), generation=n).info.metadata for n in (3, 4)
    )
    assert first.lineage == last.lineage
    assert store.names() == [f"one/{n}.sav" for n in (2, 3, 4)]


def test_two_that_go_on_from_one_save_have_diverged_and_both_are_kept(
    store: Damaged,
) -> None:
    here, there = SaveSlots(store), SaveSlots(store)
    saved(here, "one", 1)
    loaded(there, "one")
    saved(there, "one", 100)
    (info,) = there.list()
    assert not info.diverged
    assert here.save("one", World(2)).info.diverged
    saved(here, "one", 3, 4, 5, 6)
    (info,) = here.list()
    assert info.diverged and info.generation == 7 and loaded(here, "one") == 6
    assert loaded(here, "one", generation=2) == 100  # kept, however old it is
    # The player keeps both, each in a slot of its own.
    here.copy("one", "two", generation=2)
    here.delete("one", generation=2)
    assert loaded(here, "two") == 100
    assert [info.diverged for info in here.list()] == [False, False]


def test_a_new_lineage_has_not_diverged(slots: SaveSlots, store: Damaged) -> None:
    saved(slots, "one", 1, 2)
    info = slots.save("one", World(3), new_lineage=True).info
    assert not info.diverged and info.generation == 3
    saved(slots, "one", 4, 5, 6)
    assert store.names() == [f"one/{n}.sav" for n in (2, 4, 5, 6)]


def test_a_new_lineage_keeps_three_of_the_old_one_until_it_has_three(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1, 2, 3)
    saved(slots, "one", 4, new_lineage=True)
    assert store.names() == [f"one/{n}.sav" for n in (1, 2, 3, 4)]
    assert [loaded(slots, "one", generation=n) for n in (1, 2, 3, 4)] == [1, 2, 3, 4]
    saved(slots, "one", 5)
    assert store.names() == [f"one/{n}.sav" for n in (1, 2, 3, 4, 5)]
    saved(slots, "one", 6)
    assert store.names() == [f"one/{n}.sav" for n in (3, 4, 5, 6)]


def test_new_lineages_do_not_pile_up(slots: SaveSlots, store: Damaged) -> None:
    for state in range(20):
        saved(slots, "one", state, new_lineage=True)
    assert len(store.names()) == 4 and loaded(slots, "one") == 19


def test_a_second_copy_of_a_clouds_is_seen_and_left_alone(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1)
    other = SaveSlots(Damaged())
    saved(other, "one", 1, 50)
    name = "one/2 (Zoë's conflicted copy 2026-01-31).sav"
    store.put(name, other.store.read("one/2.sav"))
    saved(slots, "one", 2)
    (info,) = slots.list()
    assert info.diverged and loaded(slots, "one") == 2
    saved(slots, "one", *range(3, 9))
    assert name in store.names()


def test_an_older_generation_that_was_loaded_is_gone_on_with(slots: SaveSlots) -> None:
    saved(slots, "one", 1, 2, 3)
    assert loaded(slots, "one", generation=2) == 2
    info = slots.save("one", World(9)).info
    assert info.generation == 4 and info.diverged and loaded(slots, "one") == 9
    assert loaded(slots, "one", generation=3) == 3


# -- levels


def test_a_save_loads_its_level_first(slots: SaveSlots) -> None:
    slots.save("one", World(1), level="cave", level_digest="abc")
    seen: list[str] = []
    result = slots.load("one", World(), levels=seen.append)
    assert seen == ["cave"] and result.info.metadata.level_digest == "abc"
    saved(slots, "two", 2)
    loaded(slots, "two", levels=seen.append)
    assert seen == ["cave"]


def test_a_level_that_cannot_be_loaded_refuses_saving(slots: SaveSlots) -> None:
    slots.save("one", World(1), level="cave")
    words = "`levels` raised ZeroDivisionError: .*, for the level 'cave'"
    with pytest.raises(SaveApplyError, match=words):
        slots.load("one", World(), levels=lambda level: 1 / 0)
    with pytest.raises(SaveError, match="saves to 'one' are refused"):
        slots.save("one", World(1))


# -- turns


def test_quick_saves_take_turns(slots: SaveSlots, store: Damaged) -> None:
    used = [slots.quick(World(state)).slot for state in range(1, 8)]
    assert used == [f"quick-{n}" for n in (1, 2, 3, 1, 2, 3, 1)]
    assert slots.latest() == "quick-1" and loaded(slots, slots.latest()) == 7
    with pytest.raises(NoSuchSave, match="there is no autosave"):
        slots.latest("auto")
    assert slots.auto(World(20)).slot == "auto-1"
    assert slots.latest("auto") == "auto-1" and slots.latest() == "quick-1"
    with pytest.raises(NoSuchSave, match="there is no boss save"):
        slots.latest("boss")


def test_a_new_process_goes_on_with_the_turn(slots: SaveSlots, store: Damaged) -> None:
    slots.quick(World(1)), slots.quick(World(2))
    assert SaveSlots(store).quick(World(3)).slot == "quick-3"
    slots.delete("quick-2")
    used = [SaveSlots(store).quick(World(state)).slot for state in (4, 5, 6)]
    assert used == ["quick-2", "quick-1", "quick-3"]


def test_a_turn_passes_over_a_slot_that_could_not_be_loaded(
    slots: SaveSlots, store: Damaged
) -> None:
    for state in (1, 2, 3):
        slots.quick(World(state))
    store.flip("quick-1/1.sav")
    with pytest.raises(SaveCorruptError):
        loaded(slots, "quick-1")
    assert slots.quick(World(4)).slot == "quick-2"


# -- whole slots


def test_a_deleted_slot_can_be_restored(slots: SaveSlots, store: Damaged) -> None:
    saved(slots, "one", 1, 2, 3, title="mine")
    before = {name: store.read(name) for name in store.names()}
    slots.delete("one")
    assert slots.list() == []
    assert [(info.slot, info.title) for info in slots.trash()] == [("one", "mine")]
    with pytest.raises(NoSuchSave):
        loaded(slots, "one")
    assert slots.restore("one").generation == 3
    assert {name: store.read(name) for name in store.names()} == before
    assert loaded(slots, "one") == 3 and slots.trash() == []


def test_the_latest_deletion_is_restored_elsewhere_if_need_be(slots: SaveSlots) -> None:
    saved(slots, "one", 1)
    slots.delete("one")
    saved(slots, "one", 2)
    slots.delete("one")
    saved(slots, "one", 3)
    with pytest.raises(SaveError, match="delete its saves first"):
        slots.restore("one")
    slots.restore("one", "two")
    assert [loaded(slots, slot) for slot in ("one", "two")] == [3, 2]
    with pytest.raises(NoSuchSave, match="'one' is not in the trash"):
        slots.restore("one", "three")


def test_the_trash_holds_the_latest_deletion_of_each_slot_until_it_is_emptied(
    slots: SaveSlots, store: Damaged
) -> None:
    for state in range(3):
        for slot in ("two", "one"):
            saved(slots, slot, state, state + 10)
            slots.delete(slot)
    names = [(info.slot, info.generation) for info in slots.trash()]
    assert names == [("one", 2), ("two", 2)] and len(store.names()) == 4
    slots.restore("one")
    assert loaded(slots, "one") == 12
    slots.empty_trash()
    assert slots.trash() == [] and store.names() == ["one/1.sav", "one/2.sav"]


def test_a_deleted_generation_replaces_an_earlier_deletion(slots: SaveSlots) -> None:
    saved(slots, "one", 1, 2, 3)
    slots.delete("one", generation=1)
    slots.delete("one", generation=2)
    assert [info.generation for info in slots.trash()] == [2]
    slots.delete("one")
    assert [info.generation for info in slots.trash()] == [3]
    slots.restore("one")
    assert loaded(slots, "one") == 3


def test_deleting_what_is_not_there_says_so(slots: SaveSlots) -> None:
    with pytest.raises(NoSuchSave):
        slots.delete("one")
    saved(slots, "one", 1)
    with pytest.raises(NoSuchSave, match="generation 7"):
        slots.delete("one", generation=7)


def test_a_deleted_slot_may_be_saved_to(slots: SaveSlots, store: Damaged) -> None:
    saved(slots, "one", 1)
    store.flip("one/1.sav")
    with pytest.raises(SaveCorruptError):
        loaded(slots, "one")
    slots.delete("one")
    saved(slots, "one", 2)
    assert loaded(slots, "one") == 2


def test_a_copy_is_a_slot_of_its_own(slots: SaveSlots) -> None:
    saved(slots, "one", 1, 2)
    info = slots.copy("one", "two")
    assert info.slot == "two" and loaded(slots, "two") == 2 and not info.notes
    saved(slots, "one", 3)
    assert loaded(slots, "two") == 2 and loaded(slots, "one") == 3
    with pytest.raises(SaveError, match="delete its saves first"):
        slots.copy("one", "two")


def test_an_exported_save_is_imported_elsewhere(
    slots: SaveSlots, tmp_path: Path
) -> None:
    saved(slots, "one", 1, 2, title="mine")
    path = tmp_path / "mine.sav"
    slots.export("one", path)
    other = SaveSlots(tmp_path / "saves")
    assert other.import_(path, "theirs").title == "mine"
    assert loaded(other, "theirs") == 2
    with pytest.raises(SaveError, match="delete its saves first"):
        other.import_(path, "theirs")
    with pytest.raises(SaveWriteError, match="mine.sav"):
        slots.export("one", path)
    slots.export("one", path, generation=1, overwrite=True)
    other.import_(path, "again")
    assert loaded(other, "again") == 1
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".tmp"] == []


def test_an_export_removes_what_a_killed_one_has_left(
    slots: SaveSlots, tmp_path: Path
) -> None:
    saved(slots, "one", 1)
    left = tmp_path / f"save.sav-{'0f' * 8}.tmp"
    others = [
        tmp_path / name
        for name in (
            "save.sav-1.tmp",
            f"other.sav-{'0f' * 8}.tmp",
            "save.sav-notes.tmp",
        )
    ]
    for path in (left, *others):
        path.write_bytes(b"half")
    slots.export("one", tmp_path / "save.sav")
    assert not left.exists() and all(path.exists() for path in others)


def test_what_is_no_save_is_not_imported(slots: SaveSlots, tmp_path: Path) -> None:
    path = tmp_path / "mine.sav"
    with pytest.raises(NoSuchSave):
        slots.import_(path, "one")
    saved(slots, "one", 1)
    slots.export("one", path)
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data)
    with pytest.raises(SaveCorruptError):
        slots.import_(path, "two")
    path.write_bytes(b"")
    with pytest.raises(SaveCorruptError):
        slots.import_(path, "two")
    assert [info.slot for info in slots.list()] == ["one"]


def test_what_nobody_would_find_again_is_not_written(
    slots: SaveSlots, store: Damaged
) -> None:
    saved(slots, "one", 1)
    store.put(f"one/{10**18 - 1}.sav", store.read("one/1.sav"))
    with pytest.raises(SaveError, match="highest possible number.*another slot"):
        slots.save("one", World(2))
    assert loaded(slots, "one") == 1


# -- options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"titel": "Gate"}, "no option 'titel'; did you mean 'title'?"),
        ({"compress": "zlb"}, "unknown compression 'zlb'; did you mean 'zlib'?"),
        ({"title": 5}, "`title` of a save must be str, not int"),
        ({"thumbnail": "x"}, "`thumbnail` of a save must be bytes, not str"),
        ({"playtime": True}, "`playtime` of a save must be int or float, not bool"),
        (
            {"playtime": float("inf")},
            "finite number of seconds that fits in a float, not inf",
        ),
        (
            {"playtime": 10**400},
            "finite number of seconds that fits in a float, not a larger one",
        ),
        (
            {"playtime": 10**5000},  # too long even for `str`
            "finite number of seconds that fits in a float, not a larger one",
        ),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(
    slots: SaveSlots, options: Any, words: str
) -> None:
    with pytest.raises(SaveError, match=words.replace("?", "[?]")):
        slots.save("one", World(1), **options)
    assert not slots.list()
