"""A save and the records of its journal, as one save: without the game, from wire values alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress, count
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.saves.journal.delta import (
    COLUMNS,
    GONE,
    KEY,
    KEYED,
    ORDERED,
    WHOLE,
    table_of,
)
from savegen.runtime.saves.document import (
    EMPTIES,
    SYSTEM,
    Column,
    Document,
    Table,
    known_by,
)
from savegen.runtime.saves.wire.forms import refers, relink, used_shapes


def replay(
    document: Document, deltas: Sequence[Document]
) -> tuple[Document, int, SaveError | None]:
    """Return what the world was after the last delta; the document given is as it was.

    If a delta does not fit to what was before it, that and what follows is left out: how many
    were not is returned as well, and the error.
    """
    state = _State(document)
    for place, delta in enumerate(deltas):
        try:
            state.take(delta)
        except (SaveCorruptError, SaveLimitError) as error:
            # It may have been taken in part.
            return *replay(document, deltas[:place])[:2], error
    return state.document(), len(deltas), None


class _Rows:
    """A table in the making: columns, and the number of each row."""

    def __init__(self, table: Table, keys: list[int]) -> None:
        self.name = table.name
        self.columns = table.columns
        self.keys = keys
        self._table: Table | None = table  # not decoded before something changes
        self._values: list[list[Any]] = []

    @property
    def values(self) -> list[list[Any]]:
        if self._table is not None:
            width = len(self.columns)
            cells: list[list[Any]] = [[] for _ in range(width)]
            for piece in self._table.pieces if width else ():
                for column, found in zip(cells, piece, strict=True):
                    column += found
            self._values, self._table = cells, None
        return self._values

    def write(self, keys: Sequence[int], cells: Sequence[Sequence[Any]]) -> None:
        """Put rows in the place of those with their numbers, or behind all others."""
        places = {key: place for place, key in enumerate(self.keys)}
        if len({*keys}) < len(keys):
            raise SaveCorruptError(f"a record has a row of {self.name} twice")
        known = [key in places for key in keys]
        new = [not each for each in known]
        at = [places[key] for key in compress(keys, known)]
        for column, found in zip(self.values, cells, strict=True):
            for place, value in zip(at, compress(found, known), strict=True):
                column[place] = value
            column += compress(found, new)
        self.keys += compress(keys, new)

    def remove(self, keys: set[int]) -> None:
        if not keys <= {*self.keys}:
            raise SaveCorruptError(f"a record removes rows that {self.name} has not")
        stay = [key not in keys for key in self.keys]
        self._choose(lambda column: [*compress(column, stay)])

    def order(self, runs: list[tuple[int, int]]) -> None:
        """Put the rows into an order: runs of their places, each a start and a length."""
        size = len(self.keys)
        if sum(length for _, length in runs) != size or any(n < 1 for _, n in runs):
            raise SaveCorruptError(f"a record orders other rows than {self.name} has")
        chosen = [*chain.from_iterable(range(s, s + length) for s, length in runs)]
        if {*chosen} != {*range(size)}:
            raise SaveCorruptError(f"a record orders other rows than {self.name} has")
        self._choose(lambda column: [column[place] for place in chosen])

    def sort(self) -> None:
        places = sorted(range(len(self.keys)), key=self.keys.__getitem__)
        self._choose(lambda column: [column[place] for place in places])

    def _choose(self, choose: Callable[[list[Any]], list[Any]]) -> None:
        self._values = [choose(column) for column in self.values]
        self.keys = choose(self.keys)

    def table(self, number: int, relinked: Callable[[Column, Any], Any]) -> Table:
        if not self.columns:
            return Table(number, self.name, [], len(self.keys), [])
        values = [
            relinked(column, cells)
            for column, cells in zip(self.columns, self.values, strict=True)
        ]
        return table_of(number, self.name, self.columns, values)


class _State:
    """A save, as the records one after the other change it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._version = document.save_version
        self._dangling = document.dangling
        self._shapes = document.shapes
        self._tables: dict[int, _Rows] = {}
        numbers = count()
        for table in document.tables:
            _check_columns(table, table.columns)
            self._tables[table.number] = _Rows(table, _keys(table, numbers))

    def take(self, delta: Document) -> None:
        self._version, self._shapes = delta.save_version, self._shapes | delta.shapes
        self._dangling = delta.dangling
        for number, _ in _grouped(delta, WHOLE):
            self._tables.pop(number, None)
        for number, rows in _grouped(delta, GONE):
            self._rows(number).remove({key for (key,) in rows})
        for table in delta.tables:
            if table.number not in (GONE, ORDERED, WHOLE):
                self._write(table)
        for number, rows in _grouped(delta, ORDERED):
            self._rows(number).order(rows)

    def _rows(self, number: int) -> _Rows:
        if number not in self._tables:
            raise SaveCorruptError("a record changes a table that is not there")
        return self._tables[number]

    def _write(self, table: Table) -> None:
        key, columns = table.columns[:1], table.columns[1:]
        if key != [KEY]:
            raise SaveCorruptError(
                f"the rows of {table.name} in a record have no number"
            )
        if table.number not in self._tables:
            empty = Table(table.number, table.name, columns, 0, [])
            self._tables[table.number] = _Rows(empty, [])
        rows = self._tables[table.number]
        _check_columns(table, columns)
        if rows.columns != columns:
            raise SaveCorruptError(f"a record has other columns of {table.name}")
        cells: list[list[Any]] = [[] for _ in table.columns]
        for piece in table.pieces:
            for column, found in zip(cells, piece, strict=True):
                column += found
        rows.write(_whole(cells[0]), cells[1:])

    def document(self) -> Document:
        """Return what it is now, numbered anew, in the order that saves have."""
        if EMPTIES in self._tables:
            self._tables[EMPTIES].sort()
        order = sorted(n for n, rows in self._tables.items() if rows.keys)
        classes = [number for number in order if number >= -1]
        others = [number for number in order[::-1] if number < -1]
        tokens = chain.from_iterable(self._tables[number].keys for number in classes)
        renumber = _Numbers(tokens, self._shapes)
        tables = [
            self._tables[number].table(number, renumber.relinked)
            for number in (*classes, *others)
        ]
        forms = [column.form for table in tables for column in table.columns]
        shapes = used_shapes(forms, self._shapes)
        return Document(tables, self._version, shapes, self._dangling)


def _has(delta: Document, number: int) -> bool:
    return any(table.number == number for table in delta.tables)


def _keys(table: Table, numbers: count[int]) -> list[int]:
    """Return the numbers of a save's rows."""
    if table.is_of_class:
        return [next(numbers) for _ in range(table.count)]
    if table.number in KEYED:
        return _whole(table.values(0))
    return [*range(table.count)]


def _check_columns(table: Table, columns: Sequence[Column]) -> None:
    """Raise `SaveCorruptError` if a table of savegen's own has not the columns that it has."""
    own = (SYSTEM | COLUMNS).get(table.number)
    if own is not None and known_by(columns) != known_by(own):
        raise SaveCorruptError(f"table {table.number} has columns that none has")


def _whole(values: list[Any]) -> list[Any]:
    if not {*map(type, values)} <= {int}:
        raise SaveCorruptError("the number of a row is none, or far too large")
    return values


def _grouped(delta: Document, number: int) -> Iterable[tuple[int, list[Any]]]:
    """Return what one of the delta's own tables says, by the table that it is about."""
    found: dict[int, list[Any]] = {}
    if _has(delta, number):
        own = delta.table(number)
        _check_columns(own, own.columns)
        for table, *row in map(_whole, map(list, own.rows())):
            found.setdefault(table, []).append(tuple(row))
    return found.items()


class _Numbers:
    """The numbers of objects in a save, from those in its journal."""

    def __init__(self, tokens: Iterable[int], shapes: Any) -> None:
        self._numbers = {token: number for number, token in enumerate(tokens)}
        self._shapes = shapes
        self._is_same = all(token == n for token, n in self._numbers.items())

    def relinked(self, column: Column, values: list[Any]) -> list[Any]:
        if self._is_same or not refers(column.form, self._shapes):
            return values
        return relink(column.form, self._shapes, values, self._new)

    def _new(self, token: int | None) -> int | None:
        return None if token is None else self._numbers.get(token)
