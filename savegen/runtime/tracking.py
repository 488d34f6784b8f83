"""Taking a snapshot right after another: what has not changed need not be followed again."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from operator import is_
from typing import Any

from savegen.runtime.capture import Capture
from savegen.runtime.rows import Rows, differing
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import World


class Tracking(Capture):
    """A walk that compares as it goes: what did not change leads where it led before."""

    def __init__(self, world: World, base: Snapshot) -> None:
        super().__init__(world)
        self._base = base
        # As long as nothing leaves the world, what was referred to before is still there.
        self._is_known = base.departures == world.departures and base.is_closed
        # By class, the places of the objects that hold something else; not of every class.
        self.changed: dict[type, list[int]] = {}

    def _found_in(
        self, table: Table, objects: list[Any], rows: list[Any], functions: Rows
    ) -> Collection[Any]:
        before = self._base.tables.get(type(objects[0]))
        if self._is_known and before is not None and _is_as_before(before, objects):
            assert before.rows is not None
            places = differing(functions.checks, rows, before.rows)
            self.changed[type(objects[0])] = places
            width = table.width
            some = (rows[place * width : (place + 1) * width] for place in places)
            rows = [*chain.from_iterable(some)]
        return super()._found_in(table, objects, rows, functions)

    def _lost(self, cls: type) -> None:
        self.changed.pop(cls, None)


def _is_as_before(before: Table, objects: list[Any]) -> bool:
    if before.rows is None or len(before.objects) != len(objects):
        return False
    return all(map(is_, before.objects, objects))
