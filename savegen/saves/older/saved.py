"""What a save says of the objects of one class, whatever types its fields had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Raw, msgpack

from savegen.runtime.registry import ClassEntry
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Recording
from savegen.saves.body import Field, RawRow, RawTable
from savegen.saves.limits import Guard
from savegen.saves.preserved import mismatch_as_given

encode = msgpack.Encoder().encode


class Cell(NamedTuple):
    """A cell as it was saved, and the field that says what it is."""

    field: Field
    raw: Raw


class Saved:
    """All that a save says of one class, table by table; the first one has every object."""

    def __init__(self, number: int, entry: ClassEntry | None) -> None:
        self.number = number
        self.entry = entry
        self.tables: list[RawTable] = []
        self._is_read = False
        self.rows: dict[Key, dict[int, Cell]] = {}
        self.mismatches: dict[Key, dict[int, tuple[Field, Any]]] = {}
        self.recordings: dict[Key, Recording] = {}

    @property
    def name(self) -> str:
        return self.tables[0].name

    def read(self, guard: Guard) -> None:
        """Read the rows, once. A later table says more of an object that an earlier one has."""
        if self._is_read:
            return
        self._is_read = True
        for table in self.tables:
            fields = {field.number: field for field in table.fields}
            for row in table.rows(guard):
                self._add(row, fields)
        for old, new in self.entry.former.items() if self.entry else ():
            self.renumber(old, new)

    def _add(self, row: RawRow, fields: dict[int, Field]) -> None:
        known = self.rows.setdefault(row.key, {})
        mismatches = self.mismatches.setdefault(row.key, {})
        numbers = [n for n in (*row.cells, *row.mismatches) if n > 0]
        for number in numbers:
            given = row.cells.get(-number)
            if given is not None and bytes(given) != self._given(row.key, number):
                continue
            known.pop(number, None)
            mismatches.pop(number, None)
            if number in row.cells:
                known[number] = Cell(fields[number], row.cells[number])
            else:
                mismatches[number] = fields[number], row.mismatches[number]
        if row.recording is not None:
            self.recordings[row.key] = row.recording

    def _given(self, key: Key, number: int) -> bytes | None:
        """Return what a table says of a field if it was cut to what is known of it."""
        cell = self.rows[key].get(number)
        if cell is not None:
            return encode(bytes(cell.raw))
        found = self.mismatches[key].get(number)
        return None if found is None else mismatch_as_given(found[1])

    def renumber(self, old: int, new: int) -> None:
        """Give a field another number. A value that stands under it already counts more."""
        if old == new:
            return
        for cells, mismatches in zip(self.rows.values(), self.mismatches.values()):
            if new in cells or new in mismatches:
                continue
            if old in cells:
                cell = cells.pop(old)
                cells[new] = cell._replace(field=cell.field._replace(number=new))
            elif old in mismatches:
                field, tagged = mismatches.pop(old)
                mismatches[new] = field._replace(number=new), tagged

    def fields(self) -> dict[int, list[Field]]:
        """Return the fields by number, as they were saved; one may have had several types."""
        found: dict[int, dict[Field, None]] = {}
        for cells in self.rows.values():
            for number, cell in cells.items():
                found.setdefault(number, {})[cell.field] = None
        for mismatches in self.mismatches.values():
            for number, (field, _) in mismatches.items():
                found.setdefault(number, {})[field] = None
        saved = [field.number for table in self.tables for field in table.fields]
        order = dict.fromkeys([*saved, *sorted(found)])
        return {number: [*found[number]] for number in order if number in found}

    def row(
        self, key: Key, fields: Iterable[Field], *, is_whole: bool = False
    ) -> RawRow | None:
        """Return some fields of an object as they were saved; `None` if it has none of them.

        A row that `is_whole` has the object's recording, too.
        """
        cells = {
            field.number: cell.raw
            for field in fields
            if (cell := self.rows[key].get(field.number)) and cell.field == field
        }
        mismatches = {
            field.number: found[1]
            for field in fields
            if (found := self.mismatches[key].get(field.number)) and found[0] == field
        }
        recording = self.recordings.get(key) if is_whole else None
        if not (cells or mismatches or is_whole):
            return None
        return RawRow(key, cells, dict(sorted(mismatches.items())), recording)

    def layers(self, keys: Iterable[Key]) -> Iterator[tuple[list[Field], list[RawRow]]]:
        """Yield the fields and rows of tables that together say all of some objects.

        All objects are in the first one. A field that was saved with several types needs
        several tables.
        """
        left = [field for fields in self.fields().values() for field in fields]
        is_first = True
        while left or is_first:
            chosen = {field.number: field for field in reversed(left)}
            fields = [field for field in left if chosen[field.number] is field]
            found = (self.row(key, fields, is_whole=is_first) for key in keys)
            yield fields, [row for row in found if row is not None]
            left = [field for field in left if chosen[field.number] is not field]
            is_first = False
