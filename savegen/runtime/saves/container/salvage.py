"""What is left of a damaged file, as a save that loads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.saves.container import body, columns, layout, tables, text
from savegen.runtime.saves.container.columns import StoredPieces, Stored
from savegen.runtime.saves.document import (
    EMPTIES,
    FREE,
    KEPT,
    RECORDS,
    REMOVED,
    ROWS_OF_A_PIECE,
    Document,
    Piece,
    Table,
)
from savegen.runtime.saves.container.layout import Chunk, Header
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.container.prices import Budget, Prices
from savegen.runtime.saves.wire.forms import relink


def salvage(data: bytes, limits: Limits = Limits()) -> tuple[Document, list[str]]:
    """Return what can be read of a file, and what is lost, in words.

    The document is whole in itself: objects that are lost are no longer referred to, and the
    keys that led to them lead nowhere. Raises `SaveError` if nothing can be told, as when the
    tables are lost, and for a file in JSON that is no JSON.

    >>> from savegen.runtime.saves.container import container
    >>> from savegen.runtime.saves.document import Column
    >>> from savegen.runtime.saves.metadata import Metadata
    >>> heights = [[[2, 3] * 500], [[5, 6] * 500]]
    >>> walls = Table(7, "Wall", [Column(16, "height", "int")], 2000, heights)
    >>> data = b"".join(container.write(Document([walls]), Metadata()))
    >>> document, lost = salvage(data[:1500])
    >>> document.tables[0].count, lost
    (1000, ['1,000 of 2,000 rows of Wall'])
    """
    if text.is_json(data):
        return text.read(data, limits)[1], []
    header = layout.unverified(data)
    limits.allow("the size of the save", "size", len(data))
    payloads = [*_payloads(data, header, limits)]
    if not payloads or payloads[0][0] != layout.DESCRIPTION:
        raise SaveCorruptError("the tables of the save are lost: nothing can be read")
    size = sum(len(payload) for _, payload in payloads)
    document, pieces = _read(payloads, limits, Budget(size))
    return _whole(document, pieces)


# -- chunks that are what was written

_TRIED = 16  # places that a chunk behind a gap is looked for at


def _payloads(
    data: bytes, header: Header, limits: Limits
) -> Iterator[tuple[int, bytes | memoryview]]:
    """Yield kind and bytes of what has all its chunks."""
    waiting: list[bytes | memoryview] = []
    size, last = 0, -1
    for place, chunk in _chunks(data, header.digest):
        part = body.inflated(chunk) if header.is_compressed else chunk.stored
        size += len(part)
        limits.allow("the size of the save", "size", size)
        if not chunk.is_rest:
            waiting = [part]
        elif waiting and place == last + 1:
            waiting.append(part)
        else:
            waiting = []
        last = place
        if waiting and not chunk.is_continued:
            yield chunk.kind, b"".join(waiting)
            waiting = []


def _chunks(data: bytes, key: bytes) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks that are whole, each with its place."""
    offset, place, view = _start(data), 0, memoryview(data)
    while offset < len(data):
        chunk = layout.chunk_at(view, offset)
        at = None if chunk is None else _place(chunk, key, place)
        if chunk is None or at is None:
            offset += 1
        else:
            yield at, chunk
            offset, place = chunk.end, at + 1


def _start(data: bytes) -> int:
    try:
        return layout.header_of(data).body_starts
    except SaveError:
        return layout.HEADER_SIZE


def _place(chunk: Chunk, key: bytes, first: int) -> int | None:
    sizes = (chunk.raw, len(chunk.stored))
    if min(sizes) == 0 or max(sizes) > 2 * layout.MOST_OF_A_CHUNK:
        return None
    if chunk.kind not in (layout.DESCRIPTION, layout.ROWS, layout.BALLAST):
        return None
    tried = range(first, first + _TRIED)
    return next((place for place in tried if chunk.is_whole(key, place)), None)


# -- a document of what was found


def _read(
    payloads: list[tuple[int, bytes | memoryview]], limits: Limits, budget: Budget
) -> tuple[Document, list[Stored]]:
    """Return the tables, and their pieces."""
    (_, first), *others = payloads
    budget.pay(tables.price(first))
    document = tables.described(first, limits)
    found = Prices(document.shapes)
    pieces = []
    for kind, payload in others:
        if kind == layout.ROWS:
            piece = columns.stored(payload, document, limits)
            budget.pay(piece.price(document.tables[piece.place], found))
            pieces.append(piece)
    return document, pieces


class _Kept(NamedTuple):
    """Rows that are there, and the numbers of their objects before and after."""

    piece: Piece
    first: int
    rows: int


def _whole(document: Document, pieces: list[Stored]) -> tuple[Document, list[str]]:
    """Return the document without what is lost, and what that is."""
    columns.fill(document, pieces)
    kept = [_kept(table) for table in document.tables]
    lost = []
    for table, found in zip(document.tables, kept, strict=True):
        there = sum(each.rows for each in found)
        if there < table.count:
            missing = table.count - there
            lost.append(f"{missing:,} of {table.count:,} rows of {table.name}")
    if not lost:
        return document, []
    numbers = _Numbers(document, kept)
    for table, found in zip(document.tables, kept, strict=True):
        table.pieces = [
            _relinked(each.piece, table, document, numbers) for each in found
        ]
        table.count = sum(each.rows for each in found)
    _mend(document, numbers.there)
    document.tables.append(numbers.table())
    return document, lost


def _kept(table: Table) -> list[_Kept]:
    """Return the pieces of a table that can be decoded."""
    if not isinstance(table.pieces, StoredPieces):
        return [_Kept([], 0, table.count)]
    found, last = [], 0
    for stored in sorted(table.pieces.stored, key=lambda piece: piece.first):
        with suppress(SaveError):
            if stored.first >= last:
                piece = table.pieces.decoded(stored)
                found.append(_Kept(piece, stored.first, stored.rows))
                last = stored.first + stored.rows
    return found


class _Numbers:
    """What number an object has once others are gone: those come behind all that are there."""

    def __init__(self, document: Document, kept: list[list[_Kept]]) -> None:
        self._starts: list[int] = []
        # How many objects, and the first's number.
        self._spans: list[tuple[int, int]] = []
        self._lost: dict[int, int] = {}
        before = after = 0
        for table, found in zip(document.tables, kept, strict=True):
            if table.is_of_class:
                for each in found:
                    self._starts.append(before + each.first)
                    self._spans.append((each.rows, after))
                    after += each.rows
                before += table.count
        self.there = after

    def new(self, number: int | None) -> int | None:
        """Return today's number of an object."""
        if number is None:
            return None
        place = bisect_right(self._starts, number) - 1
        if place >= 0:
            count, first = self._spans[place]
            if number - self._starts[place] < count:
                return first + number - self._starts[place]
        return self._lost.setdefault(number, self.there + len(self._lost))

    def table(self) -> Table:
        """Return the table of what was referred to and is lost: the game leaves that out."""
        return Table(REMOVED, "lost", [], len(self._lost), [])


def _relinked(
    piece: Piece, table: Table, document: Document, numbers: _Numbers
) -> Piece:
    return [
        [*relink(column.form, document.shapes, values, numbers.new)]
        for column, values in zip(table.columns, piece, strict=True)
    ]


# -- the slots, as they would be if what is lost had been destroyed


def _mend(document: Document, there: int) -> None:
    """Leave out the records and old values of lost objects, and empty their slots."""
    _without_lost(document, KEPT, there)
    generations = {
        slot: generation + 1
        for thing, slot, generation in _rows(document, RECORDS, 3)
        if thing >= there
    }
    _without_lost(document, RECORDS, there)
    taken = {slot: last for _, slot, last in _rows(document, RECORDS, 3)}
    generations |= dict(_rows(document, EMPTIES, 2))
    count = 1 + max([*taken, *generations], default=-1)
    latest = max([*taken.values(), *generations.values()], default=1)
    empties = {
        slot: generations.get(slot, latest + 1)
        for slot in range(count)
        if slot not in taken
    }
    free = [slot for (slot,) in _rows(document, FREE, 1) if slot in empties]
    free += sorted({*empties} - {*free})
    _replace(document, EMPTIES, [[*empties], [*empties.values()]])
    _replace(document, FREE, [free])


def _rows(document: Document, number: int, width: int) -> Iterator[Any]:
    return (row[:width] for row in document.table(number).rows())


def _without_lost(document: Document, number: int, there: int) -> None:
    rows = [row for row in document.table(number).rows() if row[0] < there]
    _replace(document, number, [*map(list, zip(*rows, strict=True))])


def _replace(document: Document, number: int, values: list[list[Any]]) -> None:
    table = document.table(number)
    if table not in document.tables and values and values[0]:
        document.tables.append(table)
    table.count = len(values[0]) if values else 0
    table.pieces = [
        [column[start : start + ROWS_OF_A_PIECE] for column in values]
        for start in range(0, table.count, ROWS_OF_A_PIECE)
    ]
