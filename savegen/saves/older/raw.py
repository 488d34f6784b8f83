"""`RawSave`: the save that a migration changes, with classes by name and objects as dicts."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Raw, Struct, convert, msgpack
from msgspec.structs import asdict, astuple, replace

from savegen.runtime.cells import has_keys, keys_in, without
from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.keys import in_key_order, index_of, key_at
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Placement, Recording
from savegen.runtime.stored import Stored, parse
from savegen.runtime.tagged import untag_plain, without_keys
from savegen.saves.body import Body, Field, RawTable, encode
from savegen.saves.limits import Guard
from savegen.saves.older.columns import content_of, decoded
from savegen.saves.older.plain import (
    Ref,
    from_plain,
    is_same,
    key_in,
    to_plain,
    cell_of,
)
from savegen.saves.older.saved_objects import (
    Cell,
    SavedObjects,
    by_class,
    slots_of,
    with_slots,
)
from savegen.saves.schema import row_schema_of
from savegen.saves.tagged_cells import CellTagger

ID = "$id"
RECORDED = "$recorded"
Row = dict[str, Any]
_ANY = Stored("any")


class _Class(Struct, eq=False):
    """The objects of one class, as saved and as changed by migrations."""

    name: str
    saved: SavedObjects
    numbers: dict[str, int] = {}  # field numbers by the names in the rows
    rows: list[Row] = []


class RawSave:
    """The argument of a `@migration`: a whole save as plain data, to be changed in place.

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
        self._tagger = CellTagger(registry.values)
        self.version = body.world.save_version
        self._classes: dict[str, _Class] = {}
        self._removed: set[Key] = set()
        self._slots = slots_of(body.world)
        self._next_reached = body.world.next_reached
        self._read()
        self.placements: dict[Key, dict[str, Any]] = {
            key: asdict(placement) for key, placement in body.placements.items()
        }
        self.states: dict[str, Any] = {
            name: untag_plain(tagged, Ref) for name, tagged in body.states.items()
        }

    # -- operations for migrations

    def __iter__(self) -> Iterator[str]:
        """Yield the full names of the classes in the save."""
        return iter([*self._classes])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._found(name) is not None

    def __getitem__(self, name: str) -> list[Row]:
        """Return the objects of a class; an empty list if the save has none.

        Raises `SaveError` for a simple name that several classes share.
        """
        found = self._found(name)
        return [] if found is None else found.rows

    def add(
        self, name: str, values: Mapping[str, Any], *, registered: bool = True
    ) -> Key:
        """Add an object of a class and return its key; missing fields get their defaults.

        An object that is not `registered` is kept while something refers to it. Raises
        `SaveError` if the game has no such class.
        """
        found = self._found(name)
        if found is None:
            entry = self._entry(name)
            found = _Class(
                row_schema_of(entry).name, SavedObjects(int(entry.save_type), entry)
            )
            self._classes[found.name] = found
        if registered:
            key = key_at(*self._slots.take())
        else:
            self._next_reached += 1
            key = 1 - self._next_reached
        found.rows.append({ID: key, **values})
        return key

    def remove(self, key: Key) -> None:
        """Remove an object with its components. References to it become `None` or are removed.

        Raises `SaveError` if the save has no such object.
        """
        gone = {key}
        for row in self[GAME_OBJECT.load_class().__qualname__]:
            if row[ID] == key:
                gone |= {key_in(part) or key for _, part in row.get("components", ())}
        known = {row[ID] for each in self._classes.values() for row in each.rows}
        if key not in known:
            raise SaveError(f"the save has no object {key}")
        for each in self._classes.values():
            each.rows[:] = [row for row in each.rows if row[ID] not in gone]
        for one in gone & known:
            self.placements.pop(one, None)
            if one > 0:
                self._slots.release(index_of(one))
        self._removed |= gone

    def rename_class(self, old: str, new: str) -> None:
        """Turn the objects of a class into objects of another; their fields keep their names.

        Raises `SaveError` if the save already has objects of the new class, or the game lacks it.
        """
        found = self._found(old)
        if found is None:
            return
        if self._found(new) is not None:
            raise SaveError(f"the save has a class {new!r} already")
        del self._classes[found.name]
        entry = found.saved.entry = self._entry(new)
        found.saved.number, found.name = int(entry.save_type), row_schema_of(entry).name
        for name, number in found.numbers.items():
            self._renumber(found, name, number)
        self._classes[found.name] = found

    def rename_field(self, name: str, old: str, new: str) -> None:
        """Rename a field in all objects of a class."""
        found = self._found(name)
        if found is None:
            return
        for row in found.rows:
            if old in row:
                row[new] = row.pop(old)
        if old in found.numbers:
            self._renumber(found, new, found.numbers.pop(old))

    def _renumber(self, found: _Class, new: str, before: int) -> None:
        """Give a field the number of the current field with its new name."""
        today = _fields_today(found.saved.entry)
        number = found.numbers[new] = today[new].number if new in today else before
        found.saved.renumber(before, number)

    # -- names and keys

    def _found(self, name: str) -> _Class | None:
        """Return a class by its full name, or by its simple one."""
        full = _called(name, self._classes)
        return self._classes[full] if full else None

    def _entry(self, name: str) -> ClassEntry:
        """Return the current class with a full or simple name."""
        entries: tuple[ClassEntry, ...] = (*self._registry, GAME_OBJECT)
        known = {row_schema_of(each).name: each for each in entries}
        full = _called(name, known)
        if full is None:
            names = [full.rpartition(".")[2] for full in known]
            raise SaveError(f"the game has no class {nearest(name, [*known, *names])}")
        return known[full]

    # -- reading

    def _read(self) -> None:
        for saved in by_class(self._body, self._registry).values():
            name, fields = saved.name, saved.read(self._guard).fields()
            found = _Class(_unique(name, saved.number, self._classes), saved)
            self._classes[found.name] = found
            rows: dict[Key, Row] = {key: {ID: key} for key in saved.rows}
            for number, some in fields.items():
                name = _unique(some[0].name, number, found.numbers)
                found.numbers[name] = number
                for key, value in self._plain(saved, some).items():
                    rows[key][name] = value
            for key, recording in saved.recordings.items():
                rows[key][RECORDED] = _plain_recording(recording)
            found.rows += rows.values()

    def _plain(self, saved: SavedObjects, fields: Iterable[Field]) -> dict[Key, Any]:
        """Return the values of a field in all objects, as new plain data."""
        found: dict[Key, Any] = {}
        for field in fields:
            there, stored = saved.column(field), parse(field.stored)
            cells = {key: each for key, each in there.items() if isinstance(each, Raw)}
            what = f"`{saved.name}.{field.name}`"
            values = decoded(stored, cells.values(), self._guard, what)
            found |= {key: to_plain(stored, cell) for key, cell in zip(cells, values)}
            others = there.keys() - cells.keys()
            found |= {key: untag_plain(there[key], Ref) for key in others}
        return found

    # -- writing

    def body(self) -> Body:
        """Return the body of the changed save. Raises `SaveError` for unsuitable values."""
        tables = []
        for each in sorted(self._classes.values(), key=lambda each: each.saved.number):
            saved = self._written(each)
            keys = in_key_order(saved.rows)
            if len(keys) < len(each.rows):
                raise SaveError("a migration gave two objects the same key")
            for fields, rows in saved.layers(keys):
                if rows:
                    tables.append(RawTable(saved.number, each.name, fields).add(rows))
        world = with_slots(
            self._body.world,
            self._slots,
            save_version=self.version,
            migrations=[name for _, name in self._registry.migrations],
            next_reached=self._next_reached,
        )
        found = {key: Placement(**each) for key, each in self.placements.items()}
        # The types of values from migrations are unchecked so far.
        plain = {key: [*astuple(each)] for key, each in found.items()}
        placements = convert(plain, dict[Key, Placement])
        states = {name: from_plain(_ANY, each) for name, each in self.states.items()}
        convert([*states], list[str])
        return replace(
            self._body, world=world, tables=tables, placements=placements, states=states
        )

    def _written(self, found: _Class) -> SavedObjects:
        """Return the saved values of a class after the migrations."""
        made = SavedObjects(found.saved.number, found.saved.entry)
        made.tables, fields = found.saved.tables, found.saved.fields()
        before = {
            name: self._plain(found.saved, fields.get(number, ()))
            for name, number in found.numbers.items()
        }
        for row in found.rows:
            key = convert(row[ID], Key)
            cells = made.rows[key] = {}
            for name, value in row.items():
                if name == RECORDED:
                    made.recordings[key] = self._recording(found, key, value)
                elif name != ID:
                    was = before.get(name, {})
                    if key in was and is_same(was[key], value):
                        cell = found.saved.rows[key][found.numbers[name]]
                    else:
                        cell = self._changed(found, key, name, value)
                    cells[cell.field.number] = self._cut(cell)
        return made

    def _changed(self, found: _Class, key: Key, name: str, value: Any) -> Cell:
        """Return a value that a migration wrote, in the current type if possible, else the old."""
        saved, today = found.saved, _fields_today(found.saved.entry)
        number = found.numbers.get(name, today[name].number if name in today else None)
        if number is None:
            raise SaveError(f"`{found.name}` has no field {nearest(name, today)}")
        choices = [field for field in today.values() if field.number == number]
        old = saved.rows.get(key, {}).get(number)
        choices += [old.field] if old else saved.fields().get(number, [])
        reason: SaveError | None = None
        for field in choices:
            stored = parse(field.stored)
            try:
                cell = cell_of(stored, value, self._registry.values)
            except SaveError as error:
                reason = reason or error
            else:
                return Cell(field, content_of(cell, stored, self._tagger))
        raise SaveError(
            f"the value that a migration gave `{found.name}.{name}` is unsuitable: {reason}"
        ) from None

    def _cut(self, cell: Cell) -> Cell:
        """Return a cell without references to removed objects."""
        if not self._removed:
            return cell
        field, content = cell
        if cell.is_mismatch:
            return Cell(field, without_keys(content, self._removed))
        stored = parse(field.stored)
        found = msgpack.decode(content) if has_keys(stored) else None
        if self._removed.isdisjoint(keys_in(stored, [found] if found else [])):
            return cell
        return Cell(field, Raw(encode(without(stored, found, self._removed))))

    def _recording(self, found: _Class, key: Key, value: Any) -> Recording:
        was = found.saved.recordings.get(key)
        if was is not None and is_same(_plain_recording(was), value):
            return was
        dirty = convert(value["dirty"], tuple[str, ...])
        values = convert(value["values"], dict[str, Any])
        return Recording(dirty, {n: from_plain(_ANY, values[n]) for n in values})


def _unique(name: str, number: int, known: Container[str]) -> str:
    """Return a unique name, by adding a number if necessary."""
    return f"{name}#{number}" if name in known else name


def _called(name: str, known: Collection[str]) -> str | None:
    """Return the full name for a full or simple name; `None` if it is unknown."""
    if name in known:
        return name
    alike = [full for full in known if full.endswith(f".{name}")]
    if len(alike) > 1:
        raise SaveError(f"{name!r} is ambiguous: write {' or '.join(map(repr, alike))}")
    return alike[0] if alike else None


def _plain_recording(recording: Recording) -> dict[str, Any]:
    values = {name: untag_plain(each, Ref) for name, each in recording.values.items()}
    return {"dirty": [*recording.dirty], "values": values}


def _fields_today(entry: ClassEntry | None) -> dict[str, Field]:
    """Return the fields of a current class by name."""
    return {} if entry is None else {f.name: f for f in row_schema_of(entry).fields}
