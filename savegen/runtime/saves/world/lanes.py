"""Columns of a table, and what makes their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.world.data import UNSET
from savegen.runtime.saves.document import (
    FIRST_FIELD,
    ROWS_OF_A_PIECE,
    Column,
    Form,
    Piece,
)

Cells = Callable[[int, int], Sequence[Any]]  # the wire values of some rows


class Lane(NamedTuple):
    """One column of a table, and what makes its values."""

    column: Column
    cells: Cells


class Pieces:
    """The pieces of a table, made anew each time."""

    def __init__(self, count: int, lanes: list[Lane]) -> None:
        self._count = count
        self._lanes = lanes

    def __iter__(self) -> Iterator[Piece]:
        for start in range(0, self._count, ROWS_OF_A_PIECE):
            end = min(start + ROWS_OF_A_PIECE, self._count)
            yield [[*lane.cells(start, end)] for lane in self._lanes]


def fields_of(entry: ClassEntry) -> list[tuple[int, str]]:
    """Return the numbers and names of a class's fields, in the order of its rows."""
    if entry is GAME_OBJECT:
        return [*enumerate(entry.rows.checks if entry.rows else (), FIRST_FIELD)]
    names = entry.mixin.save_load_field_names
    return [(int(number), name) for name, number in names.items()]


def whole_lane(column: Column, values: Sequence[Any]) -> Lane:
    return Lane(column, lambda start, end: values[start:end])


def maybe(column: Column) -> Column:
    """Return a column in which values may be missing."""
    return Column(column.number, column.name, ["maybe", column.form])


def lost_lane(column: Column, form: Form, values: list[Any]) -> Lane:
    """Return the column of a field that the class has no more: newer objects have none."""
    made = Column(column.number, column.name, form)
    if not any(value is UNSET for value in values):
        return whole_lane(made, values)
    is_maybe = not isinstance(form, str) and form[0] == "maybe"
    inner = made if is_maybe else maybe(made)
    values = [
        [] if value is UNSET else [value if is_maybe else [value]] for value in values
    ]
    return whole_lane(maybe(inner), values)
