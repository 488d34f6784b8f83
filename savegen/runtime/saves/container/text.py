"""A save as JSON that a person can read: what the binary file has, one object a line.

The last line is a digest of all above it. Who changes something by hand empties it,
`"digest": ""`, and the file is read all the same.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import islice
from json import dumps
from typing import Annotated, Any

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveVersionError
from savegen.runtime.saves.container import columns, layout, prices, tables
from savegen.runtime.saves.document import ROWS_OF_A_PIECE, Column, Document, Table
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.container.prices import Budget, Prices
from savegen.runtime.strict import json_of
from savegen.runtime.saves.wire.forms import from_plain, to_plain

VERSION = 1

_HEAD = re.compile(
    rb'\{"savegen": (\d{1,9}),\n"metadata": (.*),\n"thumbnail": "(.*)",\n'
)
_TAIL = re.compile(rb'"digest": "([0-9a-f]{32})"\}\n\Z')
_TAIL_SIZE = 46


class _Column(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    number: int
    form: Any


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    fields: list[_Column]
    rows: list[list[Any]]
    class_: str = msgspec.field(name="class")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    savegen: int
    metadata: dict[str, Any]
    thumbnail: str
    save_version: Annotated[int, msgspec.Meta(ge=0)]
    dangling: Annotated[int, msgspec.Meta(ge=0)]
    shapes: dict[str, list[tuple[str, Any]]]
    tables: list[_Table]
    digest: str


def is_json(data: bytes) -> bool:
    """Tell whether a file is none of the binary ones, but this."""
    return data[:64].lstrip().startswith(b"{")


# -- writing


def write(
    document: Document, about: bytes, thumbnail: bytes, limits: Limits
) -> Iterator[bytes]:
    """Return the file in parts, each with whole lines. Raises `SaveError`."""
    tables.check(document, limits)
    lines = [*_lines(document, about, thumbnail)]
    price = sum(
        each for _, each in columns.pieces(document, limits, Prices(document.shapes))
    )
    price += sum(map(prices.of_rows, document.tables))
    size = sum(map(len, lines)) + _TAIL_SIZE
    missing = max(
        prices.ballast(price, size), prices.ballast(sum(map(_price, lines)), size)
    )
    # Three times, since a space costs something itself.
    lines.append(b" " * (missing * 3) + b"\n" if missing else b"")
    limits.allow("the size of the save", "size", size + len(lines[-1]))
    seal = layout.digest(b"".join(lines)).hex()
    lines.append(b'"digest": "%s"}\n' % seal.encode())
    return iter(lines)


def _lines(document: Document, about: bytes, thumbnail: bytes) -> Iterator[bytes]:
    yield b'{"savegen": %d,\n"metadata": %s,\n' % (VERSION, about)
    yield b'"thumbnail": "%s",\n' % base64.b64encode(thumbnail)
    yield b'"save_version": %d,\n' % document.save_version
    yield b'"dangling": %d,\n"shapes": {' % document.dangling
    shapes = [
        f"\n{dumps(name)}: {dumps(shape)}" for name, shape in document.shapes.items()
    ]
    yield ",".join(shapes).encode() + b'\n},\n"tables": ['
    for place, table in enumerate(document.tables):
        yield b",\n" if place else b"\n"
        yield from _table(table, document)
    yield b"\n],\n"


def _table(table: Table, document: Document) -> Iterator[bytes]:
    fields = [msgspec.to_builtins(column) for column in table.columns]
    about = f'{{"class": {dumps(table.name)}, "number": {table.number}, "fields": ['
    about += ",".join(f"\n{dumps(field)}" for field in fields)
    yield about.encode() + b'\n], "rows": ['
    comma = b"\n"
    for rows in _rows(table, document):
        yield comma + ",\n".join(map(dumps, rows)).encode()
        comma = b",\n"
    yield b"\n]}"


def _rows(table: Table, document: Document) -> Iterator[list[Any]]:
    """Yield the rows of each piece, in words of JSON."""
    if not table.columns and table.count:
        yield [[]] * table.count
    for piece in table.pieces if table.columns else ():
        plain = [
            to_plain(column.form, document.shapes, values)
            for column, values in zip(table.columns, piece, strict=True)
        ]
        yield [*zip(*plain, strict=True)]


# -- reading


def read(data: bytes, limits: Limits) -> tuple[bytes, Document]:
    """Return the metadata's JSON, and the document.

    Raises `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`.
    """
    limits.allow("the size of the save", "size", len(data))
    is_verified = _verify(data)
    file = _file(data, limits)
    if file.digest and not is_verified:
        raise SaveCorruptError("the file does not end with its digest", len(data))
    document = Document(
        [
            Table(t.number, t.class_, [*map(_column, t.fields)], len(t.rows), [])
            for t in file.tables
        ],
        file.save_version,
        file.shapes,
        file.dangling,
    )
    tables.check(document, limits)
    budget = Budget(len(data))
    budget.pay(sum(map(prices.of_rows, document.tables)))
    _fill(document, file, limits, budget)
    return dumps(file.metadata).encode(), document


def _file(data: bytes, limits: Limits) -> _File:
    version = re.match(rb'\s*\{"savegen": (\d{1,9}),', data)
    if version and int(version[1]) > VERSION:
        raise SaveVersionError(
            f"the file is of format {int(version[1])}, this savegen reads up to"
            f" {VERSION}: update the game"
        )
    Budget(len(data)).pay(_price(data))
    try:
        return msgspec.convert(json_of(data, limits.depth), _File)
    except msgspec.ValidationError as error:
        raise SaveCorruptError(f"the JSON is no save: {error}") from None


def _column(field: _Column) -> Column:
    return Column(field.number, field.name, field.form)


def _fill(document: Document, file: _File, limits: Limits, budget: Budget) -> None:
    """Give the tables their pieces: as bytes, so that both kinds of file are read as one."""
    for table, found in zip(document.tables, file.tables, strict=True):
        table.pieces = _pieces(table, found.rows, document)
        found.rows = []
    packed = []
    try:
        for payload, price in columns.pieces(document, limits, Prices(document.shapes)):
            budget.pay(price)
            packed.append(columns.stored(payload, document, limits))
    except SaveError as error:
        if type(error) is not SaveError:
            raise
        raise SaveCorruptError(str(error)) from None
    columns.fill(document, packed)


def _pieces(table: Table, rows: list[list[Any]], document: Document) -> Any:
    width = len(table.columns)
    waiting = iter(rows)
    while batch := [*islice(waiting, ROWS_OF_A_PIECE)]:
        if {*map(len, batch)} != {width}:
            raise SaveCorruptError(f"a row of {table.name} has not {width} values")
        yield [
            _wire(table, column, [*values], document)
            for column, values in zip(
                table.columns, zip(*batch, strict=True), strict=True
            )
        ]


def _wire(
    table: Table, column: Column, values: list[Any], document: Document
) -> list[Any]:
    try:
        return from_plain(column.form, document.shapes, values)
    except SaveCorruptError as error:
        name = f"{table.name}.{column.name}"
        raise SaveCorruptError(f"{name} cannot be read: {error}") from None


def metadata_in(data: bytes) -> bytes:
    """Return the metadata's JSON; what stands behind it need not be there."""
    if found := _HEAD.match(data[: 2 * layout.MOST_OF_A_CHUNK]):
        return found[2]
    return dumps(_file(data, Limits()).metadata).encode()


def thumbnail_in(data: bytes) -> bytes:
    found = _HEAD.match(data)
    text = found[3] if found else _file(data, Limits()).thumbnail.encode()
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise SaveCorruptError(f"the thumbnail is damaged: {error}") from None


def digest_in(data: bytes) -> str:
    """Return the digest on the last line; if it is empty, what it would be."""
    found = _TAIL.search(data, max(0, len(data) - _TAIL_SIZE))
    return found[1].decode() if found else layout.digest(data).hex()


def _verify(data: bytes) -> bool:
    """Tell whether there is a digest. Raises `SaveCorruptError` if it is not the file's."""
    found = _TAIL.search(data, max(0, len(data) - _TAIL_SIZE))
    if found is None:
        return False
    above = memoryview(data)[: found.start()]
    if layout.digest(above).hex().encode() != found[1]:
        raise SaveCorruptError(
            'the file is damaged; if it was changed by hand, end it with "digest": ""}',
            0,
        )
    return True


_PRICES = {b"[": 176, b"{": 640, b",": 56, b'"': 32, b":": 80}


def _price(data: bytes) -> int:
    """Return the memory that JSON takes at most, with all the dicts that it is parsed into."""
    return 8 * len(data) + sum(
        data.count(sign) * each for sign, each in _PRICES.items()
    )
