"""A save of another version of the game as one of today, and what of it is preserved."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.keys import in_key_order
from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Recording
from savegen.runtime.stored import parse

from savegen.saves.body import Body, Field, RawRow, RawTable, WorldPart
from savegen.saves.limits import Guard
from savegen.saves.older.columns import Around, ColumnUpdate, decoded
from savegen.saves.older.mismatched import without_absent
from savegen.saves.older.saved import Saved, by_class, raw_row, slots_of, with_slots
from savegen.saves.preserved import Part, Preserved, PreservedTable
from savegen.saves.schema import Column, Layout, layout_of

_GAME_OBJECT = int(GAME_OBJECT.save_type)
_COMPONENTS = int(GameObjectFields.COMPONENTS_REF)


class Today(NamedTuple):
    """A save as the game of today would have written it."""

    body: Body
    preserved: Preserved | None
    report: dict[str, Any]  # what the `LoadReport` says of it


class Update:
    """Makes a body of today. The one that it is given stays as it is."""

    def __init__(
        self,
        body: Body,
        registry: Registry,
        guard: Guard,
        prefabs: Container[Any] | None = None,
    ) -> None:
        """`prefabs` are the numbers of those that the game has; `None` if it does not matter."""
        self._body = body
        self._registry = registry
        self._guard = guard
        self._prefabs = prefabs
        self._saved = by_class(body, registry)
        self._absent: set[Key] = set()  # of unknown classes, or part of what is unknown
        self._dropped: set[Key] = set()  # of these, what is gone for good
        self._preserved: list[PreservedTable] = []
        self._parts: list[Part] = []
        self._notes: list[str] = []
        self._around = Around(
            registry,
            guard,
            frozenset([_GAME_OBJECT, *(int(each.save_type) for each in registry)]),
            self._absent,
            self._dropped,
            lambda: self._class_of.get,
            self._without_parts,
        )

    def run(self) -> Today:
        """Return the body of today. Raises `SaveError` for what cannot be read by the game."""
        self._find_absent()
        tables = [
            self._table(saved, saved.entry)
            for saved in self._saved.values()
            if saved.entry is not None
        ]
        for saved in self._saved.values():
            self._keep_absent(saved)
        body = self._body
        placements = {k: p for k, p in body.placements.items() if k not in self._absent}
        made = Body(
            self._world(),
            [table for table in tables if table.pieces],
            placements,
            body.generators,
            body.states,
            body.tombstones,
        )
        report: dict[str, Any] = {}
        preserved = self._found_preserved()
        if preserved and preserved.counts:
            report["preserved"] = preserved.counts
        if self._notes:
            report["notes"] = (*dict.fromkeys(self._notes),)
        return Today(made, preserved, report)

    def _world(self) -> WorldPart:
        """Return what there is once; slots of what is gone for good are empty."""
        version, world = self._registry.save_version, self._body.world
        if not self._dropped:
            return replace(world, save_version=version)
        return with_slots(world, slots_of(world, self._dropped), save_version=version)

    def _found_preserved(self) -> Preserved | None:
        if not (self._preserved or self._parts):
            return None
        placements = {
            key: placement
            for key, placement in self._body.placements.items()
            if key in self._absent - self._dropped
        }
        return Preserved(
            self._preserved, self._parts, placements, self._body.generators
        )

    # -- what there is

    @cached_property
    def _class_of(self) -> dict[Key, int]:
        """The class numbers of all objects, by key."""
        found = self._saved.items()
        return {key: n for n, each in found for key in each.read(self._guard).rows}

    def _find_absent(self) -> None:
        for number, saved in self._saved.items():
            if saved.entry is None:
                self._absent.update(saved.read(self._guard).rows)
                if number in self._registry.retired:
                    self._dropped.update(saved.rows)
        known = self._prefabs
        for key, placement in self._body.placements.items():
            prefab = placement.prefab
            if prefab is None or known is None or prefab in known:
                continue
            whole = {key, *self._components(key)}
            self._absent |= whole
            if prefab in self._registry.retired:
                self._dropped |= whole

    def _components(self, key: Key) -> list[Key]:
        saved = self._saved.get(_GAME_OBJECT)
        if saved is None:
            return []
        cell = saved.read(self._guard).rows.get(key, {}).get(_COMPONENTS)
        if cell is None or cell.is_mismatch:
            return []
        field, raw = cell
        what = "the components of an object"
        (found,) = decoded(parse(field.stored), [raw], self._guard, what)
        return [key for _, key in found]

    # -- a class of today

    def _table(self, saved: Saved, entry: ClassEntry) -> RawTable:
        """Return the table of a class as today's game would have written it."""
        layout = layout_of(entry)
        refers = bool(entry.referring or entry.behaviors)
        if len(saved.tables) == 1 and layout.fits(saved.tables[0]):
            absent = self._absent
            if not absent or (
                not refers and absent.isdisjoint(saved.read(self._guard).rows)
            ):
                return saved.tables[0]
        keys = [key for key in saved.read(self._guard).rows if key not in self._absent]
        found: dict[Key, dict[int, Any]] = {key: {} for key in keys}
        for number, fields in saved.fields().items():
            column = layout.by_number.get(number)
            for field in fields:
                there = saved.column(field)
                there = {key: there[key] for key in keys if key in there}
                if column is not None:
                    for key, content in self._converted(entry, column, field, there):
                        found[key][number] = content
                elif number not in entry.retired and there:
                    self._keep_field(layout, field, there)
        table = RawTable(layout.number, layout.name, layout.fields)
        recordings = {key: self._recording(saved, key) for key in keys}
        return table.add(
            [raw_row(key, found[key], recordings[key]) for key in in_key_order(keys)]
        )

    def _recording(self, saved: Saved, key: Key) -> Recording | None:
        found = saved.recordings.get(key)
        if found is None or not self._absent:
            return found
        values = {
            name: without_absent(tagged, self._absent)
            for name, tagged in found.values.items()
        }
        return Recording(found.dirty, values)

    def _converted(
        self, entry: ClassEntry, column: Column, field: Field, there: dict[Key, Any]
    ) -> Iterable[tuple[Key, Any]]:
        """Return what was saved as one field, as today's game would have written it."""
        update = ColumnUpdate(self._around, entry, column, field)
        update.add(there)
        self._notes += update.notes
        if update.kept:
            layout = layout_of(entry)
            fields = (field, Field(-field.number, field.name, "bytes"))
            title = f"{layout.class_name}.{field.name}"
            self._keep(layout.number, layout.name, fields, update.kept, title)
        return update.found.items()

    def _without_parts(self, owner: Key, number: int, cell: list[Any]) -> list[Any]:
        """Return components or children that are in the world; note where others stood."""
        left = []
        for place, item in enumerate(cell):
            part = Part(owner, number, place, item)
            if part.key not in self._absent:
                left.append(item)
            elif part.key not in self._dropped:
                self._parts.append(part)
        return left

    # -- what is preserved

    def _keep(
        self,
        number: int,
        name: str,
        fields: Iterable[Field],
        rows: list[RawRow],
        title: str = "",
        *,
        is_own: bool = False,
    ) -> None:
        self._preserved.append(
            PreservedTable(number, name, tuple(fields), rows, is_own, title)
        )

    def _keep_field(
        self, layout: Layout, field: Field, there: Mapping[Key, Any]
    ) -> None:
        """Preserve a field that a class does not have any more."""
        rows = [raw_row(key, {field.number: each}) for key, each in there.items()]
        self._check(layout.class_name, [field], rows)
        title = f"{layout.class_name}.{field.name}"
        self._keep(layout.number, layout.name, [field], rows, title)

    def _keep_absent(self, saved: Saved) -> None:
        """Preserve the objects of a class that are not in the world."""
        if not self._absent:
            return
        keys = [key for key in saved.rows if key in self._absent - self._dropped]
        if not keys:
            return
        title = self._title(saved)
        for fields, rows in saved.layers(keys):
            self._check(saved.name, fields, rows)
            self._keep(saved.number, saved.name, fields, rows, title, is_own=True)
            title = ""  # the first table has all of them

    def _title(self, saved: Saved) -> str:
        """Return the name of a class as a report has it: as short as is clear."""
        known = {layout_of(entry).name for entry in self._registry}
        names = known | {each.name for each in self._saved.values()}
        simple = saved.name.rpartition(".")[2]
        alike = [name for name in names if name.rpartition(".")[2] == simple]
        return simple if len(alike) == 1 else saved.name

    def _check(self, name: str, fields: Sequence[Field], rows: list[RawRow]) -> None:
        """Raise `SaveError` for preserved cells that could not be read again."""
        for field in fields:
            raw = [row.cells[field.number] for row in rows if field.number in row.cells]
            decoded(parse(field.stored), raw, self._guard, f"`{name}.{field.name}`")
