"""Update a migrated save to the current classes, and preserve what the game does not know."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.values.folds import filler, without
from savegen.runtime.errors import SaveApplyError, SaveError, with_article
from savegen.runtime.values.basics.keys import in_file_order
from savegen.runtime.world.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.reports import LostValue, by_key
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.stored import parse
from savegen.saves.body import Body, SavedField, RawRow, RawTable, Types, WorldPart
from savegen.saves.encoding import encode
from savegen.saves.limits import Guard
from savegen.saves.older.columns import ColumnUpdate, ConversionContext, decode_cells
from savegen.saves.older.saved_objects import (
    ASIDE,
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
        self._lost: list[LostValue] = []
        self._types = Types()

    def run(self) -> UpdatedSave:
        """Return the updated body. Raises `SaveError` if the game cannot read the save."""
        self._move_changed_parts()
        self._find_absent()
        body, classes = self._body, self._context.saved.values()
        tables = [self._table(saved, saved.entry) for saved in classes if saved.entry]
        for saved in classes:
            self._preserve_absent(saved)
        placements = {
            key: placement
            for key, placement in body.placements.items()
            if key not in self._context.absent
        }
        tables = [table for table in tables if table.parts]
        world = self._world()
        updated = replace(body, world=world, tables=tables, placements=placements)
        report: dict[str, Any] = {}
        preserved = self._all_preserved()
        if preserved and preserved.counts:
            report["preserved"] = preserved.counts
        if self._notes:
            report["notes"] = (*dict.fromkeys(self._notes),)
        if self._lost:
            report["lost"] = by_key(self._lost)
        return UpdatedSave(updated, preserved, report)

    def _world(self) -> WorldPart:
        """Return the section of the world; slots of dropped objects are empty."""
        version, dropped = self._context.registry.save_version, self._context.dropped
        world = replace(self._body.world, save_version=version)
        return with_slots(world, slots_of(world, dropped)) if dropped else world

    def _all_preserved(self) -> Preserved | None:
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

    # -- parts of prefabs that have another class now

    def _move_changed_parts(self) -> None:
        """Move each component whose part has another class now to that class."""
        saved, context = self._context.saved, self._context
        for part, component, cls in self._parts():
            context.of_prefabs.add(component)
            entry = context.registry.entry_of(cls)
            target = saved.get(entry.number) or SavedObjects(entry.number, entry)
            if component in target.read(context.guard).rows:
                continue
            classes = (each.read(context.guard) for each in saved.values())
            source = next((each for each in classes if component in each.rows), None)
            if source is None or source.number == _GAME_OBJECT:
                continue
            target.take(component, source)
            saved[entry.number] = target
            old, new = source.name.rpartition(".")[2], row_schema_of(entry).class_name
            context.moved[component] = old
            self._notes.append(
                f"the part `{part}` was {with_article(old)} and is {with_article(new)} now"
            )

    def _parts(self) -> Iterator[tuple[str, Key, type]]:
        """Yield the components that prefabs built: the part, the key and today's class."""
        prefabs = self._prefabs
        if not isinstance(prefabs, PrefabInfo):
            return
        for key, placement in self._body.placements.items():
            if placement.prefab is None or placement.prefab not in prefabs:
                continue
            prefab = prefabs[placement.prefab]
            names = {number: name for name, number in prefab.parts.items()}
            for number, component in self._components(key):
                if cls := prefab.classes.get(number):
                    yield f"{prefab.qualname}.{names[number]}", component, cls

    # -- objects that the game does not know, or cannot make

    def _find_absent(self) -> None:
        context, prefabs = self._context, self._prefabs
        for number, saved in context.saved.items():
            if saved.entry is None:
                context.mark_absent(saved.read(context.guard).rows, number)
            elif saved.entry.needs_arguments:
                keys = saved.read(context.guard).rows.keys() - self._built
                context.mark_absent(keys, number)
                if keys:
                    name = row_schema_of(saved.entry).class_name
                    self._notes.append(
                        f"a load cannot make {with_article(name)}, because `__new__` needs"
                        " arguments: the objects were preserved"
                    )
        for key, placement in self._body.placements.items():
            prefab = placement.prefab
            if not (prefab is None or prefabs is None or prefab in prefabs):
                if missing := context.registry.missing_prefab(prefab):
                    raise SaveError(f"the save has objects of {missing}")
                parts = (part for _, part in self._components(key))
                context.mark_absent({key, *parts}, prefab)

    @cached_property
    def _built(self) -> set[Key]:
        """The objects that a level or a prefab builds, and their components."""
        placed = self._body.placements.keys()
        return {*placed, *(part for key in placed for _, part in self._components(key))}

    def _components(self, key: Key) -> list[tuple[int, Key]]:
        """Return the numbers and the keys of the components of an object."""
        saved = self._context.saved.get(_GAME_OBJECT)
        rows = saved.read(self._context.guard).rows if saved else {}
        cell = rows.get(key, {}).get(_COMPONENTS)
        if cell is None or not isinstance(cell.content, Raw):
            return []
        stored, what = parse(cell.field.stored), "the components of an object"
        (components,) = decode_cells(stored, [cell.content], self._context.guard, what)
        return [*components]

    # -- classes that the game has

    def _table(self, saved: SavedObjects, entry: ClassEntry) -> RawTable:
        """Return the table of a class as the current game would have written it."""
        schema, absent = row_schema_of(entry), self._context.absent
        moved = self._context.moved
        fits = len(saved.tables) == 1 and schema.fits(saved.tables[0])
        refers = entry.reference_fields or entry.behaviors
        is_affected = (
            (refers and (absent or moved))
            or (absent and self._has_absent(saved))
            or saved.is_changed
        )
        if fits and not is_affected:
            return saved.tables[0]
        rows = saved.read(self._context.guard).rows
        keys = [key for key in rows if key not in absent]
        contents: dict[Key, dict[int, Any]] = {key: {} for key in keys}
        for number, fields in saved.fields().items():
            column = schema.by_number.get(number)
            for field in fields:
                saved_column = saved.column(field)
                old = {key: saved_column[key] for key in keys if key in saved_column}
                for key in [*old.keys() & moved]:
                    cell = old.pop(key)
                    contents[key] |= self._of_moved(entry, column, field, key, cell)
                if column is not None:
                    for key, content in self._converted(entry, column, field, old):
                        contents[key][number] = content
                elif number not in entry.retired and old:
                    rows_of_field = [raw_row(key, {number: old[key]}) for key in old]
                    self._preserve_fields(schema, (field,), rows_of_field)
        table = RawTable(schema.number, schema.name, schema.fields, self._types)
        recordings = {key: self._recording(saved, key) for key in keys}
        return table.add(
            [
                raw_row(key, contents[key], recordings[key])
                for key in in_file_order(keys)
            ]
        )

    def _of_moved(
        self,
        entry: ClassEntry,
        column: Column | None,
        field: SavedField,
        key: Key,
        cell: Any,
    ) -> dict[int, Any]:
        """Return the value of a moved component in its new class, or preserve it."""
        if column is not None:
            with suppress(SaveApplyError):
                converted = self._converted(entry, column, field, {key: cell})
                return {field.number: content for _, content in converted}
            field = field._replace(number=field.number + ASIDE)
        owner = self._context.moved[key]
        self._preserve_fields(
            row_schema_of(entry),
            (field,),
            [raw_row(key, {field.number: cell})],
            f"{owner}.{field.name}",
        )
        return {}

    def _has_absent(self, saved: SavedObjects) -> bool:
        rows = saved.read(self._context.guard).rows
        return not self._context.absent.isdisjoint(rows)

    def _recording(self, saved: SavedObjects, key: Key) -> Recording | None:
        recording = saved.recordings.get(key)
        if recording is None or not self._context.absent:
            return recording
        absent = self._context.absent
        values = {
            name: (typed[0], without(*typed, absent))
            for name, typed in recording.values.items()
        }
        return Recording(recording.dirty, values)

    def _converted(
        self, entry: ClassEntry, column: Column, field: SavedField, old: dict[Key, Any]
    ) -> Iterable[tuple[Key, Any]]:
        """Return the values of a field as the current game would have written them."""
        update = ColumnUpdate(self._context, entry, column, field)
        update.add(old)
        self._notes += update.notes
        self._lost += update.lost
        if update.originals:
            fields, rows = update.fields_of_originals, update.originals
            self._preserve_fields(row_schema_of(entry), fields, rows)
        return update.converted.items()

    # -- preserving

    def _preserve(self, table: PreservedTable) -> None:
        """Preserve rows. Raises `SaveError` for cells that could not be read later."""
        for number, name, stored in table.fields:
            raw = [row.cells[number] for row in table.rows if number in row.cells]
            what = f"`{table.name}.{name}`"
            decode_cells(parse(stored), raw, self._context.guard, what)
            # The next save has a filler in place of each missing cell.
            missing = len(table.rows) - len(raw)
            size = len(encode(filler(parse(stored)))) if missing else 0
            self._context.guard.add_memory(missing * size)
        self._preserved.append(table)

    def _preserve_fields(
        self,
        schema: RowSchema,
        fields: tuple[SavedField, ...],
        rows: list[RawRow],
        title: str = "",
    ) -> None:
        """Preserve values that the class cannot load, or can load only in part."""
        title = title or f"{schema.class_name}.{fields[0].name}"
        table = PreservedTable(schema.number, schema.name, fields, rows, False, title)
        self._preserve(table)

    def _preserve_absent(self, saved: SavedObjects) -> None:
        """Preserve the objects of a class that are not loaded."""
        preserved = self._context.absent - self._context.dropped
        keys = in_file_order(key for key in saved.rows if key in preserved)
        if not keys:
            return
        title = self._title(saved)
        for fields, rows in saved.tables_of(keys):
            contents = tuple(fields), rows, True, title
            self._preserve(PreservedTable(saved.number, saved.name, *contents))
            title = ""  # only the first table has a title, because it has all objects

    def _title(self, saved: SavedObjects) -> str:
        """Return the name of a class for reports: the simple one if only one class has it."""
        names = {row_schema_of(entry).name for entry in self._context.registry}
        names |= {each.name for each in self._context.saved.values()}
        simple = saved.name.rpartition(".")[2]
        matches = [name for name in names if name.rpartition(".")[2] == simple]
        return simple if len(matches) == 1 else saved.name
