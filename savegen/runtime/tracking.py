"""Taking a snapshot soon after another one: what has not changed keeps its row."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from savegen.runtime import cells
from savegen.runtime.capture import Capture
from savegen.runtime.packer import Packed
from savegen.runtime.packing import differ
from savegen.runtime.rows import Row
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.world import World, in_order


class Tracking(Capture):
    """A walk that compares as it goes, and packs only what has changed."""

    def __init__(self, world: World, base: Snapshot) -> None:
        super().__init__(world)
        self._base = base
        # By class number, the positions of rows that hold something else; of classes whose
        # keys are the same in both.
        self.changed: dict[int, list[int]] = {}

    def pack(self, entry: Any, things: list[Any]) -> Packed:
        before = self._base.tables.get(int(entry.save_type))
        if before is None or not self._is_as_before(entry, before, things):
            return super().pack(entry, things)
        unlike = entry.moved(things, before.rows, self)
        packed = super().pack(entry, [things[n] for n in unlike])
        rows, changed = before.rows.copy(), []
        for place, row in zip(unlike, packed.rows):
            if differ(row, rows[place]):
                rows[place] = row
                changed.append(place)
        self.changed[before.number] = changed
        if entry.referring and self._world.reached:
            self._see_all(entry, rows)
        found = Packed(rows)
        found.unfit = {unlike[n]: each for n, each in packed.unfit.items()}
        return found

    def _is_as_before(self, entry: Any, before: Any, things: list[Any]) -> bool:
        """Return whether a class has the same objects as before, and rows that compare."""
        if entry.moved is None or entry.behaviors or before.mismatches or entry.wraps:
            return False
        if len(before.keys) != len(things) or self._world.graveyard:
            return False
        if entry.has_generators:
            return False
        live = in_order(self._world.tables[type(things[0])])
        return bool(before.keys == [*live])

    def _see_all(self, entry: Any, rows: list[Row]) -> None:
        """Follow the references of rows that were not packed again."""
        for cell, stored in entry.referring.items():
            for key in cells.keys_in(stored, map(attrgetter(cell), rows)):
                if key < 0 and key not in self._seen:
                    self._see(key, self._world.at(key))
