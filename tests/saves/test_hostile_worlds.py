"""Files that say what no world can be: every one is refused by name, or is a sound world."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import msgpack

from tests.saves.test_file import parts_of, resealed, section
from savegen.runtime import (
    GameObject,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLoadManager,
)
from savegen.runtime.world.objects import GameObjectData
from savegen.runtime.generated.registry import Registry
from savegen.saves import Metadata, decode, encode
from savegen.saves.body import PLACEMENTS, ROWS, TABLE, WORLD
from tests.runtime.worlds import Storm, assert_consistent
from tests.soaking import examples

NewManager = Callable[..., SaveLoadManager]


def document_of(manager: SaveLoadManager) -> list[Any]:
    """Return the parts of a save, to be changed."""
    data = encode(manager.create_snapshot())
    return [*map(msgpack.decode, parts_of(data))]


def file_of(document: list[Any]) -> bytes:
    """Return a file with these parts, and right digests."""
    return resealed(section(*map(msgpack.encode, document)), Metadata())


def load(manager: SaveLoadManager, document: list[Any]) -> Any:
    return manager.apply_snapshot(decode(file_of(document), manager))


def spoilt(value: Any, dice: random.Random) -> Any:
    """Return another value of the same type."""
    if type(value) is int:
        return dice.choice([0, 1, 2, 5, -1, value + 1, value - 1, 10**6])
    if type(value) is str:
        return dice.choice(["", "x", value + value])
    if type(value) is list and value:
        made = [*value]
        if dice.random() < 0.8:
            place = dice.randrange(len(made))
            made[place] = spoilt(made[place], dice)
            return made
        return dice.choice([made[1:], made + made, made[::-1]])
    if type(value) is dict and value:
        key = dice.choice([*value])
        return {**value, key: spoilt(value[key], dice)}
    return value


def spoil(document: list[Any], dice: random.Random) -> None:
    place = dice.choice([n for n, each in enumerate(document) if each[0] != TABLE])
    part = document[place]
    element = dice.randrange(1, len(part))
    part[element] = spoilt(part[element], dice)
    if part[0] == ROWS and dice.random() < 0.1 and part[2]:  # a row twice
        row = dice.randrange(len(part[2]))
        part[1].insert(row + 1, dice.choice([0, 1]))
        part[2].insert(row, part[2][row])


@settings(deadline=None, max_examples=examples(150))
@given(seed=st.integers(0, 10**6), times=st.integers(1, 3))
def test_a_file_that_was_tampered_with_is_refused_or_makes_a_sound_world(
    game: ModuleType, registry: Registry, seed: int, times: int
) -> None:
    dice = random.Random(seed)
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, dice)
    storm.blow(15)
    document = document_of(manager)
    for _ in range(times):
        spoil(document, dice)
    target = SaveLoadManager(registry)
    target.add(game.Unit(3))
    before = target.create_snapshot().digest()
    try:
        report = load(target, document)
    except SaveError:
        assert target.create_snapshot().digest() == before
        return
    assert_consistent(target)
    snapshot = target.create_snapshot()
    data = encode(snapshot)
    again = SaveLoadManager(registry)
    again.apply_snapshot(decode(data, again))
    assert_consistent(again)
    assert again.create_snapshot().digest() == snapshot.digest()
    try:
        target.create_snapshot(strict=True)
    except SaveError as error:
        named = [found.where for found in (*report.mismatches, *report.lost)]
        assert any(where in str(error) for where in named), f"strict: {error}"
    storm.manager = target
    storm.blow(5)
    encode(target.create_snapshot())


def test_some_tampered_files_load(game: ModuleType, registry: Registry) -> None:
    """The control arm: the test above does not only see refused files."""
    manager, found = SaveLoadManager(registry), {"loaded": 0, "refused": 0}
    Storm(game, manager, random.Random(1)).blow(15)
    for seed in range(60):
        document = document_of(manager)
        spoil(document, random.Random(seed))
        try:
            load(SaveLoadManager(registry), document)
            found["loaded"] += 1
        except SaveError:
            found["refused"] += 1
    assert min(found.values()) > 5


def family(game: ModuleType, manager: SaveLoadManager) -> list[Any]:
    """Return a world of three objects with a unit each, and a fourth unit; slot 7 is free.

    The objects have the keys 1, 3 and 5, their units 2, 4 and 6.
    """
    top = manager.add(GameObject(game.Unit(1)))
    for number in range(2):
        manager.add(GameObject(game.Unit(number), parent=top))
    gone = manager.add(game.Unit(10))
    manager.add(game.Unit(9))
    manager.destroy(gone)
    return document_of(manager)


def game_objects(document: list[Any]) -> list[Any]:
    place = next(
        n for n, each in enumerate(document) if each[0] == TABLE and each[1] == -1
    )
    rows: list[Any] = document[place + 1][2]
    return rows


CELLS = GameObjectData.__struct_fields__
LIES: list[tuple[str, int, Any]] = [
    ("parent", 0, 3),
    ("parent", 1, 3),
    ("parent", 0, 2),
    ("parent", 1, 0),
    ("parent", 1, 8),
    ("children", 0, [3, 3]),
    ("children", 0, [3]),
    ("children", 0, [3, 5, 1]),
    ("children", 0, [3, 2]),
    ("children", 1, [5]),
    ("components", 1, [(0, 6)]),
    ("components", 1, [(0, 1)]),
    ("components", 1, [(0, 8)]),
    ("components", 1, [(0, 99)]),
    ("components", 1, [(0, 0)]),
    ("components", 1, [(0, 4), (1, 4)]),
    ("components", 1, [(5, 4)]),
    ("components", 1, [(-1, 4)]),
    ("components", 1, []),
    ("parts", 1, [("gun", 7)]),
    ("parts", 1, [("gun", 0), ("gun", 0)]),
    ("retired", 1, [0]),
    ("next_number", 1, 0),
    ("next_number", 1, -5),
]


@pytest.mark.parametrize(("cell", "row", "value"), LIES)
def test_what_no_world_can_be_is_refused_or_mended(
    game: ModuleType, new_manager: NewManager, cell: str, row: int, value: Any
) -> None:
    document = family(game, new_manager())
    game_objects(document)[row][CELLS.index(cell)] = value
    target = new_manager()
    try:
        load(target, document)
    except SaveError:
        assert len(target) == 0
        return
    assert_consistent(target)
    for thing in target.objects:
        if isinstance(thing, GameObject):
            thing.add_component(game.Unit(5))
    data = encode(target.create_snapshot(strict=True))
    again = new_manager()
    again.apply_snapshot(decode(data, again))
    assert_consistent(again)


def test_the_same_world_without_a_lie_is_loaded(
    game: ModuleType, new_manager: NewManager
) -> None:
    target = new_manager()
    load(target, family(game, new_manager()))
    assert len(target) == 4


def test_two_objects_at_one_place_are_refused(
    game: ModuleType, new_manager: NewManager
) -> None:
    document = family(game, new_manager())
    placed = [PLACEMENTS, [1, 2], [[None, "a", None], [None, "a", None]]]
    document.insert(1, placed)
    target = new_manager()
    with pytest.raises(SaveCorruptError, match="the same placement id"):
        load(target, document)


def test_a_component_is_not_placed(game: ModuleType, new_manager: NewManager) -> None:
    document = family(game, new_manager())
    document.insert(1, [PLACEMENTS, [2], [[None, "a", None]]])
    target = new_manager()
    with pytest.raises(SaveCorruptError, match="a placement refers to"):
        load(target, document)


def test_a_class_is_never_made_of_a_name(
    game: ModuleType, new_manager: NewManager
) -> None:
    document = family(game, new_manager())
    for part in document:
        if part[0] == TABLE:
            part[2] = "os.system"
    target = new_manager()
    load(target, document)
    assert {type(each).__name__ for each in target.objects} == {"GameObject", "Unit"}


def test_a_next_reached_key_that_is_taken_is_refused(
    game: ModuleType, new_manager: NewManager
) -> None:
    source = new_manager()
    source.add(game.Unit(1)).foe = game.Unit(2)
    document = document_of(source)
    assert document[0][0] == WORLD and document[0][4] == 2
    document[0][4] = 1
    with pytest.raises(SaveCorruptError, match="reached object #1"):
        load(new_manager(), document)


def test_a_load_that_is_refused_by_the_game_is_told_so(
    game: ModuleType, new_manager: NewManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = new_manager()
    source.add(game.Picky(13))
    document = document_of(source)
    target = new_manager()
    # Not `__new__`: who takes it back leaves a class that no argument can be given to.
    monkeypatch.setattr(game.Counted, "__set__", _refuse)
    with pytest.raises(SaveApplyError, match="Picky"):
        load(target, document)
    assert len(target) == 0


def _refuse(*_: object) -> None:
    raise ValueError("not this one")
