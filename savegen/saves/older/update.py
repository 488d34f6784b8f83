"""Update a save of another version to the current classes, and preserve what they lack."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from savegen.runtime.keys import in_key_order
from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Recording
from savegen.runtime.stored import parse
from savegen.runtime.tagged import without_keys
from savegen.saves.body import Body, Field, RawRow, RawTable, WorldPart
from savegen.saves.limits import Guard
from savegen.saves.older.columns import ConversionContext, ColumnUpdate, decoded
from savegen.saves.older.saved_objects import (
    SavedObjects,
    raw_row,
    slots_of,
    with_slots,
)
from savegen.saves.preserved import Preserved, PreservedTable
from savegen.saves.schema import Column, RowSchema, row_schema_of

_GAME_OBJECT = int(GAME_OBJECT.save_type)
_COMPONENTS = int(GameObjectFields.COMPONENTS_REF)


class UpdatedSave(NamedTuple):
    """A save as the current game would have written it."""

    body: Body
    preserved: Preserved | None
    report: dict[str, Any]  # the fields of the `LoadReport`


class SaveUpdate:
    """Updates a body to the current classes. The given body is not changed."""

    def __init__(
        self,
        body: Body,
        registry: Registry,
        guard: Guard,
        prefabs: Container[Any] | None = None,
    ) -> None:
        """`prefabs` are the numbers of the prefabs of the game; `None` allows all."""
        self._body = body
        self._prefabs = prefabs
        self._context = ConversionContext(body, registry, guard)
        self._preserved: list[PreservedTable] = []
        self._notes: list[str] = []

    def run(self) -> UpdatedSave:
        """Return the updated body. Raises `SaveError` if the game cannot read the save."""
        self._find_absent()
        body, found = self._body, self._context.saved.values()
        tables = [self._table(each, each.entry) for each in found if each.entry]
        for saved in found:
            self._keep_absent(saved)
        placements = {
            key: placement
            for key, placement in body.placements.items()
            if key not in self._context.absent
        }
        tables = [table for table in tables if table.pieces]
        made = replace(body, world=self._world(), tables=tables, placements=placements)
        report: dict[str, Any] = {}
        preserved = self._found_preserved()
        if preserved and preserved.counts:
            report["preserved"] = preserved.counts
        if self._notes:
            report["notes"] = (*dict.fromkeys(self._notes),)
        return UpdatedSave(made, preserved, report)

    def _world(self) -> WorldPart:
        """Return the section of the world; slots of dropped objects are empty."""
        version, dropped = self._context.registry.save_version, self._context.dropped
        world = replace(self._body.world, save_version=version)
        return with_slots(world, slots_of(world, dropped)) if dropped else world

    def _found_preserved(self) -> Preserved | None:
        if not (self._preserved or self._context.parts):
            return None
        placements = {
            key: placement
            for key, placement in self._body.placements.items()
            if key in self._context.absent - self._context.dropped
        }
        return Preserved(
            self._preserved, self._context.parts, placements, self._body.generators
        )

    # -- the world

    def _find_absent(self) -> None:
        around, known = self._context, self._prefabs
        for number, saved in around.saved.items():
            if saved.entry is None:
                around.leave_out(saved.read(around.guard).rows, number)
        for key, placement in self._body.placements.items():
            prefab = placement.prefab
            if not (prefab is None or known is None or prefab in known):
                around.leave_out({key, *self._components(key)}, prefab)

    def _components(self, key: Key) -> list[Key]:
        saved = self._context.saved.get(_GAME_OBJECT)
        rows = saved.read(self._context.guard).rows if saved else {}
        cell = rows.get(key, {}).get(_COMPONENTS)
        if cell is None or cell.is_mismatch:
            return []
        stored, what = parse(cell.field.stored), "the components of an object"
        (found,) = decoded(stored, [cell.content], self._context.guard, what)
        return [key for _, key in found]

    # -- classes that the game has

    def _table(self, saved: SavedObjects, entry: ClassEntry) -> RawTable:
        """Return the table of a class as the current game would have written it."""
        schema, absent = row_schema_of(entry), self._context.absent
        fits = len(saved.tables) == 1 and schema.fits(saved.tables[0])
        refers = entry.referring or entry.behaviors
        if fits and not (absent and (refers or self._has_absent(saved))):
            return saved.tables[0]
        rows = saved.read(self._context.guard).rows
        keys = [key for key in rows if key not in absent]
        found: dict[Key, dict[int, Any]] = {key: {} for key in keys}
        for number, fields in saved.fields().items():
            column = schema.by_number.get(number)
            for field in fields:
                there = saved.column(field)
                there = {key: there[key] for key in keys if key in there}
                if column is not None:
                    for key, content in self._converted(entry, column, field, there):
                        found[key][number] = content
                elif number not in entry.retired and there:
                    kept = [raw_row(key, {number: there[key]}) for key in there]
                    self._keep_fields(schema, (field,), kept)
        table = RawTable(schema.number, schema.name, schema.fields)
        recordings = {key: self._recording(saved, key) for key in keys}
        return table.add(
            [raw_row(key, found[key], recordings[key]) for key in in_key_order(keys)]
        )

    def _has_absent(self, saved: SavedObjects) -> bool:
        rows = saved.read(self._context.guard).rows
        return not self._context.absent.isdisjoint(rows)

    def _recording(self, saved: SavedObjects, key: Key) -> Recording | None:
        found = saved.recordings.get(key)
        if found is None or not self._context.absent:
            return found
        values = {
            name: without_keys(tagged, self._context.absent)
            for name, tagged in found.values.items()
        }
        return Recording(found.dirty, values)

    def _converted(
        self, entry: ClassEntry, column: Column, field: Field, there: dict[Key, Any]
    ) -> Iterable[tuple[Key, Any]]:
        """Return the saved values of a field as the current game would have written them."""
        update = ColumnUpdate(self._context, entry, column, field)
        update.add(there)
        self._notes += update.notes
        if update.kept:
            fields = field, Field(-field.number, field.name, "bytes")
            self._keep_fields(row_schema_of(entry), fields, update.kept)
        return update.found.items()

    # -- what is preserved

    def _keep(self, table: PreservedTable) -> None:
        """Preserve rows. Raises `SaveError` for cells that could not be read later."""
        for number, name, stored in table.fields:
            raw = [row.cells[number] for row in table.rows if number in row.cells]
            what = f"`{table.name}.{name}`"
            decoded(parse(stored), raw, self._context.guard, what)
        self._preserved.append(table)

    def _keep_fields(
        self, schema: RowSchema, fields: tuple[Field, ...], rows: list[RawRow]
    ) -> None:
        """Preserve values that the class cannot load, or can load only in part."""
        title, about = f"{schema.class_name}.{fields[0].name}", (fields, rows, False)
        self._keep(PreservedTable(schema.number, schema.name, *about, title))

    def _keep_absent(self, saved: SavedObjects) -> None:
        """Preserve the objects of a class that are not loaded."""
        gone = self._context.absent - self._context.dropped
        keys = [key for key in saved.rows if key in gone]
        if not keys:
            return
        title = self._title(saved)
        for fields, rows in saved.layers(keys):
            about = tuple(fields), rows, True, title
            self._keep(PreservedTable(saved.number, saved.name, *about))
            title = ""  # the first table has all of them

    def _title(self, saved: SavedObjects) -> str:
        """Return the name of a class for reports, as short as is unambiguous."""
        known = {row_schema_of(entry).name for entry in self._context.registry}
        names = known | {each.name for each in self._context.saved.values()}
        simple = saved.name.rpartition(".")[2]
        alike = [name for name in names if name.rpartition(".")[2] == simple]
        return simple if len(alike) == 1 else saved.name
