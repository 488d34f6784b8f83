"""Documents that say what no world can be: every one is refused by name, or is a sound world."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen.runtime import (
    GameObject,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLoadManager,
)
from savegen.runtime.registry import Registry
from savegen.runtime.saves import encode
from savegen.runtime.saves.container import container
from savegen.runtime.saves import loading
from savegen.runtime.saves.document import (
    EMPTIES,
    FREE,
    GAME_OBJECTS,
    RECORDS,
    Document,
    Table,
)
from tests.runtime.worlds import Storm, assert_consistent
from tests.soaking import examples

NewManager = Callable[..., SaveLoadManager]


def document_of(manager: SaveLoadManager) -> Document:
    return container.read(encode(manager.create_snapshot()))[1]


def thawed(document: Document) -> Document:
    """Return the same, to be changed."""
    tables = [
        Table(t.number, t.name, [*t.columns], t.count, [t.all_values()] * bool(t.count))
        for t in document.tables
    ]
    return Document(tables, document.save_version, dict(document.shapes))


def spoilt(value: Any, dice: random.Random) -> Any:
    """Return another value of the same form."""
    if type(value) is int:
        return dice.choice([0, 1, 2, 5, value + 1, max(0, value - 1), 10**6])
    if type(value) is str:
        return dice.choice(["", "x", value + value])
    if type(value) is bytes:
        return dice.choice([b"", b"\xc0", value[:-1], value + value])
    if type(value) in (list, tuple):
        made = [*value]
        if made and dice.random() < 0.7:
            place = dice.randrange(len(made))
            made[place] = spoilt(made[place], dice)
        elif type(value) is list:
            made = dice.choice([made[1:], made + made, made[::-1]])
        return type(value)(made)
    return value


def spoil(document: Document, dice: random.Random) -> None:
    tables = [table for table in document.tables if table.count and table.columns]
    table = dice.choice(tables)
    (piece,) = table.pieces
    column, row = dice.randrange(len(piece)), dice.randrange(table.count)
    if dice.random() < 0.85:
        piece[column][row] = spoilt(piece[column][row], dice)
    else:  # a row twice, or not at all
        many = dice.choice([0, 2])
        for values in piece:
            values[row : row + 1] = values[row : row + 1] * many
        table.count += many - 1


@settings(deadline=None, max_examples=examples(150))
@given(seed=st.integers(0, 10**6), times=st.integers(1, 4))
def test_a_document_that_was_tampered_with_is_refused_or_makes_a_sound_world(
    game: ModuleType, registry: Registry, seed: int, times: int
) -> None:
    dice = random.Random(seed)
    manager = SaveLoadManager(registry)
    storm = Storm(game, manager, dice)
    storm.blow(15)
    document = thawed(document_of(manager))
    for _ in range(times):
        spoil(document, dice)
    target = SaveLoadManager(registry)
    target.add(game.Unit(3))
    before = target.create_snapshot().digest()
    try:
        loading.apply(target, document)
    except SaveError:
        assert target.create_snapshot().digest() == before
        return
    assert_consistent(target)
    storm.manager = target
    storm.blow(5)
    encode(target.create_snapshot())


def family(game: ModuleType, manager: SaveLoadManager) -> Document:
    top = manager.add(GameObject(game.Unit(1)))
    for number in range(2):
        manager.add(GameObject(game.Unit(number), parent=top))
    manager.add(game.Unit(9))
    gone = manager.add(game.Unit(10))
    manager.destroy(gone)
    return thawed(document_of(manager))


def column(document: Document, number: int, name: str) -> list[Any]:
    table = document.table(number)
    names = [each.name for each in table.columns]
    (piece,) = table.pieces
    found: list[Any] = piece[names.index(name)]
    return found


# In a world of three objects with a unit each, and a fourth unit alone; slot 4 is free.
LIES: list[tuple[int, str, int, Any, str]] = [
    (GAME_OBJECTS, "parent", 0, 1, "child that is not its own|belongs to"),
    (GAME_OBJECTS, "parent", 1, 1, "child that is not its own|belongs to"),
    (GAME_OBJECTS, "parent", 0, 3, "belongs to something that is no object"),
    (GAME_OBJECTS, "parent", 1, None, "a child that is not its own"),
    (GAME_OBJECTS, "children", 0, [1, 1], "a child that is not its own"),
    (GAME_OBJECTS, "children", 0, [1], "belongs to one that does not know it"),
    (GAME_OBJECTS, "components", 1, [(0, 3)], "is of no object, or of two"),
    (GAME_OBJECTS, "components", 1, [(0, 0)], "is of no object, or of two"),
    (GAME_OBJECTS, "components", 1, [(0, 6)], "in the world twice"),
    (GAME_OBJECTS, "components", 1, [(0, 99)], "no object 99"),
    (GAME_OBJECTS, "components", 1, [(5, 4)], "two components have one number"),
    (GAME_OBJECTS, "retired", 1, [0], "two components have one number"),
    (GAME_OBJECTS, "next_number", 1, 0, "two components have one number"),
    (RECORDS, "object", 0, 1, "in the world twice"),
    (RECORDS, "object", 0, 70, "an object that the save has not"),
    (RECORDS, "object", 0, None, "an object that the save has not"),
    (RECORDS, "index", 0, 1, "the slots contradict themselves"),
    (RECORDS, "index", 0, 10**9, "the slots contradict themselves"),
    (RECORDS, "index", 0, "0x10000000000000000", "far too large"),
    (RECORDS, "generation", 0, 0, "the slots contradict themselves"),
    (RECORDS, "generation", 0, 2**40, "the slots contradict themselves"),
    (EMPTIES, "slot", 0, 0, "the slots contradict themselves"),
    (EMPTIES, "generation", 0, 0, "the slots contradict themselves"),
    (FREE, "slot", 0, 0, "the slots contradict themselves"),
]


@pytest.mark.parametrize(("table", "name", "row", "value", "match"), LIES)
def test_what_no_world_can_be_is_refused_by_name(
    game: ModuleType,
    new_manager: NewManager,
    table: int,
    name: str,
    row: int,
    value: Any,
    match: str,
) -> None:
    document = family(game, new_manager())
    column(document, table, name)[row] = value
    target = new_manager()
    with pytest.raises(SaveCorruptError, match=match):
        loading.apply(target, document)
    assert len(target) == 0


def test_the_same_world_without_a_lie_is_loaded(
    game: ModuleType, new_manager: NewManager
) -> None:
    target = new_manager()
    loading.apply(target, family(game, new_manager()))
    assert len(target) == 4


def test_two_objects_at_one_place_are_refused(
    game: ModuleType, new_manager: NewManager
) -> None:
    document = family(game, new_manager())
    column(document, RECORDS, "placement")[:2] = ["a", "a"]
    with pytest.raises(SaveCorruptError, match="two objects are placed at one place"):
        loading.apply(new_manager(), document)


def test_a_table_that_every_save_has_cannot_be_another(
    game: ModuleType, new_manager: NewManager
) -> None:
    document = family(game, new_manager())
    table = document.table(RECORDS)
    table.columns = table.columns[:-1]
    with pytest.raises(SaveCorruptError, match="a table -2 that none has"):
        loading.apply(new_manager(), document)


def test_a_class_is_never_made_of_a_name(
    game: ModuleType, new_manager: NewManager
) -> None:
    document = family(game, new_manager())
    for table in document.tables:
        table.name = "os:system"
    target = new_manager()
    loading.apply(target, document)
    assert {type(each).__name__ for each in target.objects} == {"GameObject", "Unit"}


def test_a_load_that_is_refused_by_the_game_is_told_so(
    game: ModuleType, new_manager: NewManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = new_manager()
    source.add(game.Picky(13))
    document = document_of(source)
    target = new_manager()
    # Not `__new__`: who takes it back leaves a class that no argument can be given to.
    monkeypatch.setattr(game.Counted, "__set__", _refuse)
    with pytest.raises(SaveApplyError, match="`Picky.hp` cannot be set"):
        loading.apply(target, document)
    assert len(target) == 0


def _refuse(*_: object) -> None:
    raise ValueError("not this one")
