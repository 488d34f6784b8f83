"""Turn the body of a save file into a snapshot of the current game."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from savegen.runtime.values.cells import innermost_parts
from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.values.fits import Rules
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.world.slots import SlotState
from savegen.runtime.snapshots.snapshot import Covers, Snapshot, Table
from savegen.runtime.values.tagged import BROKEN, Tag, Tagged, library_of, parts_of
from savegen.saves.body import Body, RawTable, Rows, encode
from savegen.saves.consistency import check
from savegen.saves.limits import Guard
from savegen.saves.schema import Column, RowSchema, entry_of, row_schema_of
from savegen.saves.tagged_cells import CellTagger, untag_cell

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
    count = 0
    for raw in sorted(body.tables, key=attrgetter("number")):
        entry = entry_of(raw.number, registry)
        assert entry is not None  # because the body is current
        tables.append(_table(raw, entry, guard))
        count += len(tables[-1].keys)
        guard.limits.allow("the number of objects", "objects", count)
    guard.add_generators(len(body.generators))
    guard.measure()
    check(body, tables, preserved.keys if preserved else ())
    if any(table.mismatches for table in tables):
        _move_into_rows(tables, CellTagger(registry.values))
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
        raise SaveCorruptError("the save does not say what it covers of a world")
    if saved.keys is None:
        return saved
    return Covers(keys=(*accumulate(saved.keys),))


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
    table = Table(entry, [], [], {}, {}, {})
    for section in raw.row_sections:
        rows = raw.decode(schema.decoder, section, guard, is_deep=schema.is_deep)
        first = len(table.keys)
        table.keys += rows.keys
        table.rows += rows.rows
        _add_extras(table, schema, rows, first)
    return table


def _add_extras(table: Table, schema: RowSchema, rows: Rows, first: int) -> None:
    """Add the mismatches, missing fields and recordings of rows.

    `first` is the position of their first row in the table.
    """
    for place, tagged in rows.mismatches.items():
        cells = {schema.by_number[n].cell: each for n, each in tagged.items()}
        table.mismatches[first + place] = cells
        _unset(table, first + place, cells)
    for place, numbers in rows.missing.items():
        names = frozenset(schema.by_number[number].cell for number in numbers)
        table.missing[first + place] = names
        _unset(table, first + place, names)
    for place, recording in rows.recordings.items():
        table.recordings[first + place] = recording


def _move_into_rows(tables: list[Table], tagger: CellTagger) -> None:
    """Move tagged values that fit their fields into the rows.

    They were tagged because MessagePack cannot encode their cells: a long int, for example.
    """
    rules = Rules({key: t.number for t in tables for key in t.keys}.get, True)
    for table in tables:
        columns = row_schema_of(table.entry).by_cell
        for place, mismatches in [*table.mismatches.items()]:
            for name, tagged in [*mismatches.items()]:
                cell = _fitting_cell(columns[name], tagged, tagger, rules)
                if cell is not UNSET:
                    setattr(table.rows[place], name, columns[name].as_decoded(cell))
                    del mismatches[name]
            if not mismatches:
                del table.mismatches[place]


def _fitting_cell(column: Column, tagged: Any, tagger: CellTagger, rules: Rules) -> Any:
    """Return the cell of a tagged value if it fits its field and MessagePack cannot encode it.

    Otherwise return `UNSET`.
    """
    try:
        cell = untag_cell(column.stored, tagged)
        if _can_be_encoded(cell) or column.check([cell], rules):
            return UNSET
        is_same = encode(tagger.tag(column.stored, cell)) == encode(tagged)
    except (ValueError, SaveError):
        return UNSET
    return cell if is_same else UNSET


def _can_be_encoded(cell: Any) -> bool:
    try:
        encode(cell)
    except (OverflowError, UnicodeEncodeError):
        return False
    return True


def _unset(table: Table, place: int, cells: dict[str, object] | frozenset[str]) -> None:
    for cell in cells:
        setattr(table.rows[place], cell, UNSET)


# -- values of libraries that the game does not use


def unused_values(snapshot: Snapshot) -> tuple[dict[str, int], list[str]]:
    """Return the values that need a library which the game has not imported.

    They are preserved: the counts are by class and field, and the notes name the libraries.
    """
    counts: dict[str, int] = {}
    libraries: dict[str, None] = {}
    if sys.modules.keys() >= {"numpy", "zoneinfo"}:
        return counts, []
    states = snapshot.generators.items() if "numpy" not in sys.modules else ()
    unused = {key for key, state in states if state[0] == "numpy"}

    def find(name: str, tagged: Tagged) -> None:
        try:
            found = {*_unused_libraries(tagged, unused)}
        except BROKEN:  # the load will refuse it
            return
        if found:
            counts[name] = counts.get(name, 0) + 1
            libraries.update(dict.fromkeys(sorted(found)))

    for table in snapshot.tables.values():
        for name, tagged in _tagged_values(table):
            find(name, tagged)
    for name, tagged in snapshot.states.items():
        find(f"the state {name!r}", tagged)
    return counts, [
        f"values of `{library}` were preserved, because the game has not imported that library;"
        " to load them, import it first"
        for library in libraries
    ]


def _tagged_values(table: Table) -> Iterator[tuple[str, Tagged]]:
    """Yield the values of a table that contain their own types, with the names of their fields."""
    owner = table.entry.display_name
    for cells in table.mismatches.values():
        for cell, tagged in cells.items():
            yield f"{owner}.{cell}", tagged
    for recording in table.recordings.values():
        for name, tagged in recording.values.items():
            yield f"{owner}.{name}", tagged
    for cell, stored in table.entry.stored_by_cell.items():
        if "any" in stored.names_inside:
            values = (getattr(row, cell) for row in table.rows)
            for value in values:
                parts = () if value is UNSET else innermost_parts(stored, value)
                for part, tagged in parts:
                    if part.name == "any":
                        yield f"{owner}.{cell}", tagged


def _unused_libraries(tagged: Tagged, generators: Container[int]) -> Iterator[str]:
    if type(tagged) not in (tuple, list):
        return
    if library := library_of(tagged):
        yield library
    elif tagged[0] == Tag.GENERATOR and tagged[1] in generators:
        yield "numpy"
    for part in parts_of(tagged):
        yield from _unused_libraries(part, generators)
