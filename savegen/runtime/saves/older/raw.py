"""A save as a migration changes it: classes by name, their objects as plain dicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.saves.document import (
    GAME_OBJECTS,
    GENERATORS,
    NAMES,
    RECORDS,
    REMOVED,
    STATES,
    TOMBSTONES,
    Column,
    Document,
    Table,
)
from savegen.runtime.saves.world.lanes import fields_of
from savegen.runtime.saves.older.rewriting import (
    ID,
    OWN,
    RawTable,
    Rewriting,
    Row,
    is_there,
    unwrapped,
)
from savegen.runtime.saves.world.shapes import Told
from savegen.runtime.saves.older.vacancies import Vacancies
from savegen.runtime.saves.wire.forms import to_plain
from savegen.runtime.saves.world.wiring import wires_of


class RawSave:
    """What a `@migration` is given: a whole save as plain data, to be changed in place.

    `save["Enemy"]` are the objects of a class: dicts by field name, as it was when they were
    saved, with the number of the object as `$id`. A field that is not set is absent. Values
    are JSON's: an object is `{"$ref": 7}`, a member of an enumeration its name, a record a
    dict. `records` are the objects that were added to the world, `states` what `add_state`
    has saved. What a migration has changed is read as today's game writes it, if it can be.

    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> walls = Table(7, "Wall", [Column(16, "height", "int")], 2, [[[2, 5]]])
    >>> save = RawSave(Document([walls]), Registry(FORMAT, ()))
    >>> for wall in save["Wall"]:
    ...     wall["height"] *= 100
    >>> save["Wall"]
    [{'$id': 0, 'height': 200}, {'$id': 1, 'height': 500}]
    >>> save.document().table(7).values(0)
    [200, 500]
    """

    def __init__(self, document: Document, registry: Registry) -> None:
        self._document = document
        self._registry = registry
        self._wires = wires_of(registry)
        self.version = document.save_version
        self._tables = _by_name(self._read())
        self._next = document.count
        self._slots = Vacancies(document)
        names = ("object", "index", "generation", "prefab", "placement", "level")
        objects, *others = _natural(document.table(RECORDS), document.shapes)
        numbers = [each["$ref"] for each in objects]
        self.records: list[Row] = [
            dict(zip(names, row, strict=True)) for row in zip(numbers, *others)
        ]
        self.states: dict[str, Any] = dict(
            zip(*_natural(document.table(STATES), document.shapes), strict=True)
        )

    # -- what a migration does

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the classes that the save has objects of."""
        return iter([*self._tables])

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __getitem__(self, name: str) -> list[Row]:
        """Return the objects of a class. One without any has none: see `in`."""
        return self._tables[name].rows if name in self._tables else []

    def add(
        self, name: str, values: Mapping[str, Any], *, registered: bool = True
    ) -> int:
        """Add an object of a class, and return its number; what is not told is its default.

        One that is not `registered` is there as long as something refers to it. Raises
        `SaveError` if the game has no such class.
        """
        if name not in self._tables:
            entry = self._entry(name)
            number = int(entry.save_type)
            self._tables[name] = RawTable(number, name, {}, {}, [], entry)
        number = self._next
        self._next += 1
        self._tables[name].rows.append({ID: number, **values})
        if registered:
            index, generation = self._slots.fill()
            self.records.append(
                {
                    "object": number,
                    "index": index,
                    "generation": generation,
                    "prefab": None,
                    "placement": None,
                    "level": None,
                }
            )
        return number

    def remove(self, number: int) -> None:
        """Remove an object, with its components. Whatever refers to it refers to nothing."""
        gone = {number}
        for row in self[NAMES[GAME_OBJECTS]]:
            if row[ID] == number:
                gone |= {part["$ref"] for _, part in row.get("components", ())}
        if not any(
            row[ID] in gone for table in self._tables.values() for row in table.rows
        ):
            raise SaveError(f"the save has no object {number}")
        for table in self._tables.values():
            table.rows[:] = [row for row in table.rows if row[ID] not in gone]
        self.records[:] = [row for row in self.records if row["object"] not in gone]

    def rename_class(self, old: str, new: str) -> None:
        """Make the objects of a class those of another; their fields keep their names.

        Raises `SaveError` if the save has objects of the other, or the game has no such class.
        """
        if old not in self._tables:
            return
        if new in self._tables:
            raise SaveError(f"the save has a class {new!r} already")
        table = self._tables.pop(old)
        table.entry = self._entry(new)
        table.number, table.name = int(table.entry.save_type), new
        known = _numbers(table.entry)
        table.columns = {
            name: Column(known.get(name, column.number), name, column.form)
            for name, column in table.columns.items()
        }
        self._tables[new] = table

    def rename_field(self, name: str, old: str, new: str) -> None:
        """Call a field of a class otherwise, in all its objects."""
        if name not in self._tables:
            return
        table = self._tables[name]
        for row in table.rows:
            if old in row:
                row[new] = row.pop(old)
        if old in table.columns:
            column = table.columns.pop(old)
            known = _numbers(table.entry) if table.entry else {}
            number = known.get(new, column.number)
            table.columns[new] = Column(number, new, column.form)
            table.saved[new] = table.saved.pop(old)

    # -- reading

    def _read(self) -> Iterator[RawTable]:
        first = 0
        for table in self._document.classes:
            numbers = range(first, first + table.count)
            rows: list[Row] = [{ID: number} for number in numbers]
            entry = self._entries_by_number.get(table.number)
            made = RawTable(table.number, table.name, {}, {}, rows, entry)
            columns = zip(table.columns, table.all_values(), strict=True)
            for column, values in columns if table.number != REMOVED else ():
                self._tell(made, column, values)
            yield made
            first += table.count

    def _tell(self, table: RawTable, column: Column, values: list[Any]) -> None:
        """Put the values of a column into the rows of a table."""
        name = OWN.get(column.number, column.name)
        form, cells = unwrapped(column.form, values)
        table.columns[name] = Column(column.number, name, form)
        numbers = (row[ID] for row in table.rows)
        table.saved[name] = dict(zip(numbers, cells, strict=True))
        found = [*filter(is_there, cells)]
        plains = iter(to_plain(form, self._document.shapes, found, natural=True))
        for row, cell in zip(table.rows, cells, strict=True):
            if is_there(cell):
                row[name] = next(plains)

    @cached_property
    def _entries_by_number(self) -> dict[int, ClassEntry]:
        known = {int(entry.save_type): entry for entry in self._registry}
        return {**known, GAME_OBJECTS: GAME_OBJECT}

    def _entry(self, name: str) -> ClassEntry:
        classes = {each.called: each for each in self._registry}
        if name not in classes:
            raise SaveError(f"the game has no class {nearest(name, classes)}")
        return classes[name]

    # -- writing

    def document(self) -> Document:
        """Return the save as it is now. Raises `SaveError` for what no field can be."""
        tables = [table for table in self._tables.values() if table.rows]
        tables.sort(key=lambda table: table.number)
        writing = Rewriting(self._document, self._wires, tables)
        made = [
            *writing.tables(),
            writing.records(self.records),
            *self._slots.tables(row["index"] for row in self.records),
            writing.states(self.states),
            writing.kept(),
            *(self._document.table(number) for number in (TOMBSTONES, GENERATORS)),
        ]
        made.append(writing.removed())
        found = [table for table in made if table.count]
        return Document(found, self.version, writing.shapes.used)


def _by_name(tables: Iterable[RawTable]) -> dict[str, RawTable]:
    """Return tables by their names; of two with one name, by what the game calls them."""
    tables = list(tables)
    counts = Counter(each.name for each in tables)
    for each in tables:
        if counts[each.name] > 1 and each.entry:
            each.name = each.entry.called
    return {each.name: each for each in tables}


def _natural(table: Table, shapes: Told) -> list[list[Any]]:
    """Return the columns of a table as people read them."""
    return [
        to_plain(column.form, shapes, values, natural=True)
        for column, values in zip(table.columns, table.all_values(), strict=True)
    ]


def _numbers(entry: ClassEntry) -> dict[str, int]:
    return {name: number for number, name in fields_of(entry)}
