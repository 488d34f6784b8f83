"""What a file says of its tables, before it comes to what is in them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.container.columns import ODD
from savegen.runtime.saves.document import Column, Document, Table
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.container.prices import NO_FORM, Bytes
from savegen.runtime.saves.wire.forms import check_form

_encode = msgspec.msgpack.Encoder().encode


class _Table(msgspec.Struct, array_like=True):
    number: int
    name: str
    columns: list[tuple[int, str, Any]]
    count: Annotated[int, msgspec.Meta(ge=0)]


class _Description(msgspec.Struct, array_like=True):
    save_version: Annotated[int, msgspec.Meta(ge=0)]
    dangling: Annotated[int, msgspec.Meta(ge=0)]
    shapes: dict[str, list[tuple[str, Any]]]
    tables: list[_Table]


_describe = msgspec.msgpack.Decoder(_Description).decode
_FORMS = NO_FORM.heads._replace(array=2048)  # with the readers made for them
_PRICE = NO_FORM._replace(heads=_FORMS)


def description(document: Document, limits: Limits) -> bytes:
    """Return what a document says of itself. Raises `SaveError` if it could not be read."""
    check(document, limits)
    tables = [
        _Table(
            table.number,
            table.name,
            [(column.number, column.name, column.form) for column in table.columns],
            table.count,
        )
        for table in document.tables
    ]
    return _encode(
        _Description(document.save_version, document.dangling, document.shapes, tables)
    )


def price(data: Bytes) -> int:
    return _PRICE.of(1, data)


def described(data: Bytes, limits: Limits) -> Document:
    """Return a document without its pieces. Raises `SaveCorruptError`, `SaveLimitError`."""
    try:
        found = _describe(data)
    except ODD as error:
        raise SaveCorruptError(f"the tables cannot be told: {error}") from None
    tables = [
        Table(t.number, t.name, [Column(*c) for c in t.columns], t.count, [])
        for t in found.tables
    ]
    document = Document(tables, found.save_version, found.shapes, found.dangling)
    check(document, limits)
    return document


def check(document: Document, limits: Limits) -> None:
    """Raise `SaveLimitError` or `SaveCorruptError` for tables that no save has."""
    tables = document.tables
    limits.allow("the number of tables", "tables", len(tables))
    columns = [column for table in tables for column in table.columns]
    fields = [field for shape in document.shapes.values() for field in shape]
    limits.allow("the number of columns", "columns", len(columns) + len(fields))
    others = (table.count for table in tables if not table.is_of_class)
    limits.allow("the number of objects", "objects", max(document.count, *others, 0))
    names = [*document.shapes, *(name for name, _ in fields)]
    names += [table.name for table in tables] + [column.name for column in columns]
    limits.allow("the length of a name", "name", max(map(len, names), default=0))
    for table in tables:
        numbers = {column.number for column in table.columns}
        if len(numbers) < len(table.columns):
            raise SaveCorruptError(f"{table.name} has two columns of one number")
    if len({table.number for table in tables}) < len(tables):
        raise SaveCorruptError("there are two tables of one number")
    _check_forms(document)


def _check_forms(document: Document) -> None:
    forms = [column.form for table in document.tables for column in table.columns]
    forms += [form for shape in document.shapes.values() for _, form in shape]
    for form in {_encode(form): form for form in forms}.values():
        check_form(form, document.shapes)
