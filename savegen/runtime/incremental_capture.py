"""Taking a snapshot that shares the rows of unchanged objects with an earlier one, for speed."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from savegen.runtime import cells
from savegen.runtime.capture import Capture
from savegen.runtime.to_rows import Packed
from savegen.runtime.rows import Key, Row
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import World


class _ObjectsByKey(dict[Key, Any]):
    """Objects by key. A stale key gives the dict itself, which differs from every object."""

    def __missing__(self, key: Key) -> Any:
        return self


class IncrementalCapture(Capture):
    """A capture that compares added objects with an earlier snapshot, and packs changed ones.

    Reached objects are always packed, because they may refer to other reached objects.
    """

    def __init__(self, world: World, base: Snapshot) -> None:
        super().__init__(world)
        self._base = base
        objects = _ObjectsByKey({0: None})
        for table in world.tables.values():
            objects.update(table)
        self.get_component = objects.__getitem__  # type: ignore[method-assign]

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        before = self._base.tables.get(entry.number)
        are_reached = self._keys[id(objects[0])] < 0
        if are_reached or before is None or not self._can_compare(entry, before):
            return super().pack(entry, objects)
        objects = [*objects]  # objects that packing reaches are packed later
        rows = self._former_rows(before, objects)
        changed = self._find_changed(entry, objects, rows)
        packed = super().pack(entry, [objects[n] for n in changed])
        for place, row in zip(changed, packed.rows):
            rows[place] = row
        if entry.reference_fields and self._world.reached:
            self._enqueue_reached(entry, rows)
        merged = Packed(rows)
        merged.unfit = {changed[n]: values for n, values in packed.unfit.items()}
        return merged

    def _can_compare(self, entry: Any, before: Table) -> bool:
        """Return whether objects of a class can be compared with their former rows."""
        if entry.differs is None or entry.saves_by_code or entry.has_generators:
            return False
        return not (before.mismatches or self._base.lost)

    def _former_rows(self, before: Table, objects: list[Any]) -> list[Any]:
        """Return the former rows of objects, with `None` for new objects."""
        keys = [*map(self._keys.__getitem__, map(id, objects))]
        if keys == before.keys:
            return before.rows.copy()
        former = dict(zip(before.keys, before.rows))
        return [*map(former.get, keys)]

    def _find_changed(
        self, entry: Any, objects: list[Any], rows: list[Any]
    ) -> list[int]:
        """Return the positions of new objects, and of those that may differ from their rows."""
        checkpoint = self.checkpoint()
        new = {n for n, row in enumerate(rows) if row is None}
        old = [n for n in range(len(rows)) if n not in new] if new else range(len(rows))
        if new:
            objects, rows = [objects[n] for n in old], [rows[n] for n in old]
        try:
            differing = [old[n] for n in entry.differing(objects, rows, self)]
        except Exception:  # for example, an attribute is not set
            differing = [*old]
        self.roll_back(checkpoint)
        return sorted(new.union(differing))

    def _enqueue_reached(self, entry: Any, rows: list[Row]) -> None:
        """Enqueue the reached objects that rows refer to."""
        for cell, stored in entry.reference_fields.items():
            for key in cells.keys_in(stored, map(attrgetter(cell), rows)):
                if key < 0 and key not in self._reached_keys:
                    self._enqueue(key, self._world.at(key))
