"""A world that is recorded again and again is what it was last, whatever has happened to its journal."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from savegen.runtime import (
    GameObject,
    SaveCorruptError,
    SaveError,
    SaveLoadManager,
    SaveWriteError,
    Snapshot,
)
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.saves import Autosave, FolderStore, Limits, MemoryStore, SaveSlots
from savegen.runtime.values.stored import parse
from savegen.saves import coding, file
from savegen.saves.body import RawTable
from savegen.saves.autosave import changes
from savegen.saves.coding import VerifiedSave
from savegen.saves.journal import (
    RecordChain,
    Removals,
    payload_of,
    apply_journal,
    valid_records,
)
from savegen.saves.limits import Guard
from savegen.saves.file import Metadata
from tests.runtime.worlds import Storm
from tests.saves import virtual
from tests.saves.virtual import (
    ROOT,
    Patch,
    Unsynced,
    VirtualDisk,
    failing_at,
)
from tests.soaking import examples

BASE = "5a" * 16
PAYLOADS = [b"one", b"", b"three " * 40, b"four"]


def chained(payloads: list[bytes], base: str = BASE) -> bytes:
    chain = RecordChain(base)
    return b"".join(map(chain.record, payloads))


def found_in(data: bytes, base: str = BASE) -> list[bytes]:
    return [bytes(each) for each in valid_records(data, base).payloads]


# -- records


def test_a_journal_gives_back_what_was_appended() -> None:
    found = valid_records(chained(PAYLOADS), BASE)
    assert found_in(chained(PAYLOADS)) == PAYLOADS
    assert (found.lost, found.is_damaged) == (0, False)
    assert valid_records(b"", BASE) == ([], 0, 0, False)


def test_a_tail_torn_at_any_byte_costs_its_record_alone() -> None:
    data = chained(PAYLOADS)
    ends = [*itertools.accumulate(len(chained([p])) for p in PAYLOADS)]
    for size in range(len(data)):
        whole = sum(end <= size for end in ends)
        found = valid_records(data[:size], BASE)
        assert [*map(bytes, found.payloads)] == PAYLOADS[:whole]
        assert not found.is_damaged
        assert found.lost == size - max([0, *(end for end in ends if end <= size)])


def test_a_bit_that_flips_anywhere_never_gives_a_record_that_was_not_written() -> None:
    data = chained(PAYLOADS)
    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        found = found_in(bytes(flipped))
        assert found == PAYLOADS[: len(found)] and len(found) < len(PAYLOADS)


def test_damage_in_the_middle_is_told_with_its_place_and_a_torn_tail_is_none() -> None:
    data = chained(PAYLOADS)
    ends = [0, *itertools.accumulate(len(chained([p])) for p in PAYLOADS)]
    for place in range(ends[-2]):
        broken = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        found = valid_records(broken, BASE)
        start = max(end for end in ends if end <= place)
        (length,) = struct.unpack_from("<I", broken, start)
        # A length that leads beyond the end may be that of a record that was cut short.
        assert found.is_damaged == (start + 28 + length < len(data)), place
        assert (found.end, found.lost) == (start, len(data) - start)
    torn = data[:-1] + b"?"
    assert not valid_records(torn, BASE).is_damaged


def test_bytes_that_no_record_begins_with_are_damage() -> None:
    data = chained(PAYLOADS)
    for strange in (b"not a journal" * 9, struct.pack("<IQ", 5, 9) + b"seven", data):
        assert valid_records(data + strange, BASE).is_damaged
        assert valid_records(strange, "5b" * 16).is_damaged
    begun = struct.pack("<IQ", 500, len(PAYLOADS))
    for torn in (begun[:5], begun, begun + b"half of it", begun + bytes(90), bytes(70)):
        assert not valid_records(data + torn, BASE).is_damaged


def test_records_of_another_save_or_another_place_are_none() -> None:
    data = chained(PAYLOADS)
    assert found_in(data, "5b" * 16) == []
    first = len(chained(PAYLOADS[:1]))
    assert found_in(data[first:]) == []
    assert found_in(data[:first] * 2) == PAYLOADS[:1]
    older = chained([b"one", b"something else"])
    assert found_in(data[:first] + older[first:]) == [b"one", b"something else"]
    assert found_in(older[: len(older)] + data[len(older) :]) == [
        b"one",
        b"something else",
    ]


def test_bytes_that_look_like_records_everywhere_do_not_hold_anybody_up() -> None:
    size = 3_000_000
    likely = struct.pack("<IQ", size // 2, 5) * (size // 12)
    started = time.perf_counter()
    assert valid_records(likely, BASE).is_damaged
    assert not valid_records(
        bytes(size), BASE
    ).is_damaged  # a tail of zeros is a torn one
    assert time.perf_counter() - started < 10


# -- what changed


class Recorded:
    """A world, and what a journal of it holds."""

    def __init__(self, manager: SaveLoadManager) -> None:
        self.manager = manager
        self.last = manager.create_snapshot()
        self.base = coding.encode(self.last)
        self.chain = RecordChain(file.digest_of(self.base))
        self.journal = b""
        self.sizes: list[dict[str, int]] = []  # rows of each record, by class

    def record(self) -> bool:
        """Record what has changed; return whether anything has."""
        now = self.manager._track(self.last)
        found = changes(self.last, now)
        self.last = now
        if found.is_empty:
            return False
        sizes = {
            t.entry.load_class().__name__: len(t.keys)
            for t in found.changed.tables.values()
        }
        self.sizes.append(sizes)
        parts, _ = coding.encoded(found.changed, Metadata(), whole=now)
        self.journal += self.chain.record(payload_of(found.removed, parts))
        return True

    def played(self, journal: bytes | None = None) -> VerifiedSave:
        return played(self.base, self.journal if journal is None else journal)

    def loaded(self, journal: bytes | None = None) -> Snapshot:
        """Return the snapshot that a load would apply."""
        found = self.played(journal)
        registry = self.manager._world.registry
        return coding.decode_body(found.body, registry, Guard(Limits(), 10**9))

    def full(self) -> Snapshot:
        """Return what a load of a full save would apply."""
        return coding.decode(coding.encode(self.last), self.manager._world.registry)


def played(base: bytes, journal: bytes) -> VerifiedSave:
    return apply_journal(coding.read(base), journal, "the journal")


@settings(max_examples=examples(60), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 10**6))
def test_any_course_of_events_is_played_back_as_a_full_save_has_it(
    game: ModuleType, registry: Registry, seed: int
) -> None:
    dice = random.Random(seed)
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, dice)
    recorded = Recorded(manager)
    for _ in range(6):
        storm.blow(dice.randrange(1, 9))
        recorded.record()
        assert recorded.played().notes == ()
        assert recorded.loaded().digest() == recorded.full().digest()
        again = coding.encode(recorded.loaded(), registry=registry)
        assert again == coding.encode(recorded.last)


def test_what_does_not_change_is_not_written(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = [manager.add(game.Unit(n)) for n in range(2000)]
    recorded = Recorded(manager)
    assert not recorded.record()
    units[7].hp = 99
    assert recorded.record() and recorded.sizes == [{"Unit": 1}]
    assert not recorded.record()


def test_one_object_more_or_less_is_a_few_rows(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = [manager.add(game.Unit(n)) for n in range(2000)]
    recorded = Recorded(manager)
    manager.destroy(units[1000])
    manager.add(game.Unit(7))
    assert recorded.record()
    assert sum(recorded.sizes[0].values()) < 15 and len(recorded.journal) < 1500
    assert recorded.loaded().digest() == recorded.last.digest()


def test_components_and_children_are_recorded(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    thing: Any = manager.add(GameObject(game.Unit(1)))
    recorded = Recorded(manager)
    child = manager.add(GameObject(game.Unit(5)))
    child.parent = thing
    thing.add_component(game.Unit(2))
    assert recorded.record()
    assert recorded.loaded().digest() == recorded.last.digest()
    thing.remove_component(thing.components[0])
    manager.destroy(child)
    assert recorded.record()
    assert recorded.loaded().digest() == recorded.last.digest()


def test_what_does_not_fit_its_field_is_recorded_too(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    units = [manager.add(game.Unit(n)) for n in range(3)]
    recorded = Recorded(manager)
    for hp in ("wide", 2**80, "wider", 7):
        units[1].hp = hp
        assert recorded.record() and recorded.sizes[-1] == {"Unit": 1}
        assert recorded.loaded().digest() == recorded.full().digest()
    units[2].hp = 8
    del units[1].hp
    assert recorded.record()
    assert recorded.loaded().digest() == recorded.full().digest()


def test_states_placements_and_tombstones_are_recorded(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    state = {"day": 1}
    manager.add_state("clock", lambda: state["day"], print)
    kept = [manager.add(game.Unit(n), placement=f"unit {n}") for n in range(50)]
    recorded = Recorded(manager)
    state["day"] = 2
    assert recorded.record() and recorded.sizes == [{}]
    manager.destroy(kept[3])
    manager.add(game.Unit(7), placement="unit 7 again", level="cave")
    assert recorded.record() and len(recorded.journal) < 1500
    found = recorded.loaded()
    assert found.digest() == recorded.last.digest()
    assert found.placed() == recorded.last.placed()
    assert found.placed()["unit 3"] is False and found.placed()["unit 7 again"]


@pytest.fixture
def less(game: ModuleType, registry: Registry) -> SaveLoadManager:
    """Return the manager of a game without coins, which has loaded a world with two."""
    whole = SaveLoadManager(registry)
    for hp in (1, 2):
        whole.add(game.Coin(5, whole.add(game.Unit(hp))))
    known = [entry for entry in registry if entry.load_class() is not game.Coin]
    less = SaveLoadManager(Registry(FORMAT, tuple(known)))
    less.apply_snapshot(coding.decode(coding.encode(whole.create_snapshot()), less))
    return less


def test_what_the_game_does_not_know_is_left_to_the_save(
    game: ModuleType, registry: Registry, less: SaveLoadManager
) -> None:
    recorded = Recorded(less)
    less.objects[0].hp = 77
    assert recorded.record() and recorded.sizes == [{"Unit": 1}]
    less.add(game.Unit(9))
    assert recorded.record()
    again = coding.encode(recorded.loaded(), registry=less._world.registry)
    assert again == coding.encode(recorded.last)
    digests = [
        coding.decode_body(body, registry, Guard(Limits(), 10**9)).digest()
        for body in (
            recorded.played().body,
            coding.read(coding.encode(recorded.last)).body,
        )
    ]
    assert digests[0] == digests[1]


def test_what_the_game_does_not_know_is_written_again_when_something_is_gone(
    game: ModuleType, registry: Registry, less: SaveLoadManager
) -> None:
    slots = SaveSlots(MemoryStore())
    autosave = Autosave(slots, less)
    first, second = less.objects
    autosave.record()
    first.hp = 77
    assert autosave.record().generation == 1
    less.destroy(second)
    assert autosave.record().generation == 2
    manager = SaveLoadManager(registry)
    slots.load("auto", manager)
    owners = [coin.owner for coin in manager.find(game.Coin)]
    assert owners[0].hp == 77 and owners[1] is None


def test_a_save_with_two_tables_of_one_class_loses_no_row(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    """What an unknown prefab has made is preserved in a table of its own."""
    units = [manager.add(game.Unit(n)) for n in range(4)]
    recorded = Recorded(manager)
    units[2].hp = 77
    recorded.record()
    body = coding.read(recorded.base).body
    (table,) = body.tables
    halves = []
    rows = [*table.rows(Guard(Limits(), 10**6))]
    for some in (rows[:3], rows[3:]):
        half = RawTable(table.number, table.name, table.fields, table.types)
        half.add(some)
        halves.append(half)
    save = replace(coding.read(recorded.base), body=replace(body, tables=halves))
    found = apply_journal(save, recorded.journal, "the journal")
    registry = manager._world.registry
    loaded = coding.decode_body(found.body, registry, Guard(Limits(), 10**6))
    assert loaded.digest() == recorded.last.digest()


# -- records with right digests that do not fit


def test_a_record_that_does_not_fit_is_left_out_with_all_behind_it(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    unit = manager.add(game.Unit(0))
    recorded = Recorded(manager)
    payloads, digests = [], []
    for hp in (1, 2, 3):
        unit.hp = hp
        recorded.record()
        digests.append(recorded.last.digest())
        found = valid_records(recorded.journal, file.digest_of(recorded.base))
        payloads.append(bytes(found.payloads[-1]))
    for broken in wrong_payloads(payloads[1]):
        chain = RecordChain(file.digest_of(recorded.base))
        journal = b"".join(map(chain.record, [payloads[0], broken, payloads[2]]))
        result = recorded.played(journal)
        assert (result.records, result.fault) == (1, result.notes[0])
        assert result.fault.startswith("the journal: record 2 cannot be applied: ")
        assert recorded.loaded(journal).digest() == digests[0]


def wrong_payloads(good: bytes) -> Iterator[bytes]:
    (length,) = struct.unpack_from("<I", good)
    data = good[4 + length :]
    heads: list[Any] = [
        Removals(rows={1: [777]}),
        Removals(rows={12345: [1]}),
        Removals(placements=[5]),
        Removals(states=["clock"]),
        Removals(generators=[1]),
        Removals(tombstones=["unit 7"]),
        [1],
        {"rows": {}},
        [[]] * 7,
    ]
    for removed in heads:
        head = msgspec.msgpack.encode(removed)
        yield struct.pack("<I", len(head)) + head + data
    yield b""
    yield struct.pack("<I", 2**31) + good[4:]
    yield good[:-1]
    flipped = bytearray(good)
    flipped[-40] ^= 1
    yield bytes(flipped)


def test_a_record_may_not_bring_more_than_limits_allow(
    game: ModuleType, manager: SaveLoadManager
) -> None:
    manager.add(game.Unit(0))
    base = coding.read(coding.encode(manager.create_snapshot()))
    long = Snapshot(states={"text": (parse("str"), "a" * 5000)})
    parts, _ = coding.encoded(long, Metadata(), compress="zlib")
    record = RecordChain(file.digest_of(base.data)).record(
        payload_of(Removals(), parts)
    )
    limited = replace(base, guard=Guard(Limits(size=1000), 0))
    found = apply_journal(limited, record, "the journal")
    assert "record 1 cannot be applied: the size of the save is 5,0" in found.fault
    assert (
        found.records == 0 and apply_journal(base, record, "the journal").records == 1
    )


# -- through the slots


def name_of(store: Any) -> str:
    (name,) = {
        n.split(".journal")[0] + ".journal" for n in store.names() if ".journal" in n
    }
    return name


def hp_of(manager: SaveLoadManager, game: ModuleType) -> list[int]:
    return [unit.hp for unit in manager.find(game.Unit)]


def recorded_slots(
    game: ModuleType, registry: Registry, store: Any, steps: int = 4
) -> SaveSlots:
    manager = SaveLoadManager(registry)
    for _ in range(50):
        manager.add(game.Unit(0))
    autosave = Autosave(SaveSlots(store), manager)
    for hp in range(steps):
        next(iter(manager.find(game.Unit))).hp = hp
        autosave.record(
            title=f"step {hp}", playtime=float(hp), level="town" if hp else "sea"
        )
    return SaveSlots(store)


@pytest.fixture
def recorded(game: ModuleType, registry: Registry) -> MemoryStore:
    """Return a store with a save, "step 0", and three records in its journal."""
    store = MemoryStore()
    recorded_slots(game, registry, store)
    return store


def unreadable(store: Any, error: type[SaveError] = SaveCorruptError) -> Any:
    """Let a store read no journal any more; return the method that it had."""

    def appended(name: str, start: int = 0) -> bytes:
        raise error("a bad sector")

    whole, store.appended = store.appended, appended
    return whole


def with_journal(store: MemoryStore, journal: bytes) -> SaveSlots:
    """Return slots with the same save and another journal."""
    other = MemoryStore()
    other.write("auto/1.sav", [store.read("auto/1.sav")])
    other.append("auto/1.journal", journal)
    return SaveSlots(other)


def test_what_was_recorded_last_is_loaded_with_what_was_said_of_it(
    game: ModuleType, manager: SaveLoadManager, recorded: MemoryStore
) -> None:
    levels: list[str] = []
    loaded = SaveSlots(recorded).load("auto", manager, levels=levels.append)
    assert hp_of(manager, game)[:2] == [3, 0]
    assert (loaded.info.title, loaded.info.generation) == ("step 3", 1)
    assert levels == ["town"], "the level of the last record, not that of the first"
    assert loaded.notes == () and loaded.is_newest


@pytest.mark.parametrize("make", [MemoryStore, None])
def test_a_list_tells_what_was_said_with_the_last_record(
    game: ModuleType, registry: Registry, make: Any, tmp_path: Any
) -> None:
    store = make() if make else FolderStore(tmp_path / "saves")
    slots = recorded_slots(game, registry, store)
    for verify in (False, True):
        (info,) = slots.list(verify=verify)
        assert (info.title, info.playtime, info.level) == ("step 3", 3.0, "town")
        assert (info.generation, info.metadata.generation) == (1, 1)
    store.append(name_of(store), b"half a rec")
    assert [info.title for info in slots.list()] == ["step 3"]
    slots.delete("auto")
    assert [info.title for info in slots.trash()] == ["step 3"]
    assert slots.restore("auto").title == "step 3"


@pytest.mark.parametrize("error", [SaveError, SaveCorruptError])
def test_a_list_does_without_a_journal_that_cannot_be_read(
    recorded: MemoryStore, error: type[SaveError]
) -> None:
    unreadable(recorded, error)
    (info,) = SaveSlots(recorded).list()
    assert info.title == "step 0" and not info.fault
    assert info.notes == ("auto/1.journal: a bad sector",)


@pytest.mark.parametrize("make", [MemoryStore, None])
def test_a_record_is_smaller_than_a_save(
    game: ModuleType, registry: Registry, make: Any, tmp_path: Any
) -> None:
    store = make() if make else FolderStore(tmp_path / "saves")
    slots = recorded_slots(game, registry, store, 2)
    assert {*slots.store.names()} >= {"auto/1.sav"}
    size = len(slots.store.read("auto/1.sav"))
    assert 0 < len(slots.store.appended("auto/1.journal")) < size / 2


def test_the_last_record_torn_anywhere_gives_the_one_before(
    manager: SaveLoadManager, recorded: MemoryStore
) -> None:
    data = recorded.read("auto/1.sav")
    base = file.digest_of(data)
    records = recorded.appended("auto/1.journal")
    last = len(chained([*map(bytes, valid_records(records, base).payloads[:2])], base))
    for size in range(last, len(records), 7):
        found = played(data, records[:size])
        assert found.metadata.title == "step 2" and not found.fault
        assert (found.notes == ()) == (size == last)
    assert SaveSlots(recorded).load("auto", manager).info.title == "step 3"


def test_a_torn_end_is_no_damage_and_damage_is_a_fault(recorded: MemoryStore) -> None:
    records = recorded.appended("auto/1.journal")
    for journal, is_fault in (
        (records, False),
        (records[:-5], False),
        (records[:40] + b"?" + records[41:], True),
    ):
        slots = with_journal(recorded, journal)
        (info,) = slots.list(verify=True)
        assert bool(info.fault) is is_fault
        assert bool(info.notes) is (journal != records)
        assert not slots.list()[0].fault


def test_a_journal_that_cannot_be_read_is_a_fault_for_who_verifies(
    manager: SaveLoadManager, recorded: MemoryStore
) -> None:
    slots = SaveSlots(recorded)
    unreadable(recorded)
    (info,) = slots.list(verify=True)
    assert info.fault == "auto/1.journal: a bad sector"
    report = slots.load("auto", manager)
    assert report.notes == ("auto/1.journal: a bad sector",)
    assert report.info.title == "step 0"


def test_a_journal_that_contradicts_itself_costs_its_records_alone(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    store = MemoryStore()
    recorded_slots(game, registry, store, 1)
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(0))
    before = world.create_snapshot()
    unit.hp = 1
    now = world._track(before)
    found = changes(before, replace(now, next_reached=5))
    found.changed.tables[int(unit.save_type)].keys[0] = 12345  # in no slot
    parts, _ = coding.encoded(found.changed, Metadata(title="odd"))
    base = file.digest_of(store.read("auto/1.sav"))
    record = RecordChain(base).record(payload_of(found.removed, parts))
    store.append("auto/1.journal", record)
    report = SaveSlots(store).load("auto", manager)
    assert report.info.title == "step 0" and report.is_newest
    assert "the journal cannot be loaded" in report.notes[0]


def test_damage_in_the_middle_is_told_and_the_file_left_alone(
    manager: SaveLoadManager, recorded: MemoryStore
) -> None:
    data = recorded.appended("auto/1.journal")
    broken = data[:40] + b"?" + data[41:]
    slots = with_journal(recorded, broken)
    loaded = slots.load("auto", manager)
    assert loaded.info.title == "step 0"
    assert "damaged at byte 0, after record 0" in loaded.notes[0]
    assert slots.store.appended("auto/1.journal") == broken


def test_a_journal_of_an_older_save_is_not_played(
    game: ModuleType,
    registry: Registry,
    manager: SaveLoadManager,
    recorded: MemoryStore,
) -> None:
    other = MemoryStore()
    slots = recorded_slots(game, registry, other, 1)
    other.append("auto/1.journal", recorded.appended("auto/1.journal"))
    loaded = slots.load("auto", manager)
    same = recorded.read("auto/1.sav") == other.read("auto/1.sav")
    assert same or (loaded.info.title == "step 0" and loaded.notes)


def test_a_journal_that_outgrows_its_save_becomes_one(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    world = SaveLoadManager(registry)
    units = [world.add(game.Unit(n)) for n in range(20)]
    slots = SaveSlots(MemoryStore())
    autosave = Autosave(slots, world)
    generations = []
    for turn in range(30):
        for unit in units:
            unit.hp += 1
        generations.append(autosave.record(title=f"turn {turn}").generation)
        size = len(slots.store.appended(f"auto/{generations[-1]}.journal"))
        assert size <= len(slots.store.read(f"auto/{generations[-1]}.sav"))
    assert generations == sorted(generations) and 2 < generations[-1] < 30
    assert len({*generations}) < len(generations)
    loaded = slots.load("auto", manager)
    assert (hp_of(manager, game), loaded.info.title) == (hp_of(world, game), "turn 29")
    numbers = {int(name.split("/")[1].split(".")[0]) for name in slots.store.names()}
    assert len(numbers) <= 4, "journals go with their saves"


def test_a_save_in_between_is_not_hidden_behind_a_journal(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(1))
    slots = SaveSlots(MemoryStore())
    autosave = Autosave(slots, world)
    autosave.record()
    unit.hp = 2
    slots.save("auto", world, title="by hand")
    unit.hp = 3
    assert autosave.record(title="recorded").generation == 3
    assert slots.load("auto", manager).info.title == "recorded"
    assert hp_of(manager, game) == [3]


def journal_files(store: Any) -> list[str]:
    return [name for name in store.names() if ".journal" in name]


def put(store: Any, name: str, data: bytes) -> None:
    store.remove(name)
    store.write(name, [data])


def deleted(store: Any) -> None:
    for name in journal_files(store):
        store.remove(name)


def emptied(store: Any) -> None:
    for name in journal_files(store):
        put(store, name, b"")


def cut(store: Any) -> None:
    name = journal_files(store)[-1]
    put(store, name, store.read(name)[:-7])


def cut_first(store: Any) -> None:
    name = journal_files(store)[0]
    put(store, name, store.read(name)[:7])


def replaced(store: Any) -> None:
    for name in journal_files(store):
        put(store, name, bytes(len(store.read(name))))


def lengthened(store: Any) -> None:
    store.append("auto/1.journal", b"something of somebody else")


def flip(store: Any, name: str) -> None:
    """Change a byte in the middle, and nothing that a folder tells of the file."""
    data = bytearray(store.read(name))
    data[len(data) // 2] ^= 1
    if isinstance(store, FolderStore):
        path = os.path.join(store.path, name)
        times = os.stat(path)
        with open(path, "r+b") as file:
            file.write(data)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    else:
        put(store, name, bytes(data))


def flipped(store: Any) -> None:
    flip(store, journal_files(store)[0])


def save_flipped(store: Any) -> None:
    flip(store, "auto/1.sav")


def save_cut(store: Any) -> None:
    put(store, "auto/1.sav", store.read("auto/1.sav")[:-7])


def save_replaced(store: Any) -> None:
    """By another whole one, as a synchronisation program does."""
    put(store, "auto/1.sav", coding.encode(Snapshot()))


def save_deleted(store: Any) -> None:
    store.remove("auto/1.sav")


HARMS = [
    *(deleted, emptied, cut, cut_first, replaced, lengthened, flipped),
    *(save_flipped, save_cut, save_replaced, save_deleted),
]


@pytest.mark.parametrize("make", [MemoryStore, None])
@pytest.mark.parametrize("harm", HARMS)
def test_a_journal_that_is_not_as_it_was_written_is_not_appended_to(
    game: ModuleType,
    registry: Registry,
    manager: SaveLoadManager,
    make: Any,
    harm: Any,
    tmp_path: Any,
) -> None:
    store = make() if make else FolderStore(tmp_path / "saves")
    world = SaveLoadManager(registry)
    units = [world.add(game.Unit(n)) for n in range(2000)]
    autosave = Autosave(SaveSlots(store, keep=1), world)
    for hp in range(4):
        units[0].hp = hp
        assert autosave.record().generation == 1
    harm(store)
    harmed = {name: store.read(name) for name in store.names()}
    for hp in range(4, 8):
        units[0].hp = hp
        saved = autosave.record(title=f"step {hp}")
        assert saved.generation == 2
        note = "".join(saved.info.notes)
        if hp > 4:
            assert not note
        else:
            kind = "sav" if harm.__name__.startswith("save") else "journal"
            assert note.startswith(f"auto/1.{kind}") and "complete save" in note
        report = SaveSlots(store).load("auto", manager)
        assert (report.info.title, report.notes) == (f"step {hp}", ())
        assert hp_of(manager, game)[0] == hp
        kept = {name: store.read(name) for name in store.names() if "/1." in name}
        assert kept == harmed, "kept beside the new save"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "no slot"])
def test_what_took_the_place_of_a_journal_is_not_appended_to(
    game: ModuleType,
    registry: Registry,
    manager: SaveLoadManager,
    kind: str,
    tmp_path: Path,
) -> None:
    store, world = FolderStore(tmp_path / "saves"), SaveLoadManager(registry)
    units = [world.add(game.Unit(n)) for n in range(2000)]
    autosave = Autosave(SaveSlots(store), world)
    for units[0].hp in (1, 2):
        autosave.record()
    slot = tmp_path / "saves/auto"
    journal, other = slot / "1.journal", tmp_path / "other"
    journal.rename(other)
    if kind == "folder":
        journal.mkdir()
    elif kind == "link":
        journal.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(journal)
    else:
        shutil.rmtree(slot)
    before = other.read_bytes()
    for units[0].hp in (3, 4):
        assert autosave.record().generation == 2
    SaveSlots(store).load("auto", manager)
    assert hp_of(manager, game)[0] == 4 and other.read_bytes() == before


def test_files_that_were_written_again_unchanged_are_appended_to(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    """And a save whose file did not change is not read again."""
    system, world = use(VirtualDisk()), SaveLoadManager(registry)
    units = [world.add(game.Unit(n)) for n in range(500)]
    store = FolderStore(ROOT)
    autosave = Autosave(SaveSlots(store), world)
    reads = []
    for units[0].hp in range(5):
        if units[0].hp == 3:
            for name in store.names():
                put(store, name, store.read(name))
        before = len(system.log)
        assert autosave.record().generation == 1
        reads.append(system.log[before:].count("open read"))
    whole, again = 3, 2  # the header's end, the journal, and perhaps the whole save
    assert reads[1:] == [whole, again, whole, again]


def emptied_slot(store: Any) -> None:
    for name in store.names():
        store.remove(name)


@pytest.mark.parametrize("harm", [deleted, cut, replaced, emptied_slot])
@pytest.mark.parametrize("records", [1, 4])
def test_a_record_of_no_change_looks_whether_the_last_one_is_still_there(
    game: ModuleType,
    registry: Registry,
    manager: SaveLoadManager,
    harm: Any,
    records: int,
) -> None:
    store, world = MemoryStore(), SaveLoadManager(registry)
    units = [world.add(game.Unit(n)) for n in range(2000)]
    autosave = Autosave(SaveSlots(store), world)
    for units[0].hp in range(records):
        autosave.record()
    before = [*store.names()]
    assert autosave.record().generation == 1 and [*store.names()] == before
    if records == 1 and harm is not emptied_slot:
        return  # there is no journal
    harm(store)
    autosave.record()
    SaveSlots(store).load("auto", manager)
    assert hp_of(manager, game)[0] == records - 1


def test_a_journal_that_cannot_be_read_is_not_appended_to(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    store = MemoryStore()
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(0))
    for _ in range(50):
        world.add(game.Unit(0))
    autosave = Autosave(SaveSlots(store), world)
    autosave.record()
    unit.hp = 1
    autosave.record()
    whole = unreadable(store)
    unit.hp = 2
    assert autosave.record().generation == 2
    store.appended = whole  # type: ignore[method-assign]
    SaveSlots(store).load("auto", manager)
    assert hp_of(manager, game)[0] == 2


def test_a_load_in_between_is_recorded_as_it_is(
    game: ModuleType, registry: Registry, manager: SaveLoadManager
) -> None:
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(1))
    slots = SaveSlots(MemoryStore())
    slots.save("slot-1", world)
    autosave = Autosave(slots, world)
    unit.hp = 2
    autosave.record()
    slots.load("slot-1", world)
    world.add(game.Unit(9))
    autosave.record()
    slots.load("auto", manager)
    assert hp_of(manager, game) == [1, 9]
    assert manager.create_snapshot().digest() == world.create_snapshot().digest()


def test_an_export_has_what_was_recorded(
    game: ModuleType, manager: SaveLoadManager, recorded: MemoryStore, tmp_path: Any
) -> None:
    slots = SaveSlots(recorded)
    slots.export("auto", tmp_path / "save.sav")
    slots.import_(tmp_path / "save.sav", "slot-1")
    slots.copy("auto", "slot-2")
    for slot in ("slot-1", "slot-2"):
        assert slots.load(slot, manager).info.title == "step 3"
        assert hp_of(manager, game)[0] == 3


# -- power cuts and full disks


def play_on(game: ModuleType, registry: Registry, reached: list[int]) -> None:
    """Record four times, the third time with a new object; note what is safe."""
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(0))
    for _ in range(9):
        world.add(game.Unit(0))
    autosave = Autosave(SaveSlots(FolderStore(ROOT)), world)
    for step in range(1, 5):
        unit.hp = step
        if step == 3:
            world.add(game.Unit(77))
        autosave.record()
        reached[0] = step


def state_of(game: ModuleType, registry: Registry) -> int:
    manager = SaveLoadManager(registry)
    try:
        SaveSlots(FolderStore(ROOT)).load("auto", manager)
    except SaveError:
        return 0
    found = hp_of(manager, game)
    assert (77 in found) == (found[0] >= 3), "never half a record"
    return found[0]


def cuts(
    game: ModuleType, registry: Registry, use: Patch, kind: type[VirtualDisk]
) -> Iterator[tuple[int, int]]:
    """Yield what was recorded, and what was found, for each power cut and what it may leave."""
    reached = [0]

    def start() -> tuple[VirtualDisk, Callable[[], object]]:
        reached[0] = 0
        return use(kind()), lambda: play_on(game, registry, reached)

    for outcome, _ in virtual.cuts(start):
        use(outcome)
        yield reached[0], state_of(game, registry)


def test_a_power_cut_at_any_operation_loses_no_record(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    for recorded, found in cuts(game, registry, use, VirtualDisk):
        assert found in (recorded, recorded + 1)


def test_without_a_sync_records_would_be_lost(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    found = cuts(game, registry, use, Unsynced)
    assert any(there < recorded for recorded, there in found)


@pytest.mark.parametrize("sticky", [False, True])
def test_an_error_at_any_operation_is_told_and_loses_nothing(
    game: ModuleType, registry: Registry, use: Patch, sticky: bool
) -> None:
    whole = use(VirtualDisk())
    play_on(game, registry, [0])
    told = 0
    for number in range(1, len(whole.log) + 1):
        full, reached = use(VirtualDisk()), [0]
        full.before = failing_at(number, 28, sticky)
        is_stored = False
        try:
            play_on(game, registry, reached)
        except SaveError as error:
            told += isinstance(error, SaveWriteError)
            is_stored = isinstance(error, SaveWriteError) and error.committed
        full.before = lambda number, what: None
        assert state_of(game, registry) == reached[0] + is_stored
        assert not full.opened, "a descriptor is left"
    assert told


def test_recording_goes_on_after_an_error(
    game: ModuleType, registry: Registry, use: Patch, manager: SaveLoadManager
) -> None:
    system = use(VirtualDisk())
    world = SaveLoadManager(registry)
    unit = world.add(game.Unit(0))
    autosave = Autosave(SaveSlots(FolderStore(ROOT)), world)
    autosave.record()
    unit.hp = 1
    system.before = failing_at(len(system.log) + 1, 28, True)
    with pytest.raises(SaveError):
        autosave.record()
    system.before = lambda number, what: None
    unit.hp = 2
    autosave.record()
    SaveSlots(FolderStore(ROOT)).load("auto", manager)
    assert hp_of(manager, game) == [2]
