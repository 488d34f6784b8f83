"""The pieces of a document's tables as bytes: decoded column by column, when they are wanted."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, told
from savegen.runtime.saves.container import prices, runs
from savegen.runtime.saves.document import (
    ROWS_OF_A_PIECE,
    Document,
    Form,
    Piece,
    Table,
)
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.container.prices import Bytes, Prices
from savegen.runtime.saves.wire._node import Exact
from savegen.runtime.saves.wire.forms import decoder

# What msgspec says of bytes and values that are not what they should be.
ODD = (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError)

_encode = msgspec.msgpack.Encoder().encode
_PIECE = struct.Struct("<IIH")  # the table's place, the first row, and how many
_LENGTH = struct.Struct("<I")  # of each column


# -- writing


def pieces(
    document: Document, limits: Limits, found: Prices
) -> Iterator[tuple[bytes, int]]:
    """Yield the pieces of all tables, and the price of each.

    Raises `SaveError` for a value that no file can hold, and if it does not have the rows
    that it says.
    """
    for place, table in enumerate(document.tables):
        first = 0
        for piece in table.pieces if table.columns else ():
            rows = len(piece[0])
            columns = [*_encoded(table, piece, rows, limits)]
            yield _framed(place, first, rows, columns), _price(
                table, rows, columns, found
            )
            first += rows
        if table.columns and first != table.count:
            raise SaveError(f"{table.name} has {first} rows, not {table.count}")


def _encoded(table: Table, piece: Piece, rows: int, limits: Limits) -> Iterator[bytes]:
    if rows > ROWS_OF_A_PIECE or len(piece) != len(table.columns):
        raise SaveError(
            f"a piece of {table.name} has {rows} rows, {len(piece)} columns"
        )
    for column, values in zip(table.columns, piece, strict=True):
        name = f"{table.name}.{column.name}"
        if len(values) != rows:
            raise SaveError(f"{name} has {len(values)} values in {rows} rows")
        try:
            data = runs.encoded(column.form, values)
        except ODD as error:
            raise SaveError(
                f"{name} holds what no file can hold: {told(error)}"
            ) from error
        size = runs.spread(data, rows)
        limits.allow(f"the size of {name} in 1,000 rows", "column", size)
        yield data


def _framed(place: int, first: int, rows: int, columns: list[bytes]) -> bytes:
    lengths = map(_LENGTH.pack, map(len, columns))
    return b"".join([_PIECE.pack(place, first, rows), *lengths, *columns])


def _price(table: Table, rows: int, columns: list[Any], found: Prices) -> int:
    price = prices.PIECE + prices.PIECE_COLUMN * len(columns)
    for column, data in zip(table.columns, columns, strict=True):
        if runs.is_run(data):
            price += rows * runs.price_of_a_row(data)
            price += found.of(column.form, 1, runs.first_of(data))
        else:
            price += found.of(column.form, rows, data)
    return price


# -- reading


class Stored(NamedTuple):
    """Some rows, still as bytes."""

    place: int  # of the table
    first: int  # row
    rows: int
    columns: list[memoryview]

    def price(self, table: Table, found: Prices) -> int:
        return _price(table, self.rows, self.columns, found)


def stored(data: Bytes, document: Document, limits: Limits) -> Stored:
    """Return a piece as it is in a file. Raises `SaveCorruptError`, `SaveLimitError`."""
    view = memoryview(data)
    if len(view) < _PIECE.size:
        raise SaveCorruptError("a piece of a table is too short")
    place, first, rows = _PIECE.unpack_from(view)
    if place >= len(document.tables):
        raise SaveCorruptError("a piece is of no table")
    table = document.tables[place]
    if rows > ROWS_OF_A_PIECE or first + rows > table.count:
        raise SaveCorruptError(f"a piece of {table.name} has too many rows")
    start = _PIECE.size + _LENGTH.size * len(table.columns)
    if len(view) < start or not table.columns:
        raise SaveCorruptError(f"a piece of {table.name} is too short")
    columns = []
    for (length,) in _LENGTH.iter_unpack(view[_PIECE.size : start]):
        column = view[start : start + length]
        size = runs.spread(column, rows)
        limits.allow(f"the size of a column of {table.name}", "column", size)
        columns.append(column)
        start += length
    if start != len(view):
        raise SaveCorruptError(f"a piece of {table.name} is not as long as its columns")
    return Stored(place, first, rows, columns)


class Readers:
    """What decodes columns; one for each form of a save."""

    def __init__(self, document: Document) -> None:
        self._shapes = document.shapes
        self._known: dict[bytes, Callable[[Bytes], Piece]] = {}

    def of(self, form: Form) -> Callable[[Bytes], Piece]:
        key = _encode(form)
        if key not in self._known:
            self._known[key] = decoder([form], self._shapes)
        return self._known[key]


@contextmanager
def enough_memory() -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise SaveError("there is not enough memory to read the save") from None


class StoredPieces:
    """The pieces of a table, decoded one by one as somebody goes through them.

    Going through them raises `SaveCorruptError` for a value that its column cannot have.
    """

    def __init__(self, table: Table, found: list[Stored], readers: Readers) -> None:
        self._table = table
        self.stored = found
        self._readers = readers

    def __len__(self) -> int:
        return len(self.stored)

    def __iter__(self) -> Iterator[Piece]:
        return map(self.decoded, self.stored)

    def decoded(self, piece: Stored) -> Piece:
        """Return what a piece holds. Raises `SaveCorruptError`."""
        return [self._read(place, piece) for place in range(len(piece.columns))]

    def _read(self, place: int, piece: Stored) -> list[Any]:
        column = self._table.columns[place]
        name = f"{self._table.name}.{column.name}"
        try:
            with enough_memory():
                values = self._values(column.form, piece.columns[place], piece.rows)
        except SaveCorruptError as error:
            raise SaveCorruptError(f"{name} cannot be read: {error}") from None
        if len(values) != piece.rows:
            raise SaveCorruptError(
                f"{name} has {len(values)} values in {piece.rows} rows"
            )
        return values

    def _values(self, form: Form, data: Bytes, rows: int) -> list[Any]:
        read = self._readers.of(form)
        if not runs.is_run(data):
            (values,) = read(data)
            return values
        (firsts,) = read(runs.first_of(data))
        values = runs.values_of(form, data, firsts[0], rows)
        return Exact(values) if type(firsts) is Exact else values


def fill(document: Document, pieces: Iterable[Stored]) -> None:
    """Give the tables of a document their pieces."""
    readers = Readers(document)
    found: dict[int, list[Stored]] = {}
    for piece in pieces:
        found.setdefault(piece.place, []).append(piece)
    for place, table in enumerate(document.tables):
        if table.columns:
            table.pieces = StoredPieces(table, found.get(place, []), readers)


def check_whole(document: Document) -> None:
    """Raise `SaveCorruptError` if rows of a table are missing, or out of order."""
    for table in document.tables:
        if not isinstance(table.pieces, StoredPieces):
            continue
        last = 0
        for piece in table.pieces.stored:
            if piece.first != last:
                raise SaveCorruptError(f"the rows of {table.name} are out of order")
            last += piece.rows
        if last != table.count:
            raise SaveCorruptError(f"{table.name} has {last} rows, not {table.count}")
