"""The body of a save file: sections of plain data that describe themselves.

docs/save-format.md specifies them. Everything here works without the game: rows remain
bytes, with the schema that precedes them in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, groupby, repeat
from operator import sub
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw

from savegen.runtime.cells import filler
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import Placement, Recording
from savegen.runtime.stored import parse
from savegen.saves.file import Section
from savegen.saves.limits import MIB, CODING_ERRORS, Guard

WORLD, TABLE, ROWS, PLACEMENTS, GENERATORS, STATES, TOMBSTONES = range(7)
# Larger pieces would delay the thread of the game.
MAX_ITEMS = 1000  # the most items of a section
_FIRST = 100  # items of the first section, when the size of an item is still unknown
_SIZE = MIB // 8  # the size of a section in bytes, roughly

K = TypeVar("K")
R = TypeVar("R")
T = TypeVar("T")
V = TypeVar("V")
Count = Annotated[int, Meta(ge=0)]

encode = msgspec.msgpack.Encoder().encode


# -- sections as they are in a file


_NOTHING = Raw(b"\x80")  # an empty map


class _Part(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The base class of sections. The first element of a section is the number of its kind."""


class WorldPart(_Part, eq=False):
    """The data that a save has once: section 0."""

    kind: Literal[0] = 0
    save_version: Count = 0  # `[tool.savegen] save_version` of the game that saved
    migrations: list[str] = []  # of the game that saved, as `module:function`
    dangling: Count = 0  # references to destroyed objects, saved as `None`
    next_reached: Annotated[int, Meta(ge=1)] = 1
    slots: list[Count] = []  # generation and count, for runs of slots
    free: list[Count] = []  # empty slots, the next one to be filled at the end

    @property
    def generations(self) -> tuple[int, ...]:
        """The generation of each slot."""
        runs = zip(self.slots[::2], self.slots[1::2])
        return (*chain.from_iterable(repeat(*run) for run in runs),)


class Field(NamedTuple):
    """One field of a class: its stable number, its name when it was saved, its stored type."""

    number: int
    name: str
    stored: str


class _TablePart(_Part):
    kind: Literal[1]
    number: int
    name: str
    fields: tuple[Field, ...]


class RowsPart(_Part, Generic[R]):
    """Some rows of the preceding table: section 2."""

    kind: Literal[2]
    keys: list[int]  # the first key, then differences
    rows: list[R]
    mismatches: Raw = _NOTHING  # by position and field number: tagged values
    missing: Raw = _NOTHING  # by position: numbers of fields without a value
    recordings: Raw = _NOTHING  # by position: dirty behaviours, and tagged values by id


class _Placements(_Part):
    kind: Literal[3]
    keys: list[int]
    placements: list[Placement]


class _Map(_Part, Generic[K, V]):
    kind: int
    entries: dict[K, V]


_KINDS: tuple[tuple[Any, str], ...] = (
    (WorldPart, "the world"),
    (_TablePart, "a table"),
    (RowsPart[Raw], "a row"),
    (_Placements, "the placements"),
    (_Map[int, Any], "the generators"),
    (_Map[str, Any], "the states"),
    (_Map[str, str | None], "the tombstones"),
)
_WIDTHS = (7, 4, 6, 3, 2, 2, 2)  # elements of a section of each kind
_DECODERS = [msgspec.msgpack.Decoder(part) for part, _ in _KINDS]
_MAPS = {GENERATORS: "generators", STATES: "states", TOMBSTONES: "tombstones"}
_CELL = re.compile(r"at `\$\[2\]\[\d+\]\[(\d+)\]")  # the field in an error of msgspec
_BESIDE: dict[str, Any] = {
    "mismatches": msgspec.msgpack.Decoder(dict[int, dict[int, Any]]),
    "missing": msgspec.msgpack.Decoder(dict[int, frozenset[int]]),
    "recordings": msgspec.msgpack.Decoder(dict[int, tuple[list[str], dict[str, Any]]]),
}
_RAW_ROWS = msgspec.msgpack.Decoder(RowsPart[list[Raw]])


# -- what a body holds


class RawRow(NamedTuple):
    """The saved data of one object: cells as MessagePack, by field number."""

    key: Key
    cells: dict[int, Raw]
    mismatches: dict[int, Any] = {}  # tagged values of fields that are not in `cells`
    recording: Recording | None = None


class Rows(NamedTuple):
    """Some decoded rows of a table: the content of one section."""

    keys: list[Key]
    rows: list[Any]
    # By position in `rows`; the cells of such fields hold a filler.
    mismatches: dict[int, dict[int, Any]] = {}
    missing: dict[int, frozenset[int]] = {}
    recordings: dict[int, Recording] = {}


class RawTable(msgspec.Struct, eq=False):
    """The rows of one class, as the bytes of a file."""

    number: int
    name: str
    fields: Sequence[Field]
    pieces: list[Section] = []

    def decoded(
        self, decoder: Any, piece: Section, guard: Guard, *, is_deep: bool = False
    ) -> Rows:
        """Return the rows of a piece. Raises `SaveCorruptError` and `SaveLimitError`."""
        what, at = f"a row of {self.name}", piece.offset
        try:
            part = guard.decode(decoder, piece.data, what, at, is_deep=is_deep)
        except SaveCorruptError as error:
            raise SaveCorruptError(self._named(error.what), at) from None
        keys = [*accumulate(part.keys)]
        if len(keys) != len(part.rows):
            raise SaveCorruptError(
                f"the rows of {self.name} and their keys differ in number", at
            )
        if part.mismatches == part.missing == part.recordings == _NOTHING:
            return Rows(keys, part.rows)
        found = Rows(keys, part.rows, *_beside(part, what, at, guard))
        places = {*found.mismatches, *found.missing, *found.recordings}
        numbers = {number for numbers in found.missing.values() for number in numbers}
        numbers.update(*found.mismatches.values())
        known = {field.number for field in self.fields}
        if not places.issubset(range(len(keys))) or not numbers <= known:
            raise SaveCorruptError(f"{self.name} has no such row or field", at)
        return found

    def _named(self, what: str) -> str:
        """Return a decoding error with the name of the field in place of its number."""
        found = _CELL.search(what)
        if found is None or int(found[1]) >= len(self.fields):
            return what
        field = f"`{self.name}.{self.fields[int(found[1])].name}`"
        return f"{field} of {what.partition(' - at ')[0]}"

    def rows(self, guard: Guard) -> Iterator[RawRow]:
        """Yield the rows one by one. Raises `SaveCorruptError` and `SaveLimitError`."""
        numbers = [field.number for field in self.fields]
        for piece in self.pieces:
            found = self.decoded(_RAW_ROWS, piece, guard)
            for place, (key, row) in enumerate(zip(found.keys, found.rows)):
                if len(row) != len(numbers):
                    what = f"a row of {self.name} has {len(row)} cells"
                    raise SaveCorruptError(what, piece.offset)
                mismatches = found.mismatches.get(place, {})
                without = {*mismatches, *found.missing.get(place, ())}
                cells = {n: c for n, c in zip(numbers, row) if n not in without}
                yield RawRow(key, cells, mismatches, found.recordings.get(place))

    def add(self, rows: Sequence[RawRow]) -> RawTable:
        """Add rows, in which a field without a cell is missing. Returns the table."""
        fillers = [
            (field.number, Raw(encode(filler(parse(field.stored)))))
            for field in self.fields
        ]
        section = partial(_section, fillers)
        self.pieces += [Section(0, data) for data in pieces(rows, section)]
        return self

    def sections(self) -> Iterator[bytes]:
        """Yield the section that describes the table, and the sections of its rows."""
        yield table_section(self.number, self.name, self.fields)
        for piece in self.pieces:
            yield bytes(piece.data)


def _beside(part: Any, what: str, at: int, guard: Guard) -> Iterator[Any]:
    """Yield the mismatches, missing fields and recordings of a section."""
    for name, decoder in _BESIDE.items():
        data = memoryview(getattr(part, name))
        found = guard.decode(decoder, data, what, at, is_deep=True)
        if name == "recordings":
            found = {n: Recording((*each[0],), each[1]) for n, each in found.items()}
        yield found


def _section(fillers: list[tuple[int, Raw]], rows: Sequence[RawRow]) -> bytes:
    places = [*enumerate(rows)]
    missing = {
        place: [n for n, _ in fillers if n not in row.cells | row.mismatches]
        for place, row in places
        if len(row.cells) + len(row.mismatches) < len(fillers)
    }
    return rows_section(
        [row.key for row in rows],
        [
            [row.cells.get(number, nothing) for number, nothing in fillers]
            for row in rows
        ],
        {place: row.mismatches for place, row in places if row.mismatches},
        missing,
        {place: row.recording for place, row in places if row.recording},
    )


def table_section(number: int, name: str, fields: Sequence[Field]) -> bytes:
    """Return the section that describes a table."""
    return encode([TABLE, number, name, fields])


def rows_section(
    keys: Sequence[Key],
    rows: Sequence[Any],
    mismatches: Mapping[int, Mapping[int, Any]] = {},
    missing: Mapping[int, Iterable[int]] = {},
    recordings: Mapping[int, Recording] = {},
) -> bytes:
    """Return a section of rows. Raises the error of msgspec for a value that cannot be encoded."""
    return encode([ROWS, steps(keys), rows, mismatches, missing, recordings])


class Body(msgspec.Struct, eq=False):
    """The content of a save file, without metadata and thumbnail.

    A class may have a second table with preserved fields of some of its objects: fields that the
    game does not have.
    """

    world: WorldPart
    tables: list[RawTable] = []
    placements: dict[Key, Placement] = {}
    generators: dict[int, Any] = {}
    states: dict[str, Any] = {}
    tombstones: dict[str, str | None] = {}

    def sections(self) -> Iterator[bytes]:
        """Yield the sections of a file with this body."""
        yield from self.opening()
        for table in self.tables:
            yield from table.sections()

    def opening(self) -> Iterator[bytes]:
        """Yield all sections before the tables."""
        yield encode(self.world)
        # Sorted, so that equal worlds give equal bytes.
        section = partial(_placements, self.placements)
        yield from pieces(sorted(self.placements), section)
        for kind, name in _MAPS.items():
            found = getattr(self, name)
            yield from pieces(sorted(found), partial(_map, kind, found))


def _placements(found: Mapping[Key, Placement], keys: Sequence[Key]) -> bytes:
    return encode([PLACEMENTS, steps(keys), [found[key] for key in keys]])


def _map(kind: int, found: Mapping[Any, Any], keys: Sequence[Any]) -> bytes:
    return encode([kind, {key: found[key] for key in keys}])


# -- writing


def steps(keys: Sequence[Key]) -> list[int]:
    """Return the first key, and for each later key its difference from the previous one.

    >>> steps([4, 5, 9])
    [4, 1, 4]
    """
    return [*map(sub, keys, chain((0,), keys))]


def pieces(
    items: Sequence[T], section: Callable[[Sequence[T]], bytes]
) -> Iterator[bytes]:
    """Yield sections of at most 1,000 items; a section with several items has at most 1 MiB.

    After the first one, sections have about 128 KiB or less.

    >>> [len(each) for each in pieces(range(2500), lambda part: bytes(len(part)))]
    [100, 1000, 1000, 400]
    >>> [len(each) for each in pieces(range(3), lambda part: bytes(len(part) * MIB))]
    [1048576, 1048576, 1048576]
    """
    first, count = 0, _FIRST
    while first < len(items):
        part = items[first : first + count]
        data = section(part)
        count = max(1, min(MAX_ITEMS, len(part) * _SIZE // (len(data) + 1)))
        if len(data) <= MIB or len(part) == 1:
            yield data
            first += len(part)


def runs_of(generations: Sequence[int]) -> list[int]:
    """Return the generation and the length of each run of equal generations, in one list.

    >>> runs_of((1, 1, 3))
    [1, 2, 3, 1]
    """
    found: list[int] = []
    for generation, run in groupby(generations):
        found += (generation, len([*run]))
    return found


# -- reading


def read_body(sections: Iterable[Section], guard: Guard) -> Body:
    """Return the content of sections, without decoding the rows.

    Raises `SaveCorruptError` and `SaveLimitError`.
    """
    body: Body | None = None
    table: RawTable | None = None
    columns = 0
    for section in sections:
        kind, at = _kind_of(section), section.offset
        if (kind == WORLD) != (body is None):
            raise SaveCorruptError(
                "the body does not begin with the section of the world", at
            )
        if body is None:
            body = Body(_part(kind, section, guard))
        elif kind == TABLE:
            table = _table(section, guard)
            columns += len(table.fields)
            body.tables.append(table)
            guard.limits.allow("the number of columns", "columns", columns)
            guard.limits.allow("the number of tables", "tables", len(body.tables))
        elif kind != ROWS:
            _add(body, _part(kind, section, guard), at)
        elif table is None:
            raise SaveCorruptError("rows come before any table", at)
        else:
            table.pieces.append(section)
    if body is None:
        raise SaveCorruptError("the save is empty")
    if len(body.world.slots) % 2 or 0 in body.world.slots:
        raise SaveCorruptError("the slots contradict themselves")
    slots = sum(body.world.slots[1::2])
    guard.limits.allow("the number of slots", "objects", slots)
    guard.take(8 * slots)
    return body


def _kind_of(section: Section) -> int:
    """Return the kind of a section: the first element of an array."""
    data = section.data
    if len(data) < 2 or data[0] & 0xF0 != 0x90 or data[1] >= len(_WIDTHS):
        raise SaveCorruptError("a section is of an unknown kind", section.offset)
    kind = data[1]
    if data[0] & 0x0F != _WIDTHS[kind]:
        what = f"{_KINDS[kind][1]} has another number of elements than specified"
        raise SaveCorruptError(what, section.offset)
    return kind


def check_part(section: Section, guard: Guard) -> None:
    """Decode a section that precedes the tables. Raises the same errors as `read_body`."""
    _part(_kind_of(section), section, guard)


def _part(kind: int, section: Section, guard: Guard) -> Any:
    return guard.decode(
        _DECODERS[kind],
        section.data,
        _KINDS[kind][1],
        section.offset,
        is_deep=kind in (GENERATORS, STATES),
    )


def _add(body: Body, part: _Placements | _Map[Any, Any], offset: int) -> None:
    """Add the content of a section that precedes the tables."""
    known: dict[Any, Any]
    if isinstance(part, _Placements):
        known = body.placements
        new: Iterable[tuple[Any, Any]] = zip(accumulate(part.keys), part.placements)
        count = max(len(part.keys), len(part.placements))
    else:
        known, new = getattr(body, _MAPS[part.kind]), part.entries.items()
        count = len(part.entries)
    before = len(known)
    known.update(new)
    if len(known) != before + count:
        raise SaveCorruptError("the world contains an entry twice", offset)


def _table(section: Section, guard: Guard) -> RawTable:
    """Return the table that a section describes, without rows."""
    data = bytes(section.data)
    try:
        # Most are those of the last save.
        read = _known_table if len(data) < 4096 else _described
        part = read(data)
    except (*CODING_ERRORS, SaveCorruptError) as error:
        raise SaveCorruptError(f"a table: {error}", section.offset) from None
    if len(data) > guard.limits.name:
        names = [part.name, *(field.name for field in part.fields)]
        guard.limits.allow("the length of a name", "name", max(map(len, names)))
    if len(data) > guard.limits.type:
        types = [field.stored for field in part.fields]
        guard.limits.allow("the length of a type", "type", max(map(len, types)))
    return RawTable(part.number, part.name, part.fields, [])


def _described(data: bytes) -> _TablePart:
    part: _TablePart = _DECODERS[TABLE].decode(data)
    if len({field.number for field in part.fields}) < len(part.fields):
        raise SaveCorruptError(f"{part.name} has two fields with the same number")
    for field in part.fields:
        parse(field.stored)
    return part


_known_table = lru_cache(4096)(_described)
