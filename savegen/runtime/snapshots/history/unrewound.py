"""Objects of classes marked `@saveable(rewind=False)`, which a rewind leaves as they are.

The step that a world returns to knows neither them nor their slots. They keep their keys, so that
references to them stay right; their own references to rewound objects are linked anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from savegen.runtime.values.folds import without
from savegen.runtime.values.basics.keys import (
    LAST_GENERATION,
    generation_of,
    index_of,
    key_at,
)
from savegen.runtime.values.saveable import unchecked
from savegen.runtime.values.rows import Key, partial_row
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import cells_with
from savegen.runtime.snapshots.to_rows import pack_own_rows
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.world.world import World

Tables = dict[type, dict[Key, Any]]


def slots_around(
    snapshot: Snapshot, kept: Tables, first_new: int
) -> tuple[SlotState, dict[Key, Key]]:
    """Return the slots of a step, with those of the `kept` objects.

    A slot that an object has in the step, and another one now, belongs to the step: the other
    one gets a new slot, from `first_new` on. Such objects are in the result, with their old and
    new keys.
    """
    then = {key for key in snapshot.unrewound or () if key > 0}
    now = [key for table in kept.values() for key in table if key > 0]
    if then == {*now}:
        return snapshot.slots, {}
    generations, free = map(list, snapshot.slots)
    for key in then.difference(now):
        slot = index_of(key)
        generations[slot] += 1
        if generations[slot] <= LAST_GENERATION:
            free.insert(0, slot)
    moved: dict[Key, Key] = {}
    for key in sorted(set(now) - then):
        slot = index_of(key)
        if slot < len(generations) and slot not in free:
            slot, key_now = first_new, key_at(first_new, 1)
            first_new += 1
            moved[key] = key_now
            key = key_now
        for gap in range(len(generations), slot + 1):
            generations.append(1)
            free.insert(0, gap)
        free.remove(slot)
        generations[slot] = generation_of(key)
    return SlotState(tuple(generations), tuple(free)), moved


class KeptLinks:
    """The references of objects that a rewind leaves alone, by key, before the rewind."""

    def __init__(self, world: World, kept: Tables) -> None:
        self._world = world
        self._references = LocalKeys(values=world.registry.values, takes_all=True)
        self._rows: list[tuple[Any, Any, Any]] = []  # entry, object and row
        for cls, table in kept.items():
            entry = world.registry.entry_of(cls)
            if entry.reference_fields:
                objects = [*table.values()]
                rows = pack_own_rows(entry, objects, self._references).rows
                self._rows += ((entry, obj, row) for obj, row in zip(objects, rows))
        # The key in the world of each object that they refer to, by its local key.
        self._keys = {
            local: world.last_key_of(obj) for local, obj in self._references.others()
        }

    def objects(self) -> Mapping[Any, list[Any]]:
        """Return the objects that have references, by the entry of their class."""
        by_entry: dict[Any, list[Any]] = {}
        for entry, obj, _ in self._rows:
            by_entry.setdefault(entry, []).append(obj)
        return by_entry

    def link(self) -> list[Any]:
        """Let the references lead to the objects that have the keys now; `None` if none has.

        Return the objects of which a reference has changed.
        """
        links, linked = self._references, []
        now = {n: self._world.at(key) for n, key in self._keys.items() if key}
        gone = {local for local, obj in now.items() if obj is None}
        changed = {n for n, obj in links.others() if now.get(n, obj) is not obj}
        for local in changed:
            links.replace(local, now[local])
        for entry, obj, row in self._rows:
            cells = {
                cell: without(stored, value, gone)
                for cell, stored, value in cells_with(changed, entry, row)
            }
            if cells:
                if not entry.wraps:
                    row = partial_row(entry.row, **cells)
                for cell in cells:
                    setattr(row, cell, cells[cell])
                unchecked(entry.marked_class().load_data)(obj, row, links)
                linked.append(obj)
        links.finish()
        return linked
