"""What is marked `rewind=False` stays as it is when the world is rewound."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import GameObject, History, SaveError, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from savegen.saves import decode, encode
from tests.runtime.worlds import assert_consistent
from tests.soaking import examples


@pytest.fixture
def reader(game: Any, manager: SaveLoadManager) -> Any:
    return manager.add(game.Reader())


@pytest.fixture
def history(manager: SaveLoadManager, reader: Any) -> History:
    return History(manager)


def test_a_rewind_leaves_it_as_it_is(
    game: Any, manager: SaveLoadManager, history: History, reader: Any
) -> None:
    diary = manager.add(game.Diary())
    diary.log.clear()
    history.record()
    diary.pages.append("found a door")
    rolled, reader.page = diary.dice.random(), 1
    history.record()
    pages = diary.pages
    history.rewind()
    assert reader.page == 0
    assert diary in manager.objects and diary.pages is pages and diary.log == []
    assert pages == ["found a door"] and diary.dice.random() != rolled


def test_it_is_neither_created_nor_destroyed_by_a_rewind(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    old = manager.add(game.Diary())
    history.record()
    manager.destroy(old)
    new = manager.add(game.Diary())
    history.record()
    history.rewind()
    assert [*manager.find(game.Diary)] == [new]
    history.forward()
    assert [*manager.find(game.Diary)] == [new]
    assert_consistent(manager)


def test_a_reference_to_it_stays_right(
    game: Any, manager: SaveLoadManager, history: History, reader: Any
) -> None:
    first, units = manager.add(game.Diary()), [manager.add(game.Unit(n)) for n in "ab"]
    reader.diary = first
    history.record()
    manager.destroy(units[0])  # its slot is free now
    second = manager.add(game.Diary())
    reader.diary, reader.page = second, 1
    history.record()
    manager.destroy(first)
    reader.diary, reader.page = None, 2
    history.record()
    history.rewind(1)
    assert reader.page == 1 and reader.diary is second
    history.rewind(1)
    assert reader.page == 0 and reader.diary is None, "it was destroyed"
    assert len([*manager.find(game.Unit)]) == 2
    history.forward(1)
    assert reader.page == 1 and reader.diary is second
    assert_consistent(manager)


@pytest.mark.parametrize("has_same_keys", [True, False])
def test_a_destroyed_one_is_missing_from_containers(
    game: Any,
    manager: SaveLoadManager,
    history: History,
    reader: Any,
    has_same_keys: bool,
) -> None:
    kept, gone = manager.add(game.Diary()), manager.add(game.Diary())
    reader.shelf, reader.pages = {kept, gone}, {kept: 1, gone: 2}
    history.record()
    manager.destroy(gone)
    reader.shelf, reader.pages, reader.page = set(), {}, 1
    if not has_same_keys:
        manager.add(game.Unit(1))  # so that the keys of the step are other ones
    history.record()
    history.rewind()
    assert reader.shelf == {kept} and reader.pages == {kept: 1} and reader.page == 0


def test_its_reference_leads_to_the_object_that_has_the_key_or_to_none(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    diary, old = manager.add(game.Diary()), manager.add(game.Unit(1))
    history.record()
    new = manager.add(game.Unit(2))
    diary.hero, diary.seen = old, [new, old]
    history.record()
    manager.destroy(old)
    history.record()
    history.rewind(1)
    [born, kept] = sorted(manager.find(game.Unit), key=lambda unit: unit.hp)
    assert diary.hero is born and born is not old and kept is new
    assert [*map(id, diary.seen)] == [id(new), id(born)]
    history.rewind(1)
    assert diary.hero is born and [*map(id, diary.seen)] == [id(born)]
    diary.hero = manager.add(game.Unit(3))
    diary.log.clear()
    history.rewind(0)
    assert diary.hero is None and diary.log == ["reloaded"]


def test_it_may_only_be_reached(
    game: Any, manager: SaveLoadManager, history: History, reader: Any
) -> None:
    reader.diary = diary = game.Diary()
    history.record()
    reader.diary, diary.pages = None, ["torn"]
    history.record()
    history.rewind()
    assert reader.diary is diary and diary.pages == ["torn"]
    history.record()
    assert [*manager.find(game.Diary)] == [diary]


def test_a_slot_that_a_later_step_needs_is_not_taken(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    history.record()
    manager.add(game.Unit(1))
    history.record()
    history.rewind()
    diary = manager.add(game.Diary())
    history.forward()
    assert [unit.hp for unit in manager.find(game.Unit)] == [1]
    assert [*manager.find(game.Diary)] == [diary]
    assert_consistent(manager)


def test_a_slot_that_an_earlier_step_needs_is_given_back(
    game: Any, manager: SaveLoadManager, history: History, reader: Any
) -> None:
    diary = manager.add(game.Diary())
    before = manager.create_snapshot()
    manager.destroy(diary)
    for n in range(3):
        manager.add(game.Unit(n))
    history.record()
    manager.apply_snapshot(before)  # its slot is one of the units' in the step
    [diary] = manager.find(game.Diary)
    reader.diary = diary
    history.rewind(0)
    assert sorted(unit.hp for unit in manager.find(game.Unit)) == [0, 1, 2]
    assert [*manager.find(game.Diary)] == [diary]
    assert_consistent(manager)


def test_quickloads_and_files_treat_it_as_any_other(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    diary = manager.add(game.Diary())
    diary.pages.append("one")
    before = manager.create_snapshot()
    diary.pages.append("two")
    manager.apply_snapshot(before)
    assert diary.pages == ["one"]
    manager.destroy(diary)
    manager.apply_snapshot(decode(encode(before), manager))
    assert [diary.pages for diary in manager.find(game.Diary)] == [["one"]]


def test_a_destroyed_one_of_a_level_stays_destroyed(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    diary = manager.add(game.Diary(), placement="desk", level="study")
    unit = manager.add(game.Unit(1), placement="chair", level="study")
    history.record()
    manager.destroy(diary)
    manager.destroy(unit)
    history.record()
    history.rewind()
    assert manager.create_snapshot().placed() == {"desk": False, "chair": True}


def test_it_cannot_be_a_component(game: Any, manager: SaveLoadManager) -> None:
    thing = GameObject(game.Diary())
    with pytest.raises(SaveError, match="`Diary` is marked `rewind=False`"):
        manager.add(thing)
    thing = manager.add(GameObject())
    with pytest.raises(SaveError, match="cannot be a component"):
        thing.add_component(game.Diary())


def test_a_rewind_that_fails_links_nothing_anew(
    game: Any, manager: SaveLoadManager, history: History
) -> None:
    diary, actor = manager.add(game.Diary()), manager.add(game.Actor())
    history.record()
    diary.hero = unit = manager.add(game.Unit(1))
    diary.seen = seen = [unit]
    actor.hp = 1
    history.record()
    actor.fails = "reloaded"
    with pytest.raises(SaveError):
        history.rewind()
    assert diary.hero is unit and diary.seen is seen and seen == [unit]
    actor.fails = ""
    history.rewind()
    assert diary.hero is None and diary.seen == []


STEP = st.tuples(
    st.sampled_from("unit diary die burn read hero rewind forward load".split()),
    st.integers(0, 20),
)


@settings(deadline=None, max_examples=examples(100))
@given(steps=st.lists(STEP, max_size=30))
def test_whatever_happens_a_rewound_world_is_the_recorded_one(
    game: Any, registry: Registry, steps: list[tuple[str, int]]
) -> None:
    manager = SaveLoadManager(registry)
    history, seen, place = History(manager), list[Any](), 0
    reader = manager.add(game.Reader())

    def all_of(cls: Any) -> list[Any]:
        return [*manager.find(cls)]

    def one(cls: Any, n: int) -> list[Any]:
        return all_of(cls)[n % 4 :][:1]

    def alive(diary: Any) -> Any:
        return next((each for each in all_of(game.Diary) if each is diary), None)

    def state() -> Any:
        return [unit.hp for unit in all_of(game.Unit)], alive(reader.diary)

    def record() -> None:
        history.record()
        del seen[place:]
        seen.append(state())

    record()
    for number, (step, n) in enumerate(steps, 1):
        if step in ("rewind", "forward"):
            back = step == "rewind"
            count = n % (1 + (len(history) if back else history.steps_ahead))
            diaries = all_of(game.Diary)
            (history.rewind if back else history.forward)(count)
            place += -count if back else count
            assert {*map(id, all_of(game.Diary))} == {*map(id, diaries)}
            units, read = seen[place]
            assert state() == (units, alive(read))
            assert reader.diary is alive(read)
            living = {*map(id, all_of(game.Unit)), id(None)}
            assert all(id(diary.hero) in living for diary in all_of(game.Diary))
        elif step == "load":
            manager.apply_snapshot(manager.create_snapshot())
        else:
            if step == "unit":
                manager.add(game.Unit(number))
            elif step == "diary":
                manager.add(game.Diary())
            for unit in one(game.Unit, n) if step == "die" else ():
                manager.destroy(unit)
            for diary in one(game.Diary, n):
                if step == "burn":
                    manager.destroy(diary)
                elif step == "read":
                    reader.diary = diary
                elif step == "hero":
                    diary.hero = next(iter(one(game.Unit, number)), None)
            place += 1
            record()
        assert_consistent(manager)
