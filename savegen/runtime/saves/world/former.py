"""Numbers that fields had in older saves, in one class or the other."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from savegen.runtime.registry import Registry
from savegen.runtime.saves.document import Document, Table


def with_numbers_of_today(document: Document, registry: Registry) -> Document:
    """Return a save whose columns have the numbers that the game's fields have today.

    Where a save has both, the one of today counts.
    """
    former = {int(e.save_type): e.former for e in registry if e.former}
    if not former:
        return document
    tables = [
        _renumbered(table, former.get(table.number, {})) for table in document.tables
    ]
    return replace(document, tables=tables)


def _renumbered(table: Table, former: Mapping[int, int]) -> Table:
    taken = {column.number for column in table.columns}
    columns = []
    for column in table.columns:
        number = former.get(column.number, column.number)
        if number not in taken:
            taken.add(number)
            column = replace(column, number=number)
        columns.append(column)
    return replace(table, columns=columns)
