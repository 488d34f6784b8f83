"""Checks that the content of a save is consistent, with and without its game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from itertools import repeat
from typing import Any

from msgspec import msgpack

from savegen.runtime.errors import SaveApplyError, SaveCorruptError, SaveError
from savegen.runtime.fits import Rules, find_mismatches
from savegen.runtime.keys import LAST_GENERATION, describe_key, in_key_order, key_at
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Table
from savegen.runtime.stored import parse
from savegen.saves.body import Body, RawRow, RawTable, WorldPart
from savegen.saves.limits import Guard
from savegen.saves.schema import Column, row_schema_of

_GAME_OBJECT = int(GAME_OBJECT.save_type)
# Fields of game objects whose cells must have their type, or a load would fail.
_COMPOSING = ("parent", "children", "components", "parts", "retired", "next_number")


def check(body: Body, tables: list[Table], preserved: Collection[Key]) -> None:
    """Raise `SaveCorruptError` if the content of a save is inconsistent.

    The slots of `preserved` keys count as filled. Raises `SaveApplyError` for a reference to an
    object of another class than declared.
    """
    class_of: dict[Key, int] = {}
    for table in tables:
        if in_key_order(table.keys) != table.keys:
            name = row_schema_of(table.entry).name
            raise SaveCorruptError(f"the rows of {name} are not in order")
        class_of.update(zip(table.keys, repeat(table.number)))
    known = {*class_of, *preserved} if preserved else class_of.keys()
    count = sum(len(table.keys) for table in tables) + len(preserved)
    ends = [key for table in tables for key in (*table.keys[:1], *table.keys[-1:])]
    _check_keys(body.world, known, count, [*ends, *preserved])
    parts: set[Key] = set()
    for table in tables:
        if table.number == _GAME_OBJECT:
            parts = _check_objects(table, class_of)
    if body.placements:
        _check_placements(body, class_of.keys() - parts)
    _check_cells(tables, class_of)


def _check_keys(
    world: WorldPart, known: Set[Key], count: int, ends: Collection[Key]
) -> None:
    """Raise `SaveCorruptError` if `count` keys are not distinct, or not the filled slots.

    `ends` contains the lowest and the highest key.
    """
    if len(known) < count:
        raise SaveCorruptError("two objects have the same key")
    if world.slots == [1, count] and not world.free:
        if count == 0 or (min(ends) == 1 and max(ends) == count):
            return
    runs = [*zip(world.slots[::2], world.slots[1::2])]
    slots = sum(count for generation, count in runs if generation <= LAST_GENERATION)
    if slots > count + len(world.free):  # too many to count
        raise SaveCorruptError("the slots contradict themselves")
    filled = _filled_keys(world)
    wrong = [key for key in known - filled if not -world.next_reached < key < 0]
    wrong += filled - known
    if wrong:
        raise SaveCorruptError(f"the slots contradict {describe_key(wrong[0])}")


def _filled_keys(world: WorldPart) -> set[Key]:
    """Return the keys of all filled slots.

    Raises `SaveCorruptError` if the free slots are not empty.

    >>> sorted(_filled_keys(WorldPart(slots=[1, 3, 2, 1], free=[0])))
    [2, 3, 4294967300]
    """
    found: set[Key] = set()
    slot = 0
    for generation, count in zip(world.slots[::2], world.slots[1::2]):
        if not 0 < generation <= LAST_GENERATION + 1:
            raise SaveCorruptError("the slots contradict themselves")
        if generation <= LAST_GENERATION:
            key = key_at(slot, generation)
            found.update(range(key, key + count))
        slot += count
    generations = world.generations
    try:
        empty = {key_at(slot, generations[slot]) for slot in world.free}
    except IndexError:
        empty = set()
    if len(empty) < len(world.free) or not empty <= found:
        raise SaveCorruptError("the free slots contradict themselves")
    return found - empty


def _check_objects(table: Table, class_of: dict[Key, int]) -> set[Key]:
    """Check the components of game objects; return the keys of the components."""
    for places in (table.mismatches, table.missing):
        for cells in places.values():
            if wrong := [cell for cell in _COMPOSING if cell in cells]:
                raise SaveCorruptError(f"a `GameObject` has no valid `{wrong[0]}`")
    rows: list[Any] = table.rows
    found = [key for row in rows for _, key in row.components]
    parts = {*found}
    if len(parts) < len(found) or not {*map(class_of.get, parts)}.isdisjoint(
        (None, _GAME_OBJECT)
    ):
        raise SaveCorruptError(
            "a listed component is missing, or belongs to two objects"
        )
    for key, row in zip(table.keys, rows):
        numbers = [*row.retired, *(number for number, _ in row.components)]
        taken = {*numbers}
        is_free = max(taken, default=-1) < row.next_number
        if len(taken) < len(numbers) or min(taken, default=0) < 0 or not is_free:
            where = f"the object with {describe_key(key)}"
            raise SaveCorruptError(f"the component numbers of {where} are inconsistent")
    return parts


def _check_placements(body: Body, objects: Collection[Key]) -> None:
    if not all(key in objects for key in body.placements):
        raise SaveCorruptError(
            "a placement refers to an object that is not in the save"
        )
    placed = [each.placement for each in body.placements.values() if each.placement]
    if len({*placed}) < len(placed):
        raise SaveCorruptError("two objects have the same placement id")
    if not body.tombstones.keys().isdisjoint(placed):
        raise SaveCorruptError("an object is placed and destroyed")


def _check_cells(tables: list[Table], class_of: dict[Key, int]) -> None:
    for table in tables:
        # The same rules as in `saves.writing.SnapshotWriter.rules_for`.
        members = table.entry.wraps
        rules = Rules(class_of.get, dangling=True, dangling_members=members)
        for column in row_schema_of(table.entry).to_check:
            cells = [*map(column.get, table.rows)]
            for place in column.check(cells, rules):
                raise _misfit(table, column, place)


def _misfit(table: Table, column: Column, place: int) -> SaveError:
    """Return the error for a cell that does not fit its stored type."""
    name = row_schema_of(table.entry).class_name
    where = f"`{name}.{column.name}` of {describe_key(table.keys[place])}"
    if find_mismatches(
        column.stored, [column.get(table.rows[place])], Rules(dangling=True)
    ):
        return SaveCorruptError(f"{where} does not fit its type `{column.stored}`")
    return SaveApplyError(
        f"{where} refers to an object that is missing, or of another class than declared"
    )


# -- without the game


def faults(body: Body, guard: Guard) -> Iterator[str]:
    """Yield the inconsistencies of a save. Raises `SaveError` if it cannot be read."""
    rows = [(table, [*table.rows(guard)]) for table in body.tables]
    class_of: dict[Key, int] = {}
    numbers: set[int] = set()
    count = 0
    for table, some in rows:
        keys, number = [row.key for row in some], table.number
        known = class_of if number in numbers else {}
        # A further table of a class has keys of the first.
        count += len([key for key in keys if known.get(key) != number])
        class_of |= dict.fromkeys(keys, number)
        numbers.add(number)
    try:
        _check_keys(body.world, class_of.keys(), count, class_of)
    except SaveCorruptError as error:
        yield error.what
    for key in body.placements:
        if key not in class_of:
            yield f"{describe_key(key)} is placed, but is not in the save"
    rules = Rules(class_of.get, dangling=True)
    for table, some in rows:
        yield from _misfits(table, some, rules)


def _misfits(table: RawTable, rows: list[RawRow], rules: Rules) -> Iterator[str]:
    for field in table.fields:
        having = [row for row in rows if field.number in row.cells]
        cells = [msgpack.decode(row.cells[field.number]) for row in having]
        for place in find_mismatches(parse(field.stored), cells, rules):
            where = f"`{table.name}.{field.name}` of {describe_key(having[place].key)}"
            yield f"{where} does not fit its type `{field.stored}`"
