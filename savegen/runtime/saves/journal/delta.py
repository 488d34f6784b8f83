"""What a record of a journal says: a document of the rows that are not what they were.

Rows are told apart by numbers that last as long as the journal: those of objects in the save it
belongs to, and higher ones for objects that came later. A table of a delta has them as its
first column, and the references in it are such numbers. Tables without such numbers are written
whole, as are those whose columns have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from savegen.runtime.saves.document import (
    EMPTIES,
    FREE,
    RECORDS,
    ROWS_OF_A_PIECE,
    Column,
    Table,
)

KEY = Column(-1, "row", "int")

# Tables that only a delta has.
GONE = -101  # rows that are gone
# The order of a table's rows, as runs of places: first those that stay, then those that came.
# It is only there if they do not simply follow.
ORDERED = -102
WHOLE = -103  # tables of which nothing is left but what is here

_ROW = (Column(0, "table", "int"), Column(1, "row", "int"))
COLUMNS = {
    GONE: _ROW,
    ORDERED: (*_ROW, Column(2, "rows", "int")),
    WHOLE: _ROW[:1],
}

# Tables whose rows are told apart by their first column.
KEYED = (RECORDS, EMPTIES, FREE)


def has_keys(table: Table) -> bool:
    return table.is_of_class or table.number in KEYED


def table_of(
    number: int, name: str, columns: Iterable[Column], values: Sequence[Sequence[Any]]
) -> Table:
    """Return a table of all its values, column by column."""
    count = len(values[0]) if values else 0
    pieces = [
        [[*column[start : start + ROWS_OF_A_PIECE]] for column in values]
        for start in range(0, count, ROWS_OF_A_PIECE)
    ]
    return Table(number, name, [*columns], count, pieces)


def own_table(number: int, rows: Iterable[tuple[int, ...]]) -> Table:
    """Return one of the tables that only a delta has."""
    columns = COLUMNS[number]
    values = [*zip(*rows, strict=True)] or [()] * len(columns)
    return table_of(number, "", columns, values)


def runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Return places as runs: where each begins, and how long it is.

    >>> runs([0, 1, 5, 2, 3, 4])
    [(0, 2), (5, 1), (2, 3)]
    """
    starts = [0, *(n for n in range(1, len(places)) if places[n] != places[n - 1] + 1)]
    ends = [*starts[1:], len(places)]
    return [(places[start], end - start) for start, end in zip(starts, ends) if places]
