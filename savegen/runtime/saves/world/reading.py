"""Reading the columns of one class: by today's code what an older version may have written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from savegen.runtime.errors import SaveApplyError, SaveCorruptError
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.world.converting import Converter, is_as_today
from savegen.runtime.saves.world.data import UNSET
from savegen.runtime.saves.document import Column, Document, Form, Table
from savegen.runtime.saves.world.lanes import fields_of
from savegen.runtime.saves.wire import NoConversion, Things, Wires
from savegen.runtime.snapshot import Lack
from savegen.runtime.supplying import MISSING

Read = Callable[[Sequence[Any], Things], list[Any]]


class Found(msgspec.Struct, eq=False):
    """What the columns of one class say, in today's terms."""

    # As in a `Table` of a snapshot; UNSET for an attribute that is not set.
    rows: list[Any]
    has_unset: bool
    lacks: dict[int, Lack]  # what the save does not say, by place in a row
    # Places in a row of which the save says more than the class can hold.
    loses: list[int]


class ClassReader:
    """Reads the table of a class that the game knows."""

    def __init__(
        self, document: Document, table: Table, entry: ClassEntry, wires: Wires
    ) -> None:
        assert entry.rows is not None
        self._document = document
        self._table = table
        self.entry = entry
        self._wires = wires
        self.checks = [*entry.rows.checks.values()]
        self.width = len(self.checks)
        places = {column.number: place for place, column in enumerate(table.columns)}
        self.fields = fields_of(entry)
        # By place in a row: the place in the table, and how values are missing in it.
        self.columns: dict[int, int] = {
            at: places[number]
            for at, (number, _) in enumerate(self.fields)
            if number in places
        }
        self._readers = {
            at: self._reader(at, table.columns[place])
            for at, place in self.columns.items()
        }

    def read(self, things: Things) -> Found:
        """Return all rows. Raises `SaveError` for what cannot be read."""
        rows: list[Any] = []
        self.read_pieces(things, lambda _, found: rows.extend(found))
        rows += [MISSING] * (self._table.count * self.width - len(rows))
        lacks = {at: self._lack(at, rows) for at in range(self.width)}
        return Found(
            rows,
            any(cell is UNSET for cell in rows) if self._may_miss else False,
            {at: lack for at, lack in lacks.items() if lack},
            [at for at, read in self._readers.items() if getattr(read, "loses", False)],
        )

    def read_pieces(
        self, things: Things, take: Callable[[int, list[Any]], object]
    ) -> None:
        """Read piece by piece; `take` is given the place of the first object, and the rows."""
        count, width, start = self._table.count, self.width, 0
        for piece in self._table.pieces:
            rows = [MISSING] * (len(piece[0]) * width if piece else 0)
            for at, place in self.columns.items():
                _put(rows, self._readers[at](piece[place], things), at, width)
            take(start, rows)
            start += len(piece[0]) if piece else 0
        if self._table.columns and start != count:
            raise SaveCorruptError(f"{self._table.name} has {start} rows, not {count}")

    @property
    def is_whole(self) -> bool:
        """Whether the save says all that the class holds, of each object, and no more."""
        says_all = len(self.columns) == self.width == len(self._table.columns)
        loses = any(getattr(read, "loses", False) for read in self._readers.values())
        return says_all and not self._may_miss and not loses

    @property
    def _may_miss(self) -> bool:
        return any(depth_of(self._table.columns[p].form) for p in self.columns.values())

    def _lack(self, at: int, rows: list[Any]) -> Lack | None:
        """Tell of which objects the save does not have a field; `None` of none."""
        number = self.fields[at][0]
        if at not in self.columns:
            return Lack(number)
        if depth_of(self._table.columns[self.columns[at]].form) < 2:
            return None
        cells = rows[at :: self.width]
        places = frozenset(n for n, cell in enumerate(cells) if cell is MISSING)
        return Lack(number, places) if places else None

    def _reader(self, at: int, column: Column) -> Read:
        depth, form = depth_of(column.form), column.form
        for _ in range(depth):
            form = form[1]
        read = self._plain_reader(at, column, form)
        return read if depth == 0 else Maybe(read, depth)

    def reader_of(self, at: int, form: Form) -> Read:
        """Return what reads a form for a field. Raises `NoConversion` if nothing can."""
        return self._wires.of(self.checks[at]).reader(form, self._document.shapes)

    def _plain_reader(self, at: int, column: Column, form: Form) -> Read:
        wire, shapes = self._wires.of(self.checks[at]), self._document.shapes
        where = f"{self._table.name}.{self.fields[at][1]}"
        name = self.entry.converters.get(column.number)
        if name and not is_as_today(form, shapes, wire.form, self._wires.shapes):
            return Converter(where, name, self.checks[at], form, shapes)
        try:
            return wire.reader(form, shapes)
        except NoConversion as error:
            cls, field = self._table.name, self.fields[at][1]
            raise SaveApplyError(
                f"`{where}` cannot be read: {error.said}; write a"
                f' `@converter({cls}, "{field}")`'
            ) from None


class Maybe:
    """Reads values that may be missing: not set, or, one level further out, not known then."""

    def __init__(self, read: Read, depth: int) -> None:
        self._read = read
        self._depth = depth
        self.loses = getattr(read, "loses", False)

    def __call__(self, values: Sequence[Any], things: Things) -> list[Any]:
        made: list[Any] = [*values]
        kinds = (MISSING, UNSET)[-self._depth :]
        for kind in kinds:
            made = [
                each if each is MISSING else each[0] if each else kind for each in made
            ]
        places = [
            n
            for n, each in enumerate(made)
            if each is not UNSET and each is not MISSING
        ]
        found = self._read([made[place] for place in places], things)
        for place, value in zip(places, found, strict=True):
            made[place] = value
        return made


def depth_of(form: Form) -> int:
    """Return in how many ways the values of a column may be missing."""
    if isinstance(form, str) or form[0] != "maybe":
        return 0
    return 1 + min(1, depth_of(form[1]))


def _put(rows: list[Any], values: list[Any], at: int, width: int) -> None:
    try:
        rows[at::width] = values
    except ValueError:
        raise SaveCorruptError("the columns of a table are not of one length") from None
