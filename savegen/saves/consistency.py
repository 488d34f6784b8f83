"""Check that the objects, slots and placements of a save agree, with and without its game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from itertools import chain, repeat
from typing import Any

from msgspec import UNSET, msgpack

from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
)
from savegen.runtime.values.folds import (
    ClassOf,
    Rules,
    Typed,
    innermost_parts,
    wrong,
)
from savegen.runtime.values.libraries.generators import check_state
from savegen.runtime.values.basics.keys import (
    LAST_GENERATION,
    describe_key,
    in_file_order,
    index_of,
    key_at,
)
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values.kinds import KINDS
from savegen.runtime.values.stored import GENERATORS, parse
from savegen.saves.body import Body, RawRow, RawTable, WorldPart
from savegen.saves.limits import CODING_ERRORS, Guard
from savegen.saves.schema import Column, all_fit, row_schema_of
from savegen.saves.typed import check_typed

_GAME_OBJECT = int(GAME_OBJECT.save_type)
# Fields of game objects that a load needs, so they must not be missing or mismatched.
_REQUIRED = ("parent", "children", "components", "parts", "retired", "next_number")


def check(
    body: Body, tables: list[Table], preserved: Collection[Key], guard: Guard
) -> None:
    """Raise `SaveCorruptError` if the content of a save is inconsistent.

    Objects with `preserved` keys are in the save too, although not in the tables. Raises
    `SaveApplyError` for a reference to an object of another class than declared.
    """
    class_of: dict[Key, int] = {}
    for table in tables:
        own = table.keys
        in_order = own == sorted(own) and (not own or own[0] > 0)
        if not in_order and in_file_order(own) != own:
            name = row_schema_of(table.entry).name
            raise SaveCorruptError(f"the rows of {name} are not in order")
        class_of.update(zip(table.keys, repeat(table.number)))
    keys: Set[Key] = {*class_of, *preserved} if preserved else class_of.keys()
    count = sum(len(table.keys) for table in tables) + len(preserved)
    ends = [t.keys[n] for t in tables if t.keys for n in (0, -1)]
    _check_keys(body.world, keys, count, [*ends, *preserved])
    components: set[Key] = set()
    for table in tables:
        if table.number == _GAME_OBJECT:
            components = _check_game_objects(table, class_of)
    if body.placements:
        _check_placements(body, class_of.keys() - components)
    class_of[0] = 0  # stands for `None`
    _check_cells(tables, body.states, class_of.get, guard.limits.depth)
    _check_generators(tables, body.generators)


def _check_keys(
    world: WorldPart, keys: Set[Key], count: int, ends: Collection[Key]
) -> None:
    """Raise `SaveCorruptError` unless the filled slots are those of the objects.

    `keys` are those of all `count` objects, and `ends` contains the lowest and the highest one.
    """
    if len(keys) < count:
        raise SaveCorruptError("two objects have the same key")
    if world.covers is not None:
        _check_covered_keys(world, keys)
        return
    if world.slots == [1, count] and not world.free:
        if count == 0 or (min(ends) == 1 and max(ends) == count):
            return
    runs = [*zip(world.slots[::2], world.slots[1::2])]
    slots = sum(count for generation, count in runs if generation <= LAST_GENERATION)
    if slots > count + len(world.free):  # the set of filled slots could be huge
        raise SaveCorruptError(
            f"the save has {slots} slots for keys, but only {count} objects and"
            f" {len(world.free)} empty slots"
        )
    filled = _filled_keys(world)
    for key in keys - filled:
        if key >= 0:
            raise SaveCorruptError(f"the slots lack the key of {describe_key(key)}")
        _check_reached_key(world, key)
    for key in filled - keys:
        raise SaveCorruptError(
            f"the slots contain the key of {describe_key(key)}, which is not in the save"
        )


def _check_covered_keys(world: WorldPart, keys: Set[Key]) -> None:
    """Check the keys of a part of a world; its other slots are those of the whole world."""
    generations, free = world.generations, {*world.free}
    for key in keys:
        if key < 0:
            _check_reached_key(world, key)
            continue
        slot = index_of(key)
        is_slot = slot < len(generations) and slot not in free
        if not is_slot or key != key_at(slot, generations[slot]):
            raise SaveCorruptError(f"the slots lack the key of {describe_key(key)}")


def _check_reached_key(world: WorldPart, key: Key) -> None:
    if key <= -world.next_reached:
        raise SaveCorruptError(
            f"{describe_key(key)} has a key that was never given to an object"
        )


def _filled_keys(world: WorldPart) -> set[Key]:
    """Return the keys of all filled slots.

    Raises `SaveCorruptError` for an impossible generation or free slot.

    >>> sorted(_filled_keys(WorldPart(slots=[1, 3, 2, 1], free=[0])))
    [2, 3, 4294967300]
    """
    keys: set[Key] = set()
    slot = 0
    for generation, count in zip(world.slots[::2], world.slots[1::2]):
        if not 0 < generation <= LAST_GENERATION + 1:
            raise SaveCorruptError(f"slots have the impossible generation {generation}")
        if generation <= LAST_GENERATION:
            key = key_at(slot, generation)
            keys.update(range(key, key + count))
        slot += count
    generations = world.generations
    try:
        free = {key_at(slot, generations[slot]) for slot in world.free}
    except IndexError:
        free = set()
    if len(free) < len(world.free) or not free <= keys:
        message = (
            "the list of free slots contains a slot twice, or one that does not exist"
        )
        raise SaveCorruptError(message)
    return keys - free


def _check_game_objects(table: Table, class_of: dict[Key, int]) -> set[Key]:
    """Check the components of game objects; return the keys of the components."""
    for extras in table.extras.values():
        if invalid := [cell for cell in _REQUIRED if cell in extras]:
            raise SaveCorruptError(f"a `GameObject` has no valid `{invalid[0]}`")
    rows: list[Any] = table.rows
    keys = [key for row in rows for _, key in row.components]
    components = {*keys}
    if len(components) < len(keys):
        raise SaveCorruptError("a component belongs to two objects")
    if not {*map(class_of.get, components)}.isdisjoint((None, _GAME_OBJECT)):
        raise SaveCorruptError(
            "a component is missing from the save, or is itself a game object"
        )
    for key, row in zip(table.keys, rows):
        numbers = [number for number, _ in row.components]
        numbers += row.retired
        is_unique = len({*numbers}) == len(numbers)
        in_range = not numbers or 0 <= min(numbers) <= max(numbers) < row.next_number
        if not (is_unique and in_range and row.next_number >= 0):
            raise SaveCorruptError(
                f"the component numbers of {describe_key(key)} are inconsistent"
            )
    return components


def _check_placements(body: Body, objects: Collection[Key]) -> None:
    if not all(key in objects for key in body.placements):
        raise SaveCorruptError("a placement refers to an object that is missing")
    ids = [each.placement for each in body.placements.values() if each.placement]
    if len({*ids}) < len(ids):
        raise SaveCorruptError("two objects have the same placement id")
    if both := body.tombstones.keys() & {*ids}:
        raise SaveCorruptError(f"the placed object {min(both)!r} is also destroyed")


def _check_generators(tables: list[Table], states: dict[int, Any]) -> None:
    """Check the states of random generators, and that fields refer to those of their type."""
    for state in states.values():
        check_state(state)
    for table in tables if states else ():
        types = table.entry.stored_by_cell if table.entry.has_generators else {}
        for cell, stored in types.items():
            if stored.names_inside.isdisjoint(GENERATORS):
                continue
            cells = [getattr(row, cell) for row in table.rows]
            parts = (
                innermost_parts(stored, each) for each in cells if each is not UNSET
            )
            for part, key in chain.from_iterable(parts):
                kind = KINDS[part.name].state_kind
                if kind and key in states and states[key][0] != kind:
                    raise SaveCorruptError(
                        f"`{table.entry.title(cell)}` refers to a random generator of"
                        " another type"
                    )


def _check_cells(
    tables: list[Table], states: Mapping[str, Typed], class_of: ClassOf, depth: int
) -> None:
    # `_TableWriter` in writing.py has the same rules, so what was written can be read.
    strict = Rules(class_of, dangling=True, dangling_members=False, depth=depth)
    schemas = [(row_schema_of(table.entry), table.rows) for table in tables]
    if not all_fit(schemas, strict, is_checked=True):
        for table in tables:
            rules = strict
            if table.entry.wraps:
                rules = Rules(class_of, dangling=True, depth=depth)
            for column in row_schema_of(table.entry).to_check:
                cells = [*map(column.get, table.rows)]
                for place in column.wrong(cells, rules):
                    raise _mismatch(table, column, place, depth)
    rules = Rules(class_of, dangling=True, depth=depth, is_declared=False)
    for where, each in _undeclared(tables, states):
        check_typed(each, where, rules)


def _undeclared(
    tables: list[Table], states: Mapping[str, Typed]
) -> Iterator[tuple[str, Typed]]:
    """Yield the values beside the rows, with where they are."""
    for table in tables:
        if not (table.extras or table.recordings):
            continue
        name = table.entry.display_name
        for extras in table.extras.values():
            for cell, each in extras.items():
                yield f"`{name}.{cell}`", each
        for recording in table.recordings.values():
            for cell, each in recording.values.items():
                yield f"`{cell}` of {name}", each
    for state, each in states.items():
        yield f"the state {state!r}", each


def _mismatch(table: Table, column: Column, place: int, depth: int) -> SaveError:
    """Return the error for a cell that does not fit its stored type."""
    name = row_schema_of(table.entry).class_name
    where = f"`{name}.{column.name}` of {describe_key(table.keys[place])}"
    cells = [column.get(table.rows[place])]
    if column.wrong(cells, Rules(dangling=True)):
        return SaveCorruptError(f"{where} does not fit its type `{column.stored}`")
    if column.wrong(cells, Rules(dangling=True, depth=depth)):
        return SaveLimitError(f"the depth of {where}", depth, depth + 1)
    return SaveApplyError(
        f"{where} refers to an object that is missing, or of another class than declared"
    )


# -- without the game


def faults(body: Body, guard: Guard) -> Iterator[str]:
    """Yield the inconsistencies of a save. Raises `SaveError` if it cannot be read."""
    tables = [(table, [*table.rows(guard)]) for table in body.tables]
    class_of: dict[Key, int] = {}
    numbers: set[int] = set()
    count = 0
    for table, rows in tables:
        keys, number = [row.key for row in rows], table.number
        # A second table of a class has objects of the first table again.
        earlier = class_of if number in numbers else {}
        count += len([key for key in keys if earlier.get(key) != number])
        class_of |= dict.fromkeys(keys, number)
        numbers.add(number)
    try:
        _check_keys(body.world, class_of.keys(), count, class_of)
    except SaveCorruptError as error:
        yield error.what
    for state in body.generators.values():
        try:
            check_state(state)
        except SaveCorruptError as error:
            yield error.what
    for key in body.placements:
        if key not in class_of:
            yield f"{describe_key(key)} is placed, but is not in the save"
    rules = Rules(class_of.get, dangling=True)
    for table, rows in tables:
        yield from _mismatches(table, rows, rules)


def _mismatches(table: RawTable, rows: list[RawRow], rules: Rules) -> Iterator[str]:
    for field in table.fields:
        stored = parse(field.stored)
        found = [
            (row.key, row.cells[field.number])
            for row in rows
            if field.number in row.cells
        ]
        try:
            cells = [msgpack.decode(raw) for _, raw in found]
        except (*CODING_ERRORS, RecursionError) as error:
            yield f"`{table.name}.{field.name}` cannot be read: {error}"
            continue
        for place in wrong(stored, cells, rules):
            where = f"`{table.name}.{field.name}` of {describe_key(found[place][0])}"
            yield f"{where} does not fit its type `{field.stored}`"
    for row in rows:
        for name, (stored, cell) in row.extras.items():
            if wrong(stored, [cell], rules):
                where = f"{table.name}: `{name}` of {describe_key(row.key)}"
                yield f"{where} does not fit its type `{stored}`"
