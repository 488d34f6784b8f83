"""Finds the objects and fields that differ between two snapshots, for `Snapshot.changes`."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from savegen.runtime.values.folds import generators_of
from savegen.runtime.values.basics.keys import in_key_order
from savegen.runtime.values.checks import differ
from savegen.runtime.values.rows import UNSET, Key
from savegen.runtime.snapshots.tables import SnapshotData, Table
from savegen.runtime.values.stored import StoredType


class Change(NamedTuple):
    """One component that differs between two snapshots."""

    what: str  # "added", "removed" or "changed"
    component: Any  # the component, or its key if it is not in the world any more
    fields: tuple[str, ...] = ()  # names of the fields that changed


def changes(before: SnapshotData, after: SnapshotData) -> list[Change]:
    """Return a change for each component that was added, changed or removed, in key order."""
    advanced = _advanced_generators(before, after)
    changes: dict[Key, Change] = {}
    for number in {*before.tables, *after.tables}:
        old, new = before.tables.get(number), after.tables.get(number)
        removed = {key: n for n, key in enumerate(old.keys)} if old else {}
        for place, key in enumerate(new.keys if new else ()):
            if key not in removed:
                changes[key] = Change("added", _object_at(after, key))
                continue
            assert old is not None and new is not None
            fields = differing_fields(old, removed.pop(key), new, place, advanced)
            if fields:
                changes[key] = Change("changed", _object_at(after, key), fields)
        changes |= {key: Change("removed", _object_at(before, key)) for key in removed}
    return [changes[key] for key in in_key_order(changes)]


def _advanced_generators(before: SnapshotData, after: SnapshotData) -> set[int]:
    """Return the keys of the random generators whose states differ."""
    states = before.generators
    return {
        key
        for key, state in after.generators.items()
        if key in states and differ(states[key], state)
    }


def differing_fields(
    old: Table, old_place: int, new: Table, place: int, advanced: Container[int] = ()
) -> tuple[str, ...]:
    """Return the names of the fields that differ between two rows of one class.

    A field with a generator whose key is in `advanced` differs, too.
    """
    names = new.entry.mixin.save_load_field_names
    old_row, row = old.rows[old_place], new.rows[place]
    old_extras, extras = old.extras.get(old_place, {}), new.extras.get(place, {})
    stored = new.entry.stored_by_cell
    fields = [
        name
        for name, cell in zip(names, row.__struct_fields__)
        if differ(getattr(old_row, cell), getattr(row, cell))
        or differ(old_extras.get(cell), extras.get(cell))
        or (advanced and _holds_advanced(stored[cell], getattr(row, cell), advanced))
    ]
    if old.recordings.get(old_place) != new.recordings.get(place):
        fields.append("recording")
    return tuple(fields)


def _holds_advanced(stored: StoredType, cell: Any, advanced: Container[int]) -> bool:
    """Return whether a cell holds the key of a generator in `advanced`."""
    return cell is not UNSET and any(
        key in advanced for key in generators_of(stored, cell)
    )


def _object_at(snapshot: SnapshotData, key: Key) -> Any:
    """Return the object with a key; the key itself if the object no longer exists."""
    obj = snapshot.world.at(key) if snapshot.world is not None else None
    return key if obj is None else obj
