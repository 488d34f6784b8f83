"""Read the body of a save file as a snapshot."""

from __future__ import annotations

from collections.abc import Container
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from savegen.runtime.errors import SaveError
from savegen.runtime.fits import Rules
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table
from savegen.saves.body import Body, RawTable, Rows, encode
from savegen.saves.consistency import check
from savegen.saves.limits import Guard
from savegen.saves.schema import Column, RowSchema, row_schema_of
from savegen.saves.tagged_cells import CellTagger, untagged

if TYPE_CHECKING:
    from savegen.saves.preserved import Preserved

_GAME_OBJECT = int(GAME_OBJECT.save_type)


def is_current(
    body: Body, registry: Registry, prefabs: Container[Any] | None = None
) -> bool:
    """Return whether a body can be read without an update.

    That is so if it has the save version of the game, if its classes have the fields that the
    game has, and if the game has all its prefabs.
    """
    numbers = [table.number for table in body.tables]
    made_from = {each.prefab for each in body.placements.values()} - {None}
    return (
        body.world.save_version == registry.save_version
        and (prefabs is None or all(prefab in prefabs for prefab in made_from))
        and len({*numbers}) == len(numbers)
        and all(_fits(table, registry) for table in body.tables)
    )


def _fits(table: RawTable, registry: Registry) -> bool:
    is_known = table.number == _GAME_OBJECT or table.number in registry
    return is_known and row_schema_of(_entry(table.number, registry)).fits(table)


def _entry(number: int, registry: Registry) -> ClassEntry:
    return GAME_OBJECT if number == _GAME_OBJECT else registry[number]


def snapshot_of(
    body: Body, registry: Registry, guard: Guard, preserved: Preserved | None = None
) -> Snapshot:
    """Return the snapshot of a body for which `is_current` is true.

    The slots of preserved objects count as filled.

    Raises `SaveCorruptError`, `SaveLimitError`, and `SaveApplyError` for a reference to an
    object of another class than declared.
    """
    tables: list[Table] = []
    count = 0
    for raw in sorted(body.tables, key=attrgetter("number")):
        tables.append(_table(raw, _entry(raw.number, registry), guard))
        count += len(tables[-1].keys)
        guard.limits.allow("the number of objects", "objects", count)
    guard.settle()
    check(body, tables, preserved.keys if preserved else ())
    if any(table.mismatches for table in tables):
        _take_in(tables, CellTagger(registry.values))
    return Snapshot(
        tables={table.number: table for table in tables},
        placements=body.placements,
        slots=SlotState(body.world.generations, tuple(body.world.free)),
        next_reached=body.world.next_reached,
        generators=body.generators,
        states=body.states,
        tombstones=body.tombstones,
        dangling=body.world.dangling,
        preserved=preserved,
    )


def _table(raw: RawTable, entry: ClassEntry, guard: Guard) -> Table:
    schema = row_schema_of(entry)
    table = Table(entry, [], [], {}, {}, {})
    for piece in raw.pieces:
        found = raw.decoded(schema.decoder, piece, guard, is_deep=schema.is_deep)
        first = len(table.keys)
        table.keys += found.keys
        table.rows += found.rows
        _add(table, schema, found, first)
    return table


def _add(table: Table, schema: RowSchema, found: Rows, first: int) -> None:
    """Add the mismatches, missing fields and recordings of rows; missing cells become `UNSET`."""
    for place, tagged in found.mismatches.items():
        cells = {schema.by_number[n].cell: each for n, each in tagged.items()}
        table.mismatches[first + place] = cells
        _unset(table, first + place, cells)
    for place, numbers in found.missing.items():
        names = frozenset(schema.by_number[number].cell for number in numbers)
        table.missing[first + place] = names
        _unset(table, first + place, names)
    for place, recording in found.recordings.items():
        table.recordings[first + place] = recording


def _take_in(tables: list[Table], tagger: CellTagger) -> None:
    """Move tagged values into the rows if they are tagged only because no cell can be encoded."""
    rules = Rules({key: t.number for t in tables for key in t.keys}.get, True)
    for table in tables:
        columns = row_schema_of(table.entry).by_cell
        for place, wrong in [*table.mismatches.items()]:
            for name, tagged in [*wrong.items()]:
                cell = _long_cell(columns[name], tagged, tagger, rules)
                if cell is not UNSET:
                    setattr(table.rows[place], name, columns[name].as_decoded(cell))
                    del wrong[name]
            if not wrong:
                del table.mismatches[place]


def _long_cell(column: Column, tagged: Any, tagger: CellTagger, rules: Rules) -> Any:
    """Return the cell of a tagged value that fits its field; `UNSET` for a mismatch."""
    try:
        cell = untagged(column.stored, tagged)
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
