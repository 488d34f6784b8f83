"""The difference of two worlds as they are written: the rows of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from savegen.runtime import snapshot as snapshots
from savegen.runtime.rows import differing
from savegen.runtime.saves.journal import delta
from savegen.runtime.saves.document import EMPTIES, Document, Table
from savegen.runtime.saves.wire.forms import used_shapes
from savegen.runtime.saves.journal.written import (
    Plain,
    Renumbered,
    Rows,
    Written,
    are_same,
)


class Delta:
    """The difference of two worlds as they are written."""

    def __init__(
        self,
        before: Written,
        now: Written,
        packing: Renumbered,
        places: Mapping[type, list[int]],
    ) -> None:
        self._before = before
        self._now = now
        self._packing = packing
        self._places = places
        self._tables: list[Table] = []
        self._removed: list[tuple[int, int]] = []
        self._ordered: list[tuple[int, int, int]] = []
        # Where a shape of one name is another one, forms that look the same are not.
        self._has_other_shapes = any(
            fields != now.shapes.get(name, fields)
            for name, fields in before.shapes.items()
        )
        self._whole = [
            (number,) for number in before.tables if number not in now.tables
        ]

    def of(self, document: Document) -> Document | None:
        """Return the delta that makes another document this one; nothing if that is equal."""
        for table in document.tables:
            self._add(table)
        own = [
            delta.own_table(delta.GONE, self._removed),
            delta.own_table(delta.ORDERED, self._ordered),
            delta.own_table(delta.WHOLE, self._whole),
        ]
        tables = [*self._tables, *(table for table in own if table.count)]
        if not tables and self._before.about == self._now.about:
            return None
        forms = [column.form for table in tables for column in table.columns]
        version, dangling = self._now.about
        return Document(tables, version, used_shapes(forms, self._now.shapes), dangling)

    def _add(self, table: Table) -> None:
        """Write what is new in a table."""
        old = self._before.tables.get(table.number)
        new = self._now.tables[table.number]
        if old is None or self._has_other_shapes or old.columns != new.columns:
            self._write_whole(table)
        elif isinstance(new, Plain) and isinstance(old, Plain):
            self._compare(table, old.table, new.table)
        elif isinstance(new, Rows) and isinstance(old, Rows):
            self._compare_rows(table, old.values, new.values)
        elif old != new:
            self._write_whole(table)

    def _write_whole(self, table: Table) -> None:
        if table.number in self._before.tables:
            self._whole.append((table.number,))
        columns = range(len(table.columns))
        values = [table.values(place) for place in columns]
        if table.is_of_class:
            keys = self._packing.keys(self._packing.groups[table.number])
        elif table.number in delta.KEYED:
            keys = values[0]
        else:
            keys = [*range(table.count)]
        self._write(table, keys, values)

    def _write(
        self, table: Table, keys: Sequence[Any], cells: Sequence[Sequence[Any]]
    ) -> None:
        columns = [delta.KEY, *table.columns]
        self._tables.append(
            delta.table_of(table.number, table.name, columns, [keys, *cells])
        )

    # -- a class whose rows are compared in memory

    def _compare(
        self, table: Table, old: snapshots.Table, new: snapshots.Table
    ) -> None:
        group = self._packing.groups[table.number]
        if are_same(old.objects, new.objects):
            places = self._places.get(type(new.objects[0]))
            if places is None:
                places = _differing(old, new, range(len(new.objects)), None)
        else:
            places = self._moved(table.number, old, new)
        if places:
            numbers = self._packing.numbers
            keys = [numbers[id(new.objects[place])] for place in places]
            self._write(table, keys, self._packing.cells(group, places))

    def _moved(
        self, number: int, old: snapshots.Table, new: snapshots.Table
    ) -> list[int]:
        """Note which rows are gone, and the order; return the places of what is new or else."""
        was = {id(each): place for place, each in enumerate(old.objects)}
        tokens = [*map(id, new.objects)]
        kept = [place for place, token in enumerate(tokens) if token in was]
        came = [place for place, token in enumerate(tokens) if token not in was]
        gone = was.keys() - {*tokens}
        numbers = self._before.numbers
        self._removed += sorted((number, _known(numbers[token])) for token in gone)
        self._order(number, [t for t in was if t not in gone], tokens, came)
        before = [was[tokens[place]] for place in kept]
        return sorted([*came, *_differing(old, new, kept, before)])

    def _order(
        self, number: int, stayed: list[int], tokens: list[int], came: list[int]
    ) -> None:
        """Note the order of a table, unless what came just follows."""
        expected = [*stayed, *(tokens[place] for place in came)]
        if expected != tokens:
            places = {token: place for place, token in enumerate(expected)}
            runs = delta.runs([places[token] for token in tokens])
            self._ordered += [(number, start, length) for start, length in runs]

    # -- a table whose rows have a key in their first column

    def _compare_rows(
        self, table: Table, old: list[list[Any]], new: list[list[Any]]
    ) -> None:
        if old == new:
            return
        number, keys = table.number, new[0]
        was = {row[0]: row for row in zip(*old, strict=True)}
        rows = [*zip(*new, strict=True)]
        other = [place for place, row in enumerate(rows) if was.get(row[0]) != row]
        came = [place for place in other if keys[place] not in was]
        gone = was.keys() - {*keys}
        self._removed += sorted((number, key) for key in gone)
        if number != EMPTIES:  # those are in the order of their keys anyway
            self._order(number, [key for key in was if key not in gone], keys, came)
        if other:
            cells = [[column[place] for place in other] for column in new]
            self._write(table, cells[0], cells)


def _differing(
    old: snapshots.Table,
    new: snapshots.Table,
    places: Sequence[int],
    before: Sequence[int] | None,
) -> list[int]:
    """Return those places of objects in a table whose rows differ from those before."""
    assert new.entry.rows is not None and old.rows is not None and new.rows is not None
    if before is None:
        return differing(new.entry.rows.checks, new.rows, old.rows)
    after = [*chain.from_iterable(map(new.row, places))]
    rows = [*chain.from_iterable(map(old.row, before))]
    return [places[n] for n in differing(new.entry.rows.checks, after, rows)]


def _known(number: int | None) -> int:
    assert number is not None
    return number
