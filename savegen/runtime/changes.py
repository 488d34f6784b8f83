"""What differs between two snapshots of one world."""

from __future__ import annotations

from typing import Any

from savegen.runtime.packing import differ
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Change, Snapshot, Table


def changes(before: Snapshot, after: Snapshot) -> list[Change]:
    """Return every component that was added, changed or removed, in that order by class."""
    found: list[Change] = []
    for number in sorted({*before.tables, *after.tables}):
        old, new = before.tables.get(number), after.tables.get(number)
        was = {key: n for n, key in enumerate(old.keys)} if old else {}
        for place, key in enumerate(new.keys if new else ()):
            if key not in was:
                found.append(Change("added", _thing(after, key)))
                continue
            assert old is not None and new is not None
            fields = differing_fields(old, was.pop(key), new, place)
            if fields:
                found.append(Change("changed", _thing(after, key), fields))
        found += [Change("removed", _thing(before, key)) for key in was]
    return found


def differing_fields(old: Table, was: int, new: Table, place: int) -> tuple[str, ...]:
    """Return the fields that differ in two rows of one class."""
    names = new.entry.mixin.save_load_field_names
    left, right = old.rows[was], new.rows[place]
    odd_left, odd_right = old.mismatches.get(was, {}), new.mismatches.get(place, {})
    found = [
        name
        for name, cell in zip(names, left.__struct_fields__)
        if differ(getattr(left, cell), getattr(right, cell))
        or differ(odd_left.get(cell), odd_right.get(cell))
    ]
    if old.recordings.get(was) != new.recordings.get(place):
        found.append("recording")
    return tuple(found)


def _thing(snapshot: Snapshot, key: Key) -> Any:
    """Return what a key names; the key itself if it is gone."""
    found = snapshot.world.at(key) if snapshot.world is not None else None
    return key if found is None else found
