"""Turn the body of a save file into a snapshot of the current game."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from savegen.runtime.values.folds import Typed, generators_of, unused_libraries
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Covers
from savegen.saves.body import DIRTY, Body, RawTable
from savegen.saves.consistency import check
from savegen.saves.limits import Guard
from savegen.saves.schema import RowSchema, entry_of, row_schema_of
from savegen.saves.typed import recording_of

if TYPE_CHECKING:
    from savegen.saves.preserved import Preserved


def is_current(
    body: Body, registry: Registry, prefabs: Container[Any] | None = None
) -> bool:
    """Return whether a body can be read without an update.

    Its save version, the fields of its classes and its prefabs must be those of the game, each
    class must have only one table, and a load must be able to make its objects.
    """
    numbers = [table.number for table in body.tables]
    used_prefabs = {each.prefab for each in body.placements.values()} - {None}
    return (
        body.world.save_version == registry.save_version
        and (prefabs is None or all(prefab in prefabs for prefab in used_prefabs))
        and len({*numbers}) == len(numbers)
        and all(_fits(table, registry) for table in body.tables)
    )


def _fits(table: RawTable, registry: Registry) -> bool:
    entry = entry_of(table.number, registry)
    if entry is None or entry.needs_arguments:
        return False
    return row_schema_of(entry).fits(table)


def snapshot_of(
    body: Body, registry: Registry, guard: Guard, preserved: Preserved | None = None
) -> Snapshot:
    """Return the snapshot of a body for which `is_current` is true.

    Raises `SaveCorruptError` for invalid content, `SaveLimitError` beyond a limit, and
    `SaveApplyError` for a reference to an object of another class than declared.
    """
    tables: list[Table] = []
    for raw in sorted(body.tables, key=attrgetter("number")):
        entry = entry_of(raw.number, registry)
        assert entry is not None  # because the body is current
        tables.append(_table(raw, entry, guard))
    count = sum([len(table.keys) for table in tables])
    guard.limits.allow("the number of objects", "objects", count)
    guard.add_generators(len(body.generators))
    guard.measure()
    check(body, tables, preserved.keys if preserved else (), guard)
    return Snapshot(
        tables={table.number: table.ordered() for table in tables},
        placements=body.placements,
        slots=SlotState(body.world.generations, tuple(body.world.free)),
        next_reached=body.world.next_reached,
        generators=body.generators,
        states=body.states,
        tombstones=body.tombstones,
        dangling=body.world.dangling,
        preserved=preserved,
        lineage=body.world.lineage,
        covers=_covers(body.world.covers),
    )


def _covers(saved: Covers | None) -> Covers | None:
    if saved is None:
        return None
    if [saved.classes, saved.level, saved.keys].count(None) != 2:
        raise SaveCorruptError("the world does not say what it covers")
    return saved if saved.keys is None else Covers(keys=(*accumulate(saved.keys),))


def has_changed_parts(
    snapshot: Snapshot, registry: Registry, prefabs: Container[Any] | None
) -> bool:
    """Return whether a part of a prefab has another class now than in a snapshot.

    If none has, parts get the names that their prefabs give them now.
    """
    objects = snapshot.tables.get(GAME_OBJECT.number)
    if objects is None or not isinstance(prefabs, PrefabInfo):
        return False
    components: dict[type, list[Key]] = {}  # by the class that they must have
    # By prefab: its parts, and the lists of `components` by the number of the part.
    plans: dict[int, tuple[list[tuple[str, int]], dict[int, list[Key]]]] = {}
    placements = snapshot.placements
    rows: list[Any] = objects.rows
    for key, row in zip(objects.keys, rows):
        number = placements[key].prefab if key in placements else None
        if number is None:
            continue
        plan = plans.get(number)
        if plan is None:
            if number not in prefabs:
                continue
            prefab = prefabs[number]
            classes = prefab.classes.items()
            lists = {n: components.setdefault(cls, []) for n, cls in classes}
            plan = plans[number] = [*prefab.parts.items()], lists
        parts, lists = plan
        for part, component in row.components:
            if part in lists:
                lists[part].append(component)
        if row.parts != parts:
            row.parts = [*_renamed(row.parts, dict(parts))]
    for cls, keys in components.items():
        table = snapshot.tables.get(registry.entry_of(cls).number)
        if keys and (table is None or not {*table.keys}.issuperset(keys)):
            return True
    return False


def _renamed(
    parts: list[tuple[str, int]], numbers: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """Yield parts with the names of today; one whose name is now another part's has none."""
    names = {number: name for name, number in numbers.items()}
    for name, number in parts:
        if number in names or name not in numbers:
            yield names.get(number, name), number


def _table(raw: RawTable, entry: ClassEntry, guard: Guard) -> Table:
    schema = row_schema_of(entry)
    table = Table(entry, [], [], {}, {})
    opened = raw.types.opened_cell
    for offset, part in raw.parts:
        keys, rows, all_extras = raw.decode(
            schema.decoder, offset, part, guard, is_deep=schema.is_deep
        )
        for column in schema.undeclared:
            for row in rows:
                setattr(row, column.cell, opened(column.stored, column.get(row)))
        first = len(table.keys)
        table.keys += keys
        table.rows += rows
        for place, extras in all_extras.items():
            _add_extras(table, schema, first + place, extras)
    return table


def _add_extras(
    table: Table, schema: RowSchema, place: int, extras: dict[int | str, Typed]
) -> None:
    """Add the extras of a row; those of the types of their fields move into the row."""
    row, found = table.rows[place], dict[str, Typed]()
    if recording := recording_of(extras):
        table.recordings[place] = recording
    for number in [name for name in extras if isinstance(name, int) and name != DIRTY]:
        column, (stored, cell) = schema.by_number[number], extras[number]
        if stored == column.stored:
            setattr(row, column.cell, column.as_decoded(cell))
        else:
            found[column.cell] = stored, cell
            setattr(row, column.cell, UNSET)
    if found:
        table.extras[place] = found


# -- values of libraries that the game does not use


def unused_values(body: Body, snapshot: Snapshot) -> tuple[dict[str, int], list[str]]:
    """Return the values that need a library which the game has not imported.

    They are preserved: the counts are by class and field, and the notes name the libraries.
    """
    counts: dict[str, int] = {}
    libraries: dict[str, None] = {}
    if sys.modules.keys() >= {"numpy", "zoneinfo"} or not body.types.texts:
        return counts, []
    states = snapshot.generators.items() if "numpy" not in sys.modules else ()
    unused = {key for key, state in states if state[0] == "numpy"}
    for name, found in _undeclared_values(snapshot):
        needed = {*unused_libraries(*found)}
        if not unused.isdisjoint(generators_of(*found)):
            needed.add("numpy")
        if needed:
            counts[name] = counts.get(name, 0) + 1
            libraries.update(dict.fromkeys(sorted(needed)))
    return counts, [
        f"values of `{library}` were preserved, because the game has not imported that library;"
        " to load them, import it first"
        for library in libraries
    ]


def _undeclared_values(snapshot: Snapshot) -> Iterator[tuple[str, Typed]]:
    """Yield the values whose types no field declares, with the names of their fields."""
    for table in snapshot.tables.values():
        entry = table.entry
        for extras in table.extras.values():
            for cell, found in extras.items():
                yield entry.title(cell), found
        for recording in table.recordings.values():
            for name, found in recording.values.items():
                yield f"{entry.display_name}.{name}", found
        for column in row_schema_of(table.entry).undeclared:
            for cell in map(column.get, table.rows):
                if cell is not UNSET:
                    yield entry.title(column.cell), (column.stored, cell)
    for name, found in snapshot.states.items():
        yield f"the state {name!r}", found
