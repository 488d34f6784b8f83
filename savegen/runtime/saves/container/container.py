"""A save file: written from a document, and read back once all of it was verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.saves import metadata
from savegen.runtime.saves.container import body, columns, layout, prices, tables, text
from savegen.runtime.saves.container.body import Progress as Progress
from savegen.runtime.saves.container.columns import Stored
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.container.layout import Bytes, Header
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.container.prices import Budget, Prices
from savegen.runtime.strict import json_of

Format: TypeAlias = Literal["msgpack", "json"]

HEAD_SIZE = layout.HEADER_SIZE + metadata.MOST  # what `read_head` needs, at most
_STANDARD = Limits()


class Head(NamedTuple):
    """What the first bytes of a file tell."""

    metadata: Metadata
    version: int  # of the format
    format: Format
    is_compressed: bool
    size: int | None  # bytes of the whole file; `None` where it does not say
    raw_size: int | None  # bytes of what it holds, uncompressed
    thumbnail_size: int | None


# -- writing


def write(
    document: Document,
    metadata: Metadata,
    thumbnail: bytes = b"",
    *,
    compress: bool = False,
    format: Format = "msgpack",
    limits: Limits = _STANDARD,
    free: int = prices.FREE,
) -> Iterator[bytes]:
    """Return a save file, in parts of about 1 MiB.

    All is encoded when this returns; what is left is joining and hashing. `free` is the memory
    that the file need not pay for by its size. Raises `SaveError`, `SaveLimitError` among
    others, for what `read` would refuse.

    >>> from savegen.runtime.saves.document import Column, Table
    >>> walls = Table(7, "Wall", [Column(16, "height", "int")], 3, [[[2, 2, 5]]])
    >>> data = b"".join(write(Document([walls]), Metadata(title="At the gate")))
    >>> metadata, document = read(data)
    >>> metadata.title, document.tables[0].values(0)
    ('At the gate', [2, 2, 5])
    """
    about = _metadata(metadata)
    limits.allow("the size of the thumbnail", "thumbnail", len(thumbnail))
    if format == "json":
        return text.write(document, about, thumbnail, limits)
    parts = [*body.cut(_payloads(document, limits, free), compress)]
    header = body.header_for(parts, about, thumbnail, compress)
    limits.allow("the size of the save", "size", header.raw)
    first, key = layout.sealed(header, about)
    return body.joined(chain([first, thumbnail], body.sealed(parts, key)))


def _metadata(metadata: Metadata) -> bytes:
    try:
        about = msgspec.json.encode(metadata)
        if metadata_of(about) == metadata:
            return about
    except columns.ODD as error:
        raise SaveError(f"the metadata cannot be written: {error}") from error
    raise SaveError(
        "the metadata's `extra` is not plain JSON: it would come back otherwise"
    )


def _payloads(
    document: Document, limits: Limits, free: int
) -> Iterator[tuple[int, bytes]]:
    """Yield what the body holds, and what kind of chunk it goes into."""
    described = tables.description(document, limits)
    yield layout.DESCRIPTION, described
    found, size = Prices(document.shapes), len(described)
    price = tables.price(described)
    price += sum(map(prices.of_rows, document.tables))
    for piece, each in columns.pieces(document, limits, found):
        yield layout.ROWS, piece
        size += len(piece)
        price += each
    if missing := prices.ballast(price, size, free):
        limits.allow("the size of the save", "size", size + missing)
        yield layout.BALLAST, bytes(missing)


# -- reading


def read(
    data: bytes,
    limits: Limits = _STANDARD,
    progress: Progress | None = None,
    *,
    budget: Budget | None = None,
) -> tuple[Metadata, Document]:
    """Return what a save file holds.

    All digests are verified before anything is decoded. The pieces of the tables are decoded
    when somebody goes through them; that raises `SaveCorruptError` for a value that its column
    cannot have. Files that are read together share a `budget`. `progress` is called with the
    bytes that were verified, and their number.

    Raises `SaveCorruptError`, `SaveLimitError` and `SaveVersionError`; a plain `SaveError` if
    this machine has not the memory.
    """
    with columns.enough_memory():
        return _read(data, limits, progress, budget or Budget())


def _read(
    data: bytes, limits: Limits, progress: Progress | None, budget: Budget
) -> tuple[Metadata, Document]:
    if text.is_json(data):
        about, document = text.read(data, limits)
        return metadata_of(about), document
    header = body.verified(data, limits, progress)
    payloads = body.put_together(body.opened(data, header))
    kind, _, first = next(payloads, (layout.BALLAST, 0, b""))
    if kind != layout.DESCRIPTION:
        raise SaveCorruptError("the body does not begin with its tables")
    budget.earn(header.raw)
    budget.pay(tables.price(first))
    document = tables.described(first, limits)
    budget.pay(sum(map(prices.of_rows, document.tables)))
    columns.fill(document, _pieces(payloads, document, limits, budget))
    columns.check_whole(document)
    return metadata_of(_about(data, header)), document


def read_head(data: bytes) -> Head:
    """Return what the first bytes of a file tell: `HEAD_SIZE` of them are enough.

    Raises `SaveCorruptError` and `SaveVersionError`.
    """
    if text.is_json(data):
        about = metadata_of(text.metadata_in(data))
        return Head(about, text.VERSION, "json", False, None, None, None)
    header = layout.header_of(data)
    return Head(
        metadata_of(_about(data, header)),
        header.version,
        "msgpack",
        header.is_compressed,
        header.size,
        header.raw,
        header.thumbnail,
    )


def read_thumbnail(data: bytes) -> bytes:
    """Return the picture in a file; what stands behind it need not be there.

    Raises `SaveCorruptError` and `SaveVersionError`.
    """
    if text.is_json(data):
        return text.thumbnail_in(data)
    return body.thumbnail_of(data, layout.header_of(data))


def digest_of(data: bytes) -> str:
    """Return the digest at the end of a file, which names it and all that it holds."""
    if text.is_json(data):
        return text.digest_in(data)
    return data[-layout.DIGEST :].hex()


def metadata_of(data: bytes) -> Metadata:
    """Return metadata from JSON. Raises `SaveCorruptError`, `SaveLimitError`."""
    if len(data) > metadata.MOST:
        raise SaveLimitError("the size of the metadata", metadata.MOST, len(data))
    try:
        return msgspec.convert(json_of(data), Metadata)
    except msgspec.ValidationError as error:
        raise SaveCorruptError(f"the metadata cannot be read: {error}") from None


def _about(data: bytes, header: Header) -> bytes:
    return data[layout.HEADER_SIZE : layout.HEADER_SIZE + header.metadata]


def _pieces(
    payloads: Iterable[tuple[int, int, Bytes]],
    document: Document,
    limits: Limits,
    budget: Budget,
) -> Iterator[Stored]:
    found = Prices(document.shapes)
    for kind, offset, payload in payloads:
        if kind == layout.ROWS:
            try:
                piece = columns.stored(payload, document, limits)
            except SaveCorruptError as error:
                raise SaveCorruptError(error.what, offset) from None
            budget.pay(piece.price(document.tables[piece.place], found))
            yield piece
        elif kind != layout.BALLAST or payload != bytes(len(payload)):
            raise SaveCorruptError("a chunk is out of place", offset)
