"""Read and write the body of a save file: sections with the world, its tables and their rows.

docs/save-format.md specifies the sections. This works without the code of the game: rows remain
bytes, and the file contains their schema.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from itertools import accumulate, chain, groupby, repeat
from operator import sub
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw

from savegen.runtime.values.cells import filler
from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.values.keys import LAST_GENERATION
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.snapshot import Covers, Placement, Recording
from savegen.runtime.values.stored import parse
from savegen.saves.file import Section
from savegen.saves.limits import MIB, Guard

WORLD, TABLE, ROWS, PLACEMENTS, GENERATORS, STATES, TOMBSTONES = range(7)
# Encoding a longer section would delay the thread of the game.
MAX_ITEMS = 1000  # in a section
_FIRST_ITEMS = 100  # in the first section, when the size of an item is still unknown
_MIN_KEY, _MAX_KEY = -(2**62), 2**63 - 1
_SECTION_SIZE = MIB // 8  # bytes, roughly

K = TypeVar("K")
R = TypeVar("R")
T = TypeVar("T")
V = TypeVar("V")
Count = Annotated[int, Meta(ge=0)]

encode = msgspec.msgpack.Encoder().encode


# -- decoded sections


_NOTHING = Raw(b"\x80")  # an empty map


class _DecodedSection(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The base class of decoded sections. The first element is the number of the section's type."""


class WorldSection(_DecodedSection, eq=False):
    """The first section of a save, with facts about the whole world."""

    kind: Literal[0] = 0
    save_version: Count = 0  # `[tool.savegen] save_version` of the game that saved
    migrations: list[str] = []  # of the game that saved, as `module:function`
    dangling: Count = 0  # references to destroyed objects, saved as `None`
    next_reached: Annotated[int, Meta(ge=1)] = 1
    slots: list[Count] = []  # generation and count, for runs of slots
    free: list[Count] = []  # empty slots; the last one is filled next
    lineage: Annotated[str, Meta(max_length=64)] = ""
    covers: Covers | None = (
        None  # of a partial snapshot, with the differences of its keys
    )

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


class _TableSection(_DecodedSection):
    kind: Literal[1]
    number: int
    name: str
    fields: tuple[Field, ...]


class RowsSection(_DecodedSection, Generic[R]):
    """A section with rows of the preceding table."""

    kind: Literal[2]
    keys: list[int]  # the first key, then the difference from each key to the next
    rows: list[R]
    mismatches: Raw = _NOTHING  # by position and field number: tagged values
    missing: Raw = _NOTHING  # by position: numbers of fields without a value
    recordings: Raw = _NOTHING  # by position: dirty behaviours, and tagged values by id


class _PlacementsSection(_DecodedSection):
    kind: Literal[3]
    keys: list[int]
    placements: list[Placement]


class _MapSection(_DecodedSection, Generic[K, V]):
    kind: int
    entries: dict[K, V]


_KINDS: tuple[tuple[Any, str], ...] = (
    (WorldSection, "the world"),
    (_TableSection, "a table"),
    (RowsSection[Raw], "a row"),
    (_PlacementsSection, "the placements"),
    (_MapSection[int, Any], "the generators"),
    (_MapSection[str, Any], "the states"),
    (_MapSection[str, str | None], "the tombstones"),
)
_ELEMENT_COUNTS = [len(msgspec.structs.fields(part)) for part, _ in _KINDS]
_DECODERS = [msgspec.msgpack.Decoder(part) for part, _ in _KINDS]
_MAPS = {GENERATORS: "generators", STATES: "states", TOMBSTONES: "tombstones"}
# The position of a field in the message of an error of msgspec.
_CELL = re.compile(r"at `\$\[2\]\[\d+\]\[(\d+)\]")
_EXTRAS: dict[str, Any] = {
    "mismatches": msgspec.msgpack.Decoder(dict[int, dict[int, Any]]),
    "missing": msgspec.msgpack.Decoder(dict[int, frozenset[int]]),
    "recordings": msgspec.msgpack.Decoder(dict[int, tuple[list[str], dict[str, Any]]]),
}
_RAW_ROWS = msgspec.msgpack.Decoder(RowsSection[list[Raw]])


# -- tables and rows


class RawRow(NamedTuple):
    """The saved data of one object: cells as MessagePack, by field number."""

    key: Key
    cells: dict[int, Raw]
    mismatches: dict[int, Any] = {}  # tagged values of fields that are not in `cells`
    recording: Recording | None = None


class EncodedRow(NamedTuple):
    """One row of a section, with the values next to it."""

    key: Key
    cells: Any  # encoded, as one `Raw` or a list of them; a filler where a value is missing
    mismatches: Mapping[int, Any] = {}
    missing: Collection[int] = ()
    recording: Recording | None = None


class Rows(NamedTuple):
    """Some decoded rows of a table: the content of one section."""

    keys: list[Key]
    rows: list[Any]
    # By position in `rows`. The cells of fields without a fitting value hold a filler.
    mismatches: dict[int, dict[int, Any]] = {}
    missing: dict[int, frozenset[int]] = {}
    recordings: dict[int, Recording] = {}

    def one_by_one(self) -> Iterator[EncodedRow]:
        for place, (key, row) in enumerate(zip(self.keys, self.rows)):
            yield EncodedRow(
                key,
                row,
                self.mismatches.get(place, {}),
                self.missing.get(place, ()),
                self.recordings.get(place),
            )


class RawTable(msgspec.Struct, eq=False):
    """The rows of one class, as the bytes of a file."""

    number: int
    name: str
    fields: Sequence[Field]
    row_sections: list[Section] = []

    def decode(
        self, decoder: Any, section: Section, guard: Guard, *, is_deep: bool = False
    ) -> Rows:
        """Return the rows of a section. Raises `SaveCorruptError` and `SaveLimitError`."""
        description, offset = f"a row of {self.name}", section.offset
        try:
            part = guard.decode(
                decoder, section.data, description, offset, is_deep=is_deep
            )
        except SaveCorruptError as error:
            message = self._with_field_name(error.what)
            raise SaveCorruptError(message, offset) from None
        keys = [*accumulate(part.keys)]
        if len(keys) != len(part.rows):
            message = f"the rows of {self.name} and their keys differ in number"
            raise SaveCorruptError(message, offset)
        if keys and not _MIN_KEY <= min(keys) <= max(keys) <= _MAX_KEY:
            message = f"a row of {self.name} has an impossible key"
            raise SaveCorruptError(message, offset)
        if part.mismatches == part.missing == part.recordings == _NOTHING:
            return Rows(keys, part.rows)
        rows = Rows(keys, part.rows, *_decode_extras(part, description, offset, guard))
        places = {*rows.mismatches, *rows.missing, *rows.recordings}
        numbers = {*chain.from_iterable(rows.missing.values())}
        numbers.update(*rows.mismatches.values())
        field_numbers = {field.number for field in self.fields}
        if not places.issubset(range(len(keys))) or not numbers <= field_numbers:
            message = (
                f"a section of {self.name} names a row or field that it does not have"
            )
            raise SaveCorruptError(message, offset)
        return rows

    def _with_field_name(self, message: str) -> str:
        """Return the message of a decoding error with the name of the field, not its number."""
        match = _CELL.search(message)
        if match is None or int(match[1]) >= len(self.fields):
            return message
        field = f"`{self.name}.{self.fields[int(match[1])].name}`"
        return f"{field} of {message.partition(' - at ')[0]}"

    def rows(self, guard: Guard) -> Iterator[RawRow]:
        """Yield the rows one by one. Raises `SaveCorruptError` and `SaveLimitError`."""
        numbers = [field.number for field in self.fields]
        for section in self.row_sections:
            for row in self.decode(_RAW_ROWS, section, guard).one_by_one():
                if len(row.cells) != len(numbers):
                    message = f"a row of {self.name} has {len(row.cells)} cells"
                    raise SaveCorruptError(message, section.offset)
                fillers = {*row.mismatches, *row.missing}
                cells = {n: c for n, c in zip(numbers, row.cells) if n not in fillers}
                yield RawRow(row.key, cells, dict(row.mismatches), row.recording)

    def add(self, rows: Sequence[RawRow]) -> RawTable:
        """Add rows, and return the table. A field without cell and mismatch counts as missing."""
        fillers = {
            field.number: Raw(encode(filler(parse(field.stored))))
            for field in self.fields
        }
        encoded = [
            EncodedRow(
                row.key,
                [row.cells.get(number, cell) for number, cell in fillers.items()],
                row.mismatches,
                [n for n in fillers if n not in row.cells and n not in row.mismatches],
                row.recording,
            )
            for row in rows
        ]
        sections = split_into_sections(encoded, encode_one_by_one)
        self.row_sections += [Section(0, data) for data in sections]
        return self

    def sections(self) -> Iterator[bytes]:
        yield encode_table(self.number, self.name, self.fields)
        for section in self.row_sections:
            yield bytes(section.data)


def _decode_extras(
    part: Any, description: str, offset: int, guard: Guard
) -> Iterator[Any]:
    """Yield the mismatches, missing fields and recordings of a section, each by position."""
    for name, decoder in _EXTRAS.items():
        data = memoryview(getattr(part, name))
        extras = guard.decode(decoder, data, description, offset, is_deep=True)
        if name == "recordings":
            extras = {
                place: Recording((*dirty,), values)
                for place, (dirty, values) in extras.items()
            }
        yield extras


def encode_table(number: int, name: str, fields: Sequence[Field]) -> bytes:
    return encode([TABLE, number, name, fields])


def encode_rows(
    keys: Sequence[Key],
    rows: Sequence[Any],
    mismatches: Mapping[int, Mapping[int, Any]] = {},
    missing: Mapping[int, Iterable[int]] = {},
    recordings: Mapping[int, Recording] = {},
) -> bytes:
    """Return a section of rows. Raises the error of msgspec for a value that cannot be encoded."""
    return encode([ROWS, key_differences(keys), rows, mismatches, missing, recordings])


def encode_one_by_one(rows: Sequence[EncodedRow]) -> bytes:
    places = [*enumerate(rows)]
    return encode_rows(
        [row.key for row in rows],
        [row.cells for row in rows],
        {place: row.mismatches for place, row in places if row.mismatches},
        {place: row.missing for place, row in places if row.missing},
        {place: row.recording for place, row in places if row.recording},
    )


class Body(msgspec.Struct, eq=False):
    """The content of a save file, without metadata and thumbnail.

    A class may have a second table: fields of its objects that the game did not know, which were
    preserved.
    """

    world: WorldSection
    tables: list[RawTable] = []
    placements: dict[Key, Placement] = {}
    generators: dict[int, Any] = {}
    states: dict[str, Any] = {}
    tombstones: dict[str, str | None] = {}

    def sections(self) -> Iterator[bytes]:
        yield from self.sections_before_tables()
        for table in self.tables:
            yield from table.sections()

    def sections_before_tables(self) -> Iterator[bytes]:
        yield encode(self.world)
        # Sorted, so that equal worlds give equal bytes.
        encode_section = partial(_encode_placements, self.placements)
        yield from split_into_sections(sorted(self.placements), encode_section)
        for kind, name in _MAPS.items():
            entries = getattr(self, name)
            encode_section = partial(_encode_map, kind, entries)
            yield from split_into_sections(sorted(entries), encode_section)


def _encode_placements(
    placements: Mapping[Key, Placement], keys: Sequence[Key]
) -> bytes:
    chosen = [placements[key] for key in keys]
    return encode([PLACEMENTS, key_differences(keys), chosen])


def _encode_map(kind: int, entries: Mapping[Any, Any], keys: Sequence[Any]) -> bytes:
    return encode([kind, {key: entries[key] for key in keys}])


# -- writing


def key_differences(keys: Sequence[Key]) -> list[int]:
    """Return the first key, then the difference from each key to the next.

    >>> key_differences([4, 5, 9])
    [4, 1, 4]
    """
    return [*map(sub, keys, chain((0,), keys))]


def split_into_sections(
    items: Sequence[T], encode_section: Callable[[Sequence[T]], bytes]
) -> Iterator[bytes]:
    """Yield sections of at most 1,000 items; a section with several items has at most 1 MiB.

    After the first one, sections have about 128 KiB or less.

    >>> sections = split_into_sections(range(2500), lambda items: bytes(len(items)))
    >>> [len(section) for section in sections]
    [100, 1000, 1000, 400]
    >>> sections = split_into_sections(range(3), lambda items: bytes(len(items) * MIB))
    >>> [len(section) for section in sections]
    [1048576, 1048576, 1048576]
    """
    first, count = 0, _FIRST_ITEMS
    while first < len(items):
        chosen = items[first : first + count]
        data = encode_section(chosen)
        count = max(1, min(MAX_ITEMS, len(chosen) * _SECTION_SIZE // (len(data) + 1)))
        if len(data) <= MIB or len(chosen) == 1:
            yield data
            first += len(chosen)


def runs_of(generations: Sequence[int]) -> list[int]:
    """Return the generation and the length of each run of equal generations, in one flat list.

    >>> runs_of((1, 1, 3))
    [1, 2, 3, 1]
    """
    runs: list[int] = []
    for generation, run in groupby(generations):
        runs += (generation, len([*run]))
    return runs


# -- reading


def read_body(sections: Iterable[Section], guard: Guard) -> Body:
    """Return the body with these sections. Rows are not decoded.

    Raises `SaveCorruptError` and `SaveLimitError`.
    """
    body: Body | None = None
    table: RawTable | None = None
    columns = 0
    for section in sections:
        kind, offset = _kind_of(section), section.offset
        if (kind == WORLD) != (body is None):
            message = (
                "the body does not have one section of the world, at its beginning"
            )
            raise SaveCorruptError(message, offset)
        if body is None:
            body = Body(_decode_section(kind, section, guard))
        elif kind == TABLE:
            table = _table(section, guard)
            columns += len(table.fields)
            body.tables.append(table)
            guard.limits.allow("the number of columns", "columns", columns)
            guard.limits.allow("the number of tables", "tables", len(body.tables))
        elif kind != ROWS:
            _add_entries(body, _decode_section(kind, section, guard), offset)
        elif table is None:
            raise SaveCorruptError("rows come before any table", offset)
        else:
            table.row_sections.append(section)
    if body is None:
        raise SaveCorruptError("the save is empty")
    if len(body.world.slots) % 2 or 0 in body.world.slots:
        raise SaveCorruptError("the slots are not pairs of a generation and a count")
    slots = sum(body.world.slots[1::2])
    guard.limits.allow("the number of slots", "objects", slots)
    guard.add_memory(8 * slots)
    retired = _retired_slots(body.world)
    if retired > _MAX_RETIRED_SLOTS:
        raise SaveCorruptError(f"{retired:,} slots have used up their generations")
    return body


# A slot has two thousand million objects before it is retired.
_MAX_RETIRED_SLOTS = 1000
_MIN_ROW = 2  # bytes, with its key


def _retired_slots(world: WorldSection) -> int:
    runs = zip(world.slots[::2], world.slots[1::2])
    return sum(count for generation, count in runs if generation > LAST_GENERATION)


def check_slots(body: Body) -> Body:
    """Return the body. Raises `SaveCorruptError` if it has far more slots than objects.

    A few bytes can give any number of slots, so they are checked before they are made.
    """
    world = body.world
    sections = (section for table in body.tables for section in table.row_sections)
    rows = sum(len(section.data) for section in sections) // _MIN_ROW
    slots = sum(world.slots[1::2])
    if world.covers is None and slots > rows + len(world.free) + _retired_slots(world):
        raise SaveCorruptError(f"the save has {slots:,} slots, but fewer objects")
    return body


def _kind_of(section: Section) -> int:
    """Return the kind of a section, which is the first element of its array."""
    data = section.data
    if len(data) < 2 or data[0] & 0xF0 != 0x90 or data[1] >= len(_ELEMENT_COUNTS):
        raise SaveCorruptError("a section is of an unknown kind", section.offset)
    kind = data[1]
    is_older = kind == WORLD and data[0] & 0x0F == _ELEMENT_COUNTS[WORLD] - 2
    if data[0] & 0x0F != _ELEMENT_COUNTS[kind] and not is_older:
        message = f"the section of {_KINDS[kind][1]} has a wrong number of elements"
        raise SaveCorruptError(message, section.offset)
    return kind


def check_section(section: Section, guard: Guard) -> None:
    """Check that a section before the tables can be decoded. Raises the errors of `read_body`."""
    _decode_section(_kind_of(section), section, guard)


def _decode_section(kind: int, section: Section, guard: Guard) -> Any:
    return guard.decode(
        _DECODERS[kind],
        section.data,
        _KINDS[kind][1],
        section.offset,
        is_deep=kind in (GENERATORS, STATES),
    )


def _add_entries(
    body: Body, section: _PlacementsSection | _MapSection[Any, Any], offset: int
) -> None:
    entries: dict[Any, Any]
    if isinstance(section, _PlacementsSection):
        entries, placements = body.placements, section.placements
        new: Iterable[tuple[Any, Any]] = zip(accumulate(section.keys), placements)
        count = max(len(section.keys), len(placements))
    else:
        entries, new = getattr(body, _MAPS[section.kind]), section.entries.items()
        count = len(section.entries)
    count_before = len(entries)
    entries.update(new)
    if len(entries) != count_before + count:
        message = f"{_KINDS[section.kind][1]} do not have one entry for each key"
        raise SaveCorruptError(message, offset)


def _table(section: Section, guard: Guard) -> RawTable:
    """Return the table that a section describes, without rows."""
    data = bytes(section.data)
    # Most tables are those of the game. A journal repeats the others.
    table = _declared_tables.get(data) or guard.tables.get(data)
    if table is None:
        what = "the description of a table"
        table = guard.decode(_DECODERS[TABLE], data, what, section.offset)
        try:
            _check_table(table, data, guard)
        except SaveCorruptError as error:
            message = f"{what} cannot be read: {error}"
            raise SaveCorruptError(message, section.offset) from None
        guard.tables[data] = table
    return RawTable(table.number, table.name, table.fields, [])


def _check_table(table: _TableSection, data: bytes, guard: Guard) -> None:
    limits, types = guard.limits, [field.stored for field in table.fields]
    limits.allow("the number of columns", "columns", len(types))
    if len(data) > limits.name:
        names = [table.name, *(field.name for field in table.fields)]
        limits.allow("the length of a name", "name", max(map(len, names)))
    if len({field.number for field in table.fields}) < len(table.fields):
        raise SaveCorruptError(f"{table.name} has two fields with the same number")
    guard.add_types(types)
    for stored in types:
        parse(stored)  # raises an error if the type cannot be read


# The tables of the game's classes, by their sections. Tables of files are not kept.
_declared_tables: dict[bytes, _TableSection] = {}


def declare_table(number: int, name: str, fields: tuple[Field, ...]) -> bytes:
    """Return the section of a table of the game. From now on it is read without parsing."""
    data = encode_table(number, name, fields)
    _declared_tables[data] = _TableSection(1, number, name, fields)
    return data
