"""What a migration has left of a save, as a document again."""

from __future__ import annotations

from typing import Any

import msgspec

from savegen.runtime import plain
from savegen.runtime.checks import Check
from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.world.data import UNSET
from savegen.runtime.saves.document import (
    DATA,
    RECORDED,
    RECORDS,
    REMOVED,
    ROWS_OF_A_PIECE,
    STATES,
    Column,
    Document,
    Form,
    Table,
)
from savegen.runtime.saves.world.kept import (
    bare_form,
    encoded,
    saved_table,
    saved_values,
)
from savegen.runtime.saves.world.lanes import fields_of, maybe
from savegen.runtime.saves.world.reading import depth_of
from savegen.runtime.saves.world.shapes import Shapes
from savegen.runtime.saves.world.records import texts
from savegen.runtime.saves.world.surroundings import system_table
from savegen.runtime.saves.wire import Wires
from savegen.runtime.saves.wire.forms import from_plain, relink, to_plain
from savegen.runtime.supplying import MISSING

ID = "$id"
OWN = {DATA: "$data", RECORDED: "$recorded"}
Row = dict[str, Any]


class RawTable(msgspec.Struct, eq=False):
    """The objects of one class: as they were saved, and as a migration leaves them."""

    number: int
    name: str
    columns: dict[str, Column]  # by the name of the field
    # Wire values, by that name and the object's number.
    saved: dict[str, dict[int, Any]]
    rows: list[Row]
    entry: ClassEntry | None  # of today's class

    def today(self) -> dict[str, tuple[int, Check]]:
        """Return number and check of each field of today's class, by name."""
        entry = self.entry
        if entry is None or entry.rows is None:
            return {}
        fields, checks = fields_of(entry), entry.rows.checks.values()
        return {name: (number, c) for (number, name), c in zip(fields, checks)}


def unwrapped(form: Form, values: list[Any]) -> tuple[Form, list[Any]]:
    """Return the form of values that may be missing, and the values: some are MISSING, or UNSET."""
    kinds = (UNSET,) if depth_of(form) < 2 else (MISSING, UNSET)
    for kind in kinds[: depth_of(form)]:
        values = [v if v is MISSING else v[0] if v else kind for v in values]
        form = form[1]
    return form, values


def is_there(cell: Any) -> bool:
    return cell is not UNSET and cell is not MISSING


class Rewriting:
    """One save on its way from plain data."""

    def __init__(
        self, document: Document, wires: Wires, tables: list[RawTable]
    ) -> None:
        self._document = document
        self._wires = wires
        self._tables = tables
        self.shapes = Shapes()
        numbers = [row[ID] for table in tables for row in table.rows]
        self._new = {number: place for place, number in enumerate(numbers)}
        if len(self._new) < len(numbers):
            raise SaveError("a migration has given two objects one number")

    def number(self, old: Any) -> Any:
        """Return the number of an object now; one that is gone has one behind all others."""
        return self._new.setdefault(old, len(self._new))

    def tables(self) -> list[Table]:
        """Return the tables of classes. Raises `SaveError` for what no field can be."""
        for table in self._tables:
            for column in table.columns.values():
                self.shapes.use(column.form, self._document.shapes)
        return [self._table(table) for table in self._tables]

    def _table(self, table: RawTable) -> Table:
        names = dict.fromkeys([*table.columns, *(n for row in table.rows for n in row)])
        made = [self._column(table, name) for name in names if name != ID]
        made.sort(key=lambda pair: pair[0].number)
        columns, values = [column for column, _ in made], [each for _, each in made]
        count = len(table.rows)
        pieces = [
            [each[start : start + ROWS_OF_A_PIECE] for each in values]
            for start in range(0, count, ROWS_OF_A_PIECE)
        ]
        return Table(table.number, table.name, columns, count, pieces)

    # -- one column

    def _column(self, table: RawTable, name: str) -> tuple[Column, list[Any]]:
        saved, column = table.saved.get(name, {}), table.columns.get(name)
        if column is not None and self._is_as_before(table, name, column):
            cells = [saved.get(row[ID], MISSING) for row in table.rows]
            form = column.form
        else:
            form, cells = self._changed(table, name, column)
        found = [*filter(is_there, cells)]
        shapes = {**self._document.shapes, **self.shapes.used}
        rest = iter(relink(form, shapes, found, self.number))
        cells = [next(rest) if is_there(cell) else cell for cell in cells]
        number = self._number(table, name, column)
        return _wrapped(Column(number, name.removeprefix("$"), form), cells)

    def _is_as_before(self, table: RawTable, name: str, column: Column) -> bool:
        """Tell whether nobody has changed a field, in any object that is left."""
        cells = table.saved[name]
        rows = [row for row in table.rows if row[ID] in cells or name in row]
        if any(row[ID] not in cells for row in rows):
            return False
        rows = [row for row in rows if is_there(cells[row[ID]]) or name in row]
        if not all(name in row and is_there(cells[row[ID]]) for row in rows):
            return False
        before = self._plain(column.form, [cells[row[ID]] for row in rows])
        return all(plain.same(row[name], was) for row, was in zip(rows, before))

    def _plain(self, form: Form, values: list[Any]) -> list[Any]:
        return to_plain(form, self._document.shapes, values, natural=True)

    def _changed(
        self, table: RawTable, name: str, column: Column | None
    ) -> tuple[Form, list[Any]]:
        """Return what a migration has written: by today's form if it can be, else by that of
        the save.
        """
        values = [row[name] for row in table.rows if name in row]
        form, made = self._written(table, name, column, values)
        rest, before = iter(made), table.saved.get(name, {})
        return form, [
            (
                next(rest)
                if name in row
                else UNSET if before.get(row[ID]) is UNSET else MISSING
            )
            for row in table.rows
        ]

    def _written(
        self, table: RawTable, name: str, column: Column | None, values: list[Any]
    ) -> tuple[Form, list[Any]]:
        today = table.today().get(name)
        if today is not None:
            form = self._wires.of(today[1]).form
            try:
                made = from_plain(form, self._wires.shapes, values)
                return self.shapes.adopted(form, self._wires.shapes), made
            except SaveError as error:
                if column is None:
                    raise _unfit(table, name, error) from None
        if column is None and name not in OWN.values():
            raise SaveError(
                f"`{table.name}` has no field {nearest(name, table.today())}"
            )
        form = "any" if column is None else column.form
        try:
            return form, from_plain(form, self._document.shapes, values)
        except SaveError as error:
            raise _unfit(table, name, error) from None

    def _number(self, table: RawTable, name: str, column: Column | None) -> int:
        if column is not None:
            return column.number
        own = {each: number for number, each in OWN.items()}
        return own[name] if name in own else table.today()[name][0]

    # -- the other tables

    def records(self, rows: list[Row]) -> Table:
        """Return the table of what is in the world."""
        for row in rows:
            if row["object"] not in self._new:
                raise SaveError(f"the save has no object {row['object']}")
        names = ("object", "index", "generation", "prefab", "placement", "level")
        objects, *numbers, placements, levels = (
            [row[name] for row in rows] for name in names
        )
        found = [
            [*map(self.number, objects)],
            *numbers,
            texts(placements),
            texts(levels),
        ]
        return system_table(RECORDS, found)

    def states(self, states: dict[str, Any]) -> Table:
        """Return the table of what `add_state` had saved."""
        values = from_plain("any", {}, [*states.values()])
        return system_table(
            STATES, [texts(states), relink("any", {}, values, self.number)]
        )

    def kept(self) -> Table:
        """Return the table of values that the game could not hold."""
        forms = {
            (column.number, number): column.form
            for table in self._tables
            for name, column in table.columns.items()
            for number in table.saved[name]
        }
        shapes, rows = self._document.shapes, []
        for each in saved_values(self._document):
            form = forms.get((each.number, each.object))
            if form is None or each.object not in self._new:
                continue
            form = bare_form(form)
            now = each._replace(form=form, value=each.now).values(shapes)
            was = each.values(shapes)
            rows.append(
                each._replace(
                    object=self.number(each.object),
                    form=self.shapes.adopted(each.form, shapes),
                    value=encoded(relink(each.form, shapes, was, self.number)[0]),
                    now=encoded(relink(form, shapes, now, self.number)[0]),
                )
            )
        return saved_table(rows)

    def removed(self) -> Table:
        """Return the table of objects that are gone, and still referred to."""
        count = len(self._new) - sum(len(table.rows) for table in self._tables)
        return Table(REMOVED, "removed", [], count, [])


def _wrapped(column: Column, cells: list[Any]) -> tuple[Column, list[Any]]:
    """Return a column with values that may be missing."""
    if all(map(is_there, cells)):
        return column, cells
    cells = [[cell] if is_there(cell) else cell for cell in cells]
    if not any(cell is MISSING for cell in cells):
        return maybe(column), [[] if cell is UNSET else cell for cell in cells]
    inner = [[] if cell is UNSET else cell for cell in cells]
    return maybe(maybe(column)), [[] if c is MISSING else [c] for c in inner]


def _unfit(table: RawTable, name: str, error: SaveError) -> SaveError:
    return SaveError(
        f"what a migration has given `{table.name}.{name}` cannot be read: {error}"
    )
