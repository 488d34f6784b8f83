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

    def _rows_of(
        self, table: Table, objects: list[Any], functions: Rows
    ) -> tuple[list[Any], Collection[Any]]:
        before = self._base.tables.get(type(objects[0]))
        known = self._is_known and before is not None and before.recordings is None
        if before is None or not known or not _is_as_before(before, objects):
            return super()._rows_of(table, objects, functions)
        assert before.rows is not None
        unlike = functions.unlike(objects, before.rows)
        fresh = functions.capture([objects[place] for place in unlike])
        old = [*chain.from_iterable(map(before.row, unlike))]
        places = differing(functions.checks, fresh, old)
        self.changed[type(objects[0])] = [unlike[place] for place in places]
        rows = _spliced(before, unlike, fresh)
        return rows, functions.reach(fresh) if functions.reach else ()

    def _lost(self, cls: type) -> None:
        self.changed.pop(cls, None)


def _is_as_before(before: Table, objects: list[Any]) -> bool:
    if before.rows is None or len(before.objects) != len(objects):
        return False
    return all(map(is_, before.objects, objects))


def _spliced(before: Table, places: list[int], fresh: list[Any]) -> list[Any]:
    """Return the rows of before with new ones at some places."""
    if len(places) == len(before.objects):
        return fresh
    assert before.rows is not None
    rows, width = before.rows.copy(), before.width
    for turn, place in enumerate(places):
        row = fresh[turn * width : (turn + 1) * width]
        rows[place * width : (place + 1) * width] = row
    return rows
