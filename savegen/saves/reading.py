"""The body of a save file as a snapshot of today's classes."""

from __future__ import annotations

from collections.abc import Container
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from savegen.runtime.errors import SaveApplyError, SaveCorruptError, SaveError
from savegen.runtime.fits import Rules, misfits
from savegen.runtime.keys import describe_key
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.slots import SlotState
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import in_key_order
from savegen.saves.body import Body, RawTable, Rows, check_keys
from savegen.saves.limits import Guard
from savegen.saves.schema import Column, Layout, layout_of

if TYPE_CHECKING:
    from savegen.saves.preserved import Preserved

_GAME_OBJECT = int(GAME_OBJECT.save_type)


def is_current(
    body: Body, registry: Registry, prefabs: Container[Any] | None = None
) -> bool:
    """Return whether a body can be read as it is.

    The save is of this version of the game, all its classes have the fields of today, and its
    objects are made from prefabs that are known.
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
    return is_known and layout_of(_entry(table.number, registry)).fits(table)


def _entry(number: int, registry: Registry) -> ClassEntry:
    return GAME_OBJECT if number == _GAME_OBJECT else registry[number]


def snapshot_of(
    body: Body, registry: Registry, guard: Guard, preserved: Preserved | None = None
) -> Snapshot:
    """Return the snapshot of a body for which `is_current` is true.

    Slots of preserved objects are filled.

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
    _check(body, tables, preserved)
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
    layout = layout_of(entry)
    table = Table(entry, [], [], {}, {}, {})
    for piece in raw.pieces:
        found = raw.decoded(layout.decoder, piece, guard, is_deep=layout.is_deep)
        first = len(table.keys)
        table.keys += found.keys
        table.rows += found.rows
        _add(table, layout, found, first)
    return table


def _add(table: Table, layout: Layout, found: Rows, first: int) -> None:
    """Add what stands beside rows; cells without a value become `UNSET`."""
    for place, tagged in found.mismatches.items():
        cells = {layout.by_number[n].cell: each for n, each in tagged.items()}
        table.mismatches[first + place] = cells
        _unset(table, first + place, cells)
    for place, numbers in found.missing.items():
        names = frozenset(layout.by_number[number].cell for number in numbers)
        table.missing[first + place] = names
        _unset(table, first + place, names)
    for place, recording in found.recordings.items():
        table.recordings[first + place] = recording


def _unset(table: Table, place: int, cells: dict[str, object] | frozenset[str]) -> None:
    for cell in cells:
        setattr(table.rows[place], cell, UNSET)


# -- checks


def _check(body: Body, tables: list[Table], preserved: Preserved | None) -> None:
    """Raise `SaveError` if something contradicts itself."""
    kept = [[*preserved.keys]] if preserved else []
    check_keys(body, [*(table.keys for table in tables), *kept])
    class_of: dict[Key, int] = {}
    for table in tables:
        if in_key_order(table.keys) != table.keys:
            name = layout_of(table.entry).name
            raise SaveCorruptError(f"the rows of {name} are not in order")
        class_of |= dict.fromkeys(table.keys, table.number)
    if not body.placements.keys() <= class_of.keys():
        raise SaveCorruptError("an object that is not in the save is placed")
    rules = Rules(class_of.get, dangling=True)
    for table in tables:
        for column in layout_of(table.entry).to_check:
            cells = [*map(column.get, table.rows)]
            for place in column.check(cells, rules):
                if cells[place] is not UNSET:
                    raise _misfit(table, column, place)


def _misfit(table: Table, column: Column, place: int) -> SaveError:
    """Return the error for a cell that does not fit its stored type."""
    name = layout_of(table.entry).class_name
    where = f"`{name}.{column.name}` of {describe_key(table.keys[place])}"
    if misfits(column.stored, [column.get(table.rows[place])], dangling=True):
        return SaveCorruptError(f"{where} does not fit its type `{column.stored}`")
    return SaveApplyError(
        f"{where} refers to an object that is missing, or of another class than declared"
    )
