"""The differences between two snapshots of a world."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from savegen.runtime.cells import innermost_parts
from savegen.runtime.keys import in_key_order
from savegen.runtime.checks import differ
from savegen.runtime.rows import UNSET, Key
from savegen.runtime.snapshot import Change, Snapshot, Table
from savegen.runtime.stored import Stored


def changes(before: Snapshot, after: Snapshot) -> list[Change]:
    """Return a change for each component that was added, changed or removed, in key order."""
    drawn = _drawn_from(before, after)
    found: dict[Key, Change] = {}
    for number in {*before.tables, *after.tables}:
        old, new = before.tables.get(number), after.tables.get(number)
        was = {key: n for n, key in enumerate(old.keys)} if old else {}
        for place, key in enumerate(new.keys if new else ()):
            if key not in was:
                found[key] = Change("added", _thing(after, key))
                continue
            assert old is not None and new is not None
            fields = differing_fields(old, was.pop(key), new, place, drawn)
            if fields:
                found[key] = Change("changed", _thing(after, key), fields)
        found |= {key: Change("removed", _thing(before, key)) for key in was}
    return [found[key] for key in in_key_order(found)]


def _drawn_from(before: Snapshot, after: Snapshot) -> set[int]:
    """Return the keys of the random generators whose states differ."""
    states = before.generators
    return {
        key
        for key, state in after.generators.items()
        if key in states and differ(states[key], state)
    }


def differing_fields(
    old: Table, was: int, new: Table, place: int, drawn: Container[int] = ()
) -> tuple[str, ...]:
    """Return the names of the fields that differ between two rows of one class.

    A field with a generator whose key is in `drawn` differs, too.
    """
    names = new.entry.mixin.save_load_field_names
    left, right = old.rows[was], new.rows[place]
    odd_left, odd_right = old.mismatches.get(was, {}), new.mismatches.get(place, {})
    stored = new.entry.stored_by_cell
    found = [
        name
        for name, cell in zip(names, left.__struct_fields__)
        if differ(getattr(left, cell), getattr(right, cell))
        or differ(odd_left.get(cell), odd_right.get(cell))
        or (drawn and _draws(stored[cell], getattr(right, cell), drawn))
    ]
    if old.recordings.get(was) != new.recordings.get(place):
        found.append("recording")
    return tuple(found)


def _draws(stored: Stored, cell: Any, drawn: Container[int]) -> bool:
    """Return whether a cell holds the key of a generator in `drawn`."""
    kinds = ("random", "generator")
    leaves = innermost_parts(stored, cell) if cell is not UNSET else ()
    return any(leaf.name in kinds and inner in drawn for leaf, inner in leaves)


def _thing(snapshot: Snapshot, key: Key) -> Any:
    """Return the object with a key; the key itself if the object no longer exists."""
    found = snapshot.world.at(key) if snapshot.world is not None else None
    return key if found is None else found
