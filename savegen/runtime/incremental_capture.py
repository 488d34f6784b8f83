"""A snapshot soon after another one: what has not changed keeps its row."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from savegen.runtime import cells
from savegen.runtime.capture import Capture
from savegen.runtime.to_rows import Packed
from savegen.runtime.rows import Key, Row
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import World


class _Things(dict[Key, Any]):
    """Objects by key. What a stale key leads to is nothing that a field can hold."""

    def __missing__(self, key: Key) -> Any:
        return self


class Tracking(Capture):
    """A walk that compares what was added as it goes, and packs only what has changed.

    What is only reached has to be looked at in any case, to find out what it leads to.
    """

    def __init__(self, world: World, base: Snapshot) -> None:
        super().__init__(world)
        self._base = base
        objects = _Things({0: None})
        for table in world.tables.values():
            objects.update(table)
        self.get_component = objects.__getitem__  # type: ignore[method-assign]

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        before = self._base.tables.get(entry.number)
        is_reached = self._keys[id(objects[0])] < 0
        if is_reached or before is None or not self._compares(entry, before):
            return super().pack(entry, objects)
        objects = [*objects]  # what is reached meanwhile is packed later
        rows = self._rows_of_before(before, objects)
        unlike = self._unlike(entry, objects, rows)
        packed = super().pack(entry, [objects[n] for n in unlike])
        for place, row in zip(unlike, packed.rows):
            rows[place] = row
        if entry.referring and self._world.reached:
            self._see_all(entry, rows)
        found = Packed(rows)
        found.unfit = {unlike[n]: each for n, each in packed.unfit.items()}
        return found

    def _compares(self, entry: Any, before: Table) -> bool:
        """Return whether what a row says is all that there is of an object."""
        is_whole = not (entry.saves_by_code or entry.has_generators)
        has_values = not (before.mismatches or self._base.lost)
        return entry.moved is not None and is_whole and has_values

    def _rows_of_before(self, before: Table, objects: list[Any]) -> list[Any]:
        """Return the former rows of objects; `None` for those that have none."""
        keys = [*map(self._keys.__getitem__, map(id, objects))]
        if keys == before.keys:
            return before.rows.copy()
        former = dict(zip(before.keys, before.rows))
        return [*map(former.get, keys)]

    def _unlike(self, entry: Any, objects: list[Any], rows: list[Any]) -> list[int]:
        """Return the positions of objects that may differ from their former rows."""
        mark = self.mark()
        new = {n for n, row in enumerate(rows) if row is None}
        known = (
            [n for n in range(len(rows)) if n not in new] if new else range(len(rows))
        )
        if new:
            objects, rows = [objects[n] for n in known], [rows[n] for n in known]
        try:
            found = [known[n] for n in entry.differing(objects, rows, self)]
        except Exception:  # an attribute is not set, say
            found = [*known]
        self.go_back(mark)
        return sorted(new.union(found))

    def _see_all(self, entry: Any, rows: list[Row]) -> None:
        """Follow the references of rows that were not packed again."""
        for cell, stored in entry.referring.items():
            for key in cells.keys_in(stored, map(attrgetter(cell), rows)):
                if key < 0 and key not in self._seen:
                    self._see(key, self._world.at(key))
