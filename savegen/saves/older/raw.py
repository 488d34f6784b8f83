"""`RawSave`: a save as plain data, which migrations read and change."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Raw, Struct, convert
from msgspec.structs import asdict, astuple, replace

from savegen.runtime.values.folds import keys_in, without
from savegen.runtime.values.kinds.kind import Typed
from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.values.basics.keys import (
    describe_key,
    in_file_order,
    index_of,
    key_at,
)
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.stored import StoredType, parse
from savegen.saves.body import Body, SavedField, RawTable, Types
from savegen.saves.limits import Guard
from savegen.saves.older.columns import content_of, decode_cells
from savegen.saves.older.plain import (
    cell_of,
    is_same,
    key_in,
    plain_typed,
    python_value,
    to_plain,
)
from savegen.saves.older.saved_objects import (
    Cell,
    SavedObjects,
    by_class,
    slots_of,
    with_slots,
)
from savegen.saves.schema import row_schema_of

ID = "$id"
RECORDED = "$recorded"
_ADD = "add objects with `save.add(class, values)`"
Row = dict[str, Any]


class _RawClass(Struct, eq=False):
    """The objects of one class, as saved and as changed by migrations."""

    name: str
    saved: SavedObjects
    numbers: dict[str, int] = {}  # field numbers, by the names in `rows`
    rows: list[Row] = []  # changed by migrations


class RawSave:
    """A whole save as plain data: the argument of a `@migration`, which changes it in place.

    `save["mygame.foes.Enemy"]`, or `save["Enemy"]` if that name is unique, is the list of objects
    of a class. Each is a dict by the field names of that time, with the key of the object as
    `$id`. Unset fields are absent. A reference is `{"$ref": key}`, an enum member its name, a
    record a dict. `placements` gives the prefab or level of an object by its key, and `states`
    the values that `add_state` saved.
    """

    def __init__(self, body: Body, registry: Registry, guard: Guard) -> None:
        self._body = body
        self._registry = registry
        self._guard = guard
        self.version = body.world.save_version
        self._classes: dict[str, _RawClass] = {}
        self._keys: set[Key] = set()  # of all objects, also those that were added
        self._removed: set[Key] = set()
        self._slots = slots_of(body.world)
        self._next_reached = body.world.next_reached
        self._read()
        self.placements: dict[Key, dict[str, Any]] = {
            key: asdict(placement) for key, placement in body.placements.items()
        }
        self.states: dict[str, Any] = {
            name: python_value(typed) for name, typed in body.states.items()
        }

    # -- operations for migrations

    def __iter__(self) -> Iterator[str]:
        """Yield the full names of the classes in the save."""
        return iter([*self._classes])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._class(name) is not None

    def __getitem__(self, name: str) -> list[Row]:
        """Return the objects of a class; an empty list if the save has none.

        Raises `SaveError` for a simple name that several classes share.
        """
        raw = self._class(name)
        return [] if raw is None else raw.rows

    def add(
        self, name: str, values: Mapping[str, Any], *, registered: bool = True
    ) -> Key:
        """Add an object of a class and return its key; missing fields get their defaults.

        An object that is not `registered` is kept while something refers to it. Raises
        `SaveError` if the game has no such class.
        """
        raw = self._class(name)
        if raw is None:
            entry = self._entry(name)
            saved = SavedObjects(int(entry.save_type), entry)
            raw = _RawClass(row_schema_of(entry).name, saved)
            self._classes[raw.name] = raw
        if registered:
            key = key_at(*self._slots.insert(True))
        else:
            key = -self._next_reached
            self._next_reached += 1
        raw.rows.append({**values, ID: key})
        self._keys.add(key)
        return key

    def remove(self, key: Key) -> None:
        """Remove an object with its components. References to it become `None` or are removed.

        Raises `SaveError` if the save has no such object.
        """
        removed = {key}
        for row in self[GAME_OBJECT.load_class().__qualname__]:
            if row[ID] == key:
                parts = row.get("components", ())
                removed |= {key_in(part) or key for _, part in parts}
        keys = {row[ID] for raw in self._classes.values() for row in raw.rows}
        if key not in keys:
            raise SaveError(f"the save has no object with the key {key}")
        for raw in self._classes.values():
            raw.rows[:] = [row for row in raw.rows if row[ID] not in removed]
        for removed_key in removed & keys:
            self.placements.pop(removed_key, None)
            if removed_key > 0:
                self._slots.release(index_of(removed_key))
        self._removed |= removed
        self._keys -= removed

    def rename_class(self, old: str, new: str) -> None:
        """Turn the objects of a class into objects of another; their fields keep their names.

        Raises `SaveError` if the save already has objects of the new class, or the game lacks it.
        """
        raw = self._class(old)
        if raw is None:
            return
        if self._class(new) is not None:
            raise SaveError(f"the save has a class {new!r} already")
        del self._classes[raw.name]
        entry = raw.saved.entry = self._entry(new)
        raw.saved.number, raw.name = int(entry.save_type), row_schema_of(entry).name
        for name, number in raw.numbers.items():
            self._renumber(raw, name, number)
        self._classes[raw.name] = raw

    def rename_field(self, name: str, old: str, new: str) -> None:
        """Rename a field in all objects of a class."""
        raw = self._class(name)
        if raw is None:
            return
        for row in raw.rows:
            if old in row:
                row[new] = row.pop(old)
        if old in raw.numbers:
            self._renumber(raw, new, raw.numbers.pop(old))

    def _renumber(self, raw: _RawClass, name: str, old: int) -> None:
        """Give a field the number of the current field with its name, if there is one."""
        current = _current_fields(raw.saved.entry)
        number = raw.numbers[name] = current[name].number if name in current else old
        raw.saved.renumber(old, number)

    # -- names and keys

    def _class(self, name: str) -> _RawClass | None:
        full = _full_name(name, self._classes)
        return self._classes[full] if full else None

    def _entry(self, name: str) -> ClassEntry:
        entries: tuple[ClassEntry, ...] = (*self._registry, GAME_OBJECT)
        by_name = {row_schema_of(entry).name: entry for entry in entries}
        full = _full_name(name, by_name)
        if full is None:
            names = [*by_name, *(full.rpartition(".")[2] for full in by_name)]
            raise SaveError(f"the game has no class {nearest(name, names)}")
        return by_name[full]

    # -- reading

    def _read(self) -> None:
        for saved in by_class(self._body, self._registry).values():
            fields = saved.read(self._guard).fields()
            name = _unique_name(saved.name, saved.number, self._classes)
            raw = self._classes[name] = _RawClass(name, saved)
            rows: dict[Key, Row] = {key: {ID: key} for key in saved.rows}
            for number, fields_of_number in fields.items():
                name = _unique_name(fields_of_number[0].name, number, raw.numbers)
                raw.numbers[name] = number
                for key, value in self._plain(saved, fields_of_number).items():
                    rows[key][name] = value
            for key, recording in saved.recordings.items():
                rows[key][RECORDED] = _plain_recording(recording)
            raw.rows += rows.values()
            self._keys |= rows.keys()

    def _plain(
        self, saved: SavedObjects, fields: Iterable[SavedField]
    ) -> dict[Key, Any]:
        """Return the values of a field as new plain data. `fields` are the forms of one field."""
        plain: dict[Key, Any] = {}
        for field in fields:
            column, stored = saved.column(field), parse(field.stored)
            cells = {key: each for key, each in column.items() if isinstance(each, Raw)}
            what = f"`{saved.name}.{field.name}`"
            values = decode_cells(stored, cells.values(), self._guard, what)
            plain |= {key: to_plain(stored, cell) for key, cell in zip(cells, values)}
            others = {key: column[key] for key in column.keys() - cells.keys()}
            plain |= {key: _plain(stored, each) for key, each in others.items()}
        return plain

    # -- writing

    def check_keys(self) -> None:
        """Raise `SaveError` if objects have another `$id` than before, or were taken out."""
        found: set[Any] = set()
        for raw in self._classes.values():
            for row in raw.rows:
                if not isinstance(row, dict):
                    raise SaveError(f"{row!r} in `{raw.name}` is not a dict; {_ADD}")
                key = row.get(ID)
                if type(key) is not int or key not in self._keys:
                    text = f"has the `$id` {key!r}" if ID in row else "has no `$id`"
                    raise SaveError(
                        f"an object of `{raw.name}` {text}; leave each `$id` as it is, and {_ADD}"
                    )
                if key in found:
                    raise SaveError(
                        f"two objects of `{raw.name}` have the same `$id` {key}; {_ADD}"
                    )
                found.add(key)
        # An object that was only reached needs no row.
        if missing := [key for key in self._keys - found if key > 0]:
            raise SaveError(
                f"{describe_key(min(missing))} was taken out of its list; remove objects with"
                f" `save.remove({min(missing)})`"
            )

    def body(self) -> Body:
        """Return the body of the changed save.

        Raises `SaveError`, `ValidationError` or `TypeError` for unsuitable values; the caller
        reports them as `SaveApplyError`.
        """
        self.check_keys()
        tables, types = [], Types()
        types.read(self._body.types.texts)  # what nobody changed keeps its numbers
        for raw in sorted(self._classes.values(), key=lambda raw: raw.saved.number):
            saved = self._changed_objects(raw)
            keys = in_file_order(saved.rows)
            for fields, rows in saved.tables_of(keys):
                if rows:
                    table = RawTable(saved.number, raw.name, (*fields,), types)
                    tables.append(table.add(rows))
        world = with_slots(
            self._body.world,
            self._slots,
            save_version=self.version,
            migrations=[name for _, name in self._registry.migrations],
            next_reached=self._next_reached,
        )
        # `convert` checks the types of values that migrations have written.
        plain = {
            key: [*astuple(Placement(**each))] for key, each in self.placements.items()
        }
        placements = convert(plain, dict[Key, Placement])
        states = {name: self._typed(each) for name, each in self.states.items()}
        convert([*states], list[str])
        return replace(
            self._body,
            world=world,
            types=types,
            tables=tables,
            placements=placements,
            states=states,
        )

    def _typed(self, value: Any) -> Typed:
        return plain_typed(value, self._registry.values)

    def _changed_objects(self, raw: _RawClass) -> SavedObjects:
        """Return the objects of a class after the migrations; unchanged cells are reused."""
        saved = raw.saved
        changed = SavedObjects(saved.number, saved.entry)
        changed.tables, fields = saved.tables, saved.fields()
        plain = {
            name: self._plain(saved, fields.get(number, ()))
            for name, number in raw.numbers.items()
        }
        for row in raw.rows:
            key = row[ID]
            cells = changed.rows[key] = {}
            for name, value in row.items():
                if name == RECORDED:
                    changed.recordings[key] = self._recording(saved, key, value)
                elif name != ID:
                    old_values = plain.get(name, {})
                    if key in old_values and is_same(old_values[key], value):
                        cell = saved.rows[key][raw.numbers[name]]
                    else:
                        cell = self._changed_cell(raw, key, name, value)
                    cells[cell.field.number] = self._without_removed(cell)
        return changed

    def _changed_cell(self, raw: _RawClass, key: Key, name: str, value: Any) -> Cell:
        """Return, as a cell of the current or the old type, a value that a migration wrote."""
        saved, current = raw.saved, _current_fields(raw.saved.entry)
        current_number = current[name].number if name in current else None
        number = raw.numbers.get(name, current_number)
        if number is None:
            raise SaveError(f"`{raw.name}` has no field {nearest(name, current)}")
        fields = [field for field in current.values() if field.number == number]
        old = saved.rows.get(key, {}).get(number)
        fields += [old.field] if old else saved.fields().get(number, [])
        reason: SaveError | None = None
        for field in fields:
            stored = parse(field.stored)
            try:
                cell = cell_of(stored, value, self._registry.values)
            except SaveError as error:
                reason = reason or error
            else:
                return Cell(field, content_of(cell, stored))
        raise SaveError(
            f"a migration gave `{raw.name}.{name}` a value that it cannot have: {reason}"
        ) from None

    def _without_removed(self, cell: Cell) -> Cell:
        if not self._removed:
            return cell
        stored, value = cell.typed
        if self._removed.isdisjoint(keys_in(stored, [value])):
            return cell
        value = without(stored, value, self._removed)
        is_extra = not isinstance(cell.content, Raw)
        return Cell(
            cell.field, (stored, value) if is_extra else content_of(value, stored)
        )

    def _recording(self, saved: SavedObjects, key: Key, value: Any) -> Recording:
        old = saved.recordings.get(key)
        if old is not None and is_same(_plain_recording(old), value):
            return old
        dirty = convert(value["dirty"], tuple[str, ...])
        values = convert(value["values"], dict[str, Any])
        return Recording(dirty, {name: self._typed(values[name]) for name in values})


def _plain(stored: StoredType, typed: Typed) -> Any:
    """Return a value with its type as plain data; `stored` is the type of its field."""
    return to_plain(*typed) if typed[0] == stored else python_value(typed)


def _unique_name(name: str, number: int, taken: Container[str]) -> str:
    """Return a name, with a number if it is taken."""
    return f"{name}#{number}" if name in taken else name


def _full_name(name: str, full_names: Collection[str]) -> str | None:
    """Return the full name for a full or simple name; `None` for an unknown name."""
    if name in full_names:
        return name
    matches = [full for full in full_names if full.endswith(f".{name}")]
    if len(matches) > 1:
        choices = " or ".join(map(repr, matches))
        raise SaveError(f"{name!r} is ambiguous: write {choices}")
    return matches[0] if matches else None


def _plain_recording(recording: Recording) -> dict[str, Any]:
    values = {name: python_value(each) for name, each in recording.values.items()}
    return {"dirty": [*recording.dirty], "values": values}


def _current_fields(entry: ClassEntry | None) -> dict[str, SavedField]:
    return {} if entry is None else {f.name: f for f in row_schema_of(entry).fields}
