"""The schema of the rows of each class, by which rows are written and read."""

from __future__ import annotations

from functools import cached_property, partial
from hashlib import blake2b
from operator import attrgetter
from typing import Any, get_type_hints

import msgspec

from savegen.runtime.values.cells import filler
from savegen.runtime.values.fits import find_mismatches
from savegen.runtime.world.objects import GAME_OBJECT
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Row, cells_of
from savegen.runtime.values.stored import NATIVE, declared
from savegen.saves.body import Field, RawTable, RowsSection, declare_table, encode
from savegen.saves.limits import CODING_ERRORS, decode_deep

_DEEP = frozenset(["any", "rec"])  # types that can be nested to any depth
# Types that msgspec checks completely when it decodes a row.
_CHECKED = NATIVE | frozenset("optional list tuple fixed dict any asset prefab".split())


class Column:
    """One field of a class: its name, its attribute in rows, and its stored type."""

    def __init__(self, cell: str, field: Field, hint: Any) -> None:
        self.cell = cell
        self.number, self.name, _ = field
        self.stored = declared(field.stored)
        self.get = attrgetter(cell)
        self.check = partial(find_mismatches, self.stored)
        self._hint = hint

    @cached_property
    def needs_check(self) -> bool:
        """Whether a cell that was decoded without an error may still not fit its stored type."""
        return any(part.name not in _CHECKED for part in self.stored.walk())

    @cached_property
    def filler(self) -> Any:
        """The cell that is stored in a row in place of a missing or mismatched value."""
        return filler(self.stored)

    def as_decoded(self, cell: Any) -> Any:
        """Return a cell as a decoder would return it, with tuples in place of lists."""
        return msgspec.convert(cell, self._hint)

    @cached_property
    def _decoder(self) -> Any:
        return msgspec.msgpack.Decoder(list[self._hint])  # type: ignore[name-defined]

    def can_be_read(self, cells: list[Any]) -> bool:
        """Return whether cells can be encoded, and decoded again as cells of this field."""
        try:
            decode_deep(self._decoder, encode(cells))
        except (*CODING_ERRORS, RecursionError):
            return False
        return True


class RowSchema:
    """The schema of the rows of a class, with their decoder."""

    def __init__(self, entry: ClassEntry) -> None:
        self.row: type[Row] = entry.row
        self.number = entry.number
        self.class_name = entry.marked_class().__qualname__
        self.name = _full_name(entry)
        self.row_name = f"a row of {self.name}"  # in errors
        public = {
            int(number): name
            for name, number in entry.mixin.save_load_field_names.items()
        }
        hints = get_type_hints(self.row)
        self.columns = [
            Column(cell, Field(number, public.get(number, cell), stored), hints[cell])
            for (number, cell), (_, stored) in zip(
                cells_of(self.row).items(), entry.fields, strict=True
            )
        ]
        self.by_cell = {column.cell: column for column in self.columns}
        self.by_number = {column.number: column for column in self.columns}
        self.fields = tuple(
            Field(column.number, column.name, str(column.stored))
            for column in self.columns
        )
        # The columns of fields that refer to objects or to classes.
        self.reference_columns = [
            column
            for column in self.columns
            if column.cell in entry.class_limited
            or column.cell in entry.reference_fields
        ]
        self.to_check = [column for column in self.columns if column.needs_check]
        self.section = declare_table(self.number, self.name, self.fields)
        self.is_deep = any(
            part.name in _DEEP
            for column in self.columns
            for part in column.stored.walk()
        )
        row: Any = self.row
        self.decoder = msgspec.msgpack.Decoder(RowsSection[row])

    def fits(self, table: RawTable) -> bool:
        """Return whether rows of a saved table can be read without conversion."""
        if table.fields is self.fields:
            return True
        if len(table.fields) != len(self.fields):
            return False
        return all(
            number == own_number and stored == own_stored
            for (number, _, stored), (own_number, _, own_stored) in zip(
                table.fields, self.fields
            )
        )


_ROW_SCHEMAS: dict[type[Row], RowSchema] = {}


def row_schema_of(entry: ClassEntry) -> RowSchema:
    """Return the schema of the rows of a class."""
    schema = _ROW_SCHEMAS.get(entry.row)
    if schema is None:
        schema = _ROW_SCHEMAS[entry.row] = RowSchema(entry)
    return schema


def entry_of(number: int, registry: Registry | None) -> ClassEntry | None:
    """Return the entry of a class by its number; `None` if the game cannot have its objects.

    It does not have the class, or the class is abstract today.
    """
    if registry is None:
        return None
    if number == GAME_OBJECT.save_type:
        return GAME_OBJECT
    entry = registry[number] if number in registry else None
    is_abstract = entry and getattr(entry.marked_class(), "__abstractmethods__", None)
    return None if is_abstract else entry


def _full_name(entry: ClassEntry) -> str:
    cls: type = entry.marked_class()
    if cls.__module__.startswith("savegen.runtime."):
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


def fingerprint(registry: Registry) -> str:
    """Return a short text that changes when the saved fields of a game change.

    >>> from savegen.runtime.generated.registry import FORMAT
    >>> len(fingerprint(Registry(FORMAT, ())))
    16
    """
    hashed = blake2b(digest_size=8)
    for entry in sorted(registry, key=lambda entry: entry.save_type):
        hashed.update(row_schema_of(entry).section)
    return hashed.hexdigest()
