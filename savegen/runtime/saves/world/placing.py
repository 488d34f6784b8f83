"""Who is in the world of a save, by which key, and whether that makes sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.keys import SlotKey
from savegen.runtime.objects import GAME_OBJECT, GameObject, SlotMapReference
from savegen.runtime.saves.world.attic import Entry
from savegen.runtime.saves.document import EMPTIES, FREE, Document
from savegen.runtime.saves.world.members import Members, whole
from savegen.runtime.slots import EMPTY, LAST_GENERATION, SlotIndices
from savegen.runtime.snapshot import Table


def records_of(
    members: Members, prefabs: Mapping[int, Any]
) -> tuple[list[SlotMapReference], list[Entry]]:
    """Return the records of what is in the world, and those of what is not in today's.

    `prefabs` are their types, by number.
    """
    found = members.records
    keys = map(tuple.__new__, repeat(SlotKey), zip(found.indices, found.generations))
    objects = map(members.objects.__getitem__, found.objects)
    types: Iterable[Any] = found.prefabs
    if {*found.prefabs} != {None}:
        types = [None if p is None else prefabs.get(p, p) for p in found.prefabs]
    columns = (keys, objects, types, found.placements, found.levels)
    if not members.absent:
        is_plain = {*found.prefabs, *found.placements, *found.levels} <= {None}
        return [*map(SlotMapReference, *columns[: 2 if is_plain else None])], []
    made = [*zip(*columns)]
    here = [n not in members.absent for n in found.objects]
    records = [SlotMapReference(*row) for row, is_here in zip(made, here) if is_here]
    waiting = [
        Entry(place, row[1], row[0], found.prefabs[place], *row[3:])
        for place, row in enumerate(made)
        if not here[place] and found.objects[place] not in members.dropped
    ]
    return records, waiting


def indices_of(
    document: Document, records: list[SlotMapReference], members: Members
) -> SlotIndices:
    """Return the slots of a world. Raises `SaveCorruptError` if they contradict themselves.

    What is not in today's world keeps its slot: nothing is put there.
    """
    empty, after = map(whole, document.table(EMPTIES).all_values())
    free = whole(document.table(FREE).values(0))
    taken, since = members.records.indices, members.records.generations
    if not empty and not members.absent and taken == [*range(len(taken))]:
        _check_generations([], since, free)  # nothing was ever removed
        return SlotIndices(tuple(since), tuple(taken), ())
    slots = [*taken, *empty]
    count = len(slots)
    if sorted(slots) != [*range(count)]:
        raise SaveCorruptError("the slots contradict themselves: one is missing")
    if not empty and not members.absent and slots == [*range(count)]:
        _check_generations([], since, free)
        return SlotIndices(tuple(since), tuple(slots), tuple(free))
    generations, places = [0] * count, [EMPTY] * count
    for slot, generation in zip(slots, [*since, *after], strict=True):
        generations[slot] = generation
    if members.absent:
        for number, slot in zip(members.records.objects, taken, strict=True):
            if number in members.absent:
                generations[slot] = LAST_GENERATION + 1
        taken = [record.key.index for record in records]
    for place, slot in enumerate(taken):
        places[slot] = place
    _check_generations([*zip(empty, after)], since, free)
    return SlotIndices(tuple(generations), tuple(places), tuple(free))


def _check_generations(
    empties: list[tuple[int, int]], filled: list[int], free: list[int]
) -> None:
    every = [*filled, *(generation for _, generation in empties)]
    usable = [slot for slot, generation in empties if generation <= LAST_GENERATION]
    last = max(filled, default=0), max(every, default=0) - 1
    if every and min(every) < 1 or max(last) > LAST_GENERATION:
        raise SaveCorruptError("the slots contradict themselves: there was no such key")
    if sorted(free) != sorted(usable):
        raise SaveCorruptError("the slots contradict themselves: not all can be filled")


def check_families(table: Table) -> None:
    """Raise `SaveCorruptError` if objects belong to each other in a way that none can."""
    assert table.rows is not None
    width = table.width
    parents, children = table.rows[1::width], table.rows[2::width]
    above = dict(zip(map(id, table.objects), parents, strict=True))
    for thing, parent, inner in zip(table.objects, parents, children, strict=True):
        if parent is not None and type(parent) is not GameObject:
            raise SaveCorruptError("an object belongs to something that is no object")
        for child in inner:
            if above.pop(id(child), None) is not thing:
                raise SaveCorruptError("an object has a child that is not its own")
    if any(parent is not None for parent in above.values()):
        raise SaveCorruptError("an object belongs to one that does not know it")
    _check_above(dict(zip(map(id, table.objects), parents, strict=True)))
    _check_numbers(table)


def _check_above(parents: dict[int, Any]) -> None:
    """Raise `SaveCorruptError` if an object belongs to itself."""
    ended: set[int] = set()
    for token in parents:
        seen: dict[int, None] = {}
        while token not in ended:
            if token in seen:
                raise SaveCorruptError("an object belongs to itself")
            seen[token] = None
            parent = parents.get(token)
            if parent is None:
                break
            token = id(parent)
        ended.update(seen)


def _check_numbers(table: Table) -> None:
    assert table.rows is not None and table.entry is GAME_OBJECT
    width = table.width
    columns = (table.rows[place::width] for place in (3, 4, 5, 6))
    for components, parts, retired, following in zip(*columns, strict=True):
        numbers = [number for number, _ in components]
        every = {*numbers, *retired}
        is_whole = len(every) == len(numbers) + len(retired)
        if not is_whole or every and max(every) >= following:
            raise SaveCorruptError("two components have one number")
