"""Read and write the body of a save file: parts with the world, its tables and their rows.

docs/save-format.md specifies the parts. This works without the code of the game: rows remain
bytes, and the file contains their schema.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, repeat
from operator import sub
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw
from msgspec.msgpack import Decoder

from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.world.placements import Placement
from savegen.runtime.snapshots.tables import Covers
from savegen.runtime.values.folds import TAKES_DEFAULT, Typed, closed, filler, opened
from savegen.runtime.values.basics.keys import LAST_GENERATION
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import StoredType, parse, parse_listed
from savegen.saves.encoding import (
    ENCODER,
    any_decoder,
    can_be_encoded,
    encode,
    encode_any,
)
from savegen.saves.file import Section
from savegen.saves.limits import (
    CODING_ERRORS,
    MAX_NAME,
    MIB,
    Guard,
    allow,
    decode_deep,
    encoding_fault,
)

# Encoding more rows at once would delay the thread of the game.
MAX_ITEMS = 1000  # in a section
_FIRST_ITEMS = 100  # in the first part of a table, when the size of a row is unknown
_MAX_PARTS = 65_535  # in a section
_SECTION_SIZE = MIB // 8  # bytes, roughly
_MIN_KEY, _MAX_KEY = -(2**62), 2**63 - 1

T = TypeVar("T")
Count = Annotated[int, Meta(ge=0)]


# -- the parts of a body


WORLD, TABLE, ROWS, PLACEMENTS, GENERATORS, STATES, TOMBSTONES, TYPES = range(8)


class _Part(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The base class of parts. The first element of each is the number of its kind."""


class WorldPart(_Part, eq=False, tag=WORLD):
    """The first part of a save, with facts about the whole world."""

    save_version: Count = 0  # `[tool.savegen] save_version` of the game that saved
    migrations: list[str] = []  # of the game that saved, as `module:function`
    dangling: Count = 0  # references to destroyed objects, saved as `None`
    next_reached: Annotated[int, Meta(ge=1)] = 1
    slots: list[Count] = []  # generation and count, for runs of slots
    free: list[Count] = []  # empty slots; the last one is filled next
    lineage: Annotated[str, Meta(max_length=64)] = ""  # of the world with these keys
    covers: Covers | None = None  # of a partial snapshot, with differences of keys

    @property
    def generations(self) -> tuple[int, ...]:
        """The generation of each slot."""
        runs = zip(self.slots[::2], self.slots[1::2])
        return (*chain.from_iterable(repeat(*run) for run in runs),)


class SavedField(NamedTuple):
    """One field of a class: its stable number, its name when it was saved, its stored type."""

    number: int
    name: str
    stored: str


class TablePart(_Part, eq=False, tag=TABLE):
    """The description of a table: its class, and the fields of it as encoded `SavedField`s."""

    number: int
    name: str
    fields: Raw


class RowsPart(_Part, eq=False, tag=ROWS):
    """Some rows of the table before."""

    keys: list[int]  # the first key, then the difference from each key to the next
    rows: Raw
    extras: Raw  # by position in `rows`


class PlacementsPart(_Part, eq=False, tag=PLACEMENTS):
    keys: list[int]
    placements: list[Placement]


class GeneratorsPart(_Part, eq=False, tag=GENERATORS):
    entries: dict[int, Any]


class StatesPart(_Part, eq=False, tag=STATES):
    entries: dict[str, tuple[Count, Any]]


class TombstonesPart(_Part, eq=False, tag=TOMBSTONES):
    entries: dict[str, str | None]


class TypesPart(_Part, eq=False, tag=TYPES):
    """The types of the values whose types no field declares."""

    types: list[str]


Part = (
    WorldPart
    | TablePart
    | RowsPart
    | PlacementsPart
    | GeneratorsPart
    | StatesPart
    | TombstonesPart
    | TypesPart
)
_SECTION = any_decoder(list[Part])
_FIELDS = Decoder(tuple[SavedField, ...])
_RAW_ROWS = Decoder(list[Raw])
_CELLS = Decoder(list[list[Raw]])
# By position and by field number, or the id of a recorded value: its type, and its cell.
_ANY = any_decoder()
_EXTRAS = any_decoder(dict[Count, dict[int | str, tuple[Count, Any]]])
NO_EXTRAS = Raw(encode({}))
DIRTY = 0  # the key of the dirty behaviours in the extras of a row
BEHAVIORS = parse("list<str>")  # their type
_MAPS = {"generators": GENERATORS, "states": STATES, "tombstones": TOMBSTONES}
# The position of a field in the message of an error of msgspec.
_CELL = re.compile(r"at `\$\[\d+\]\[(\d+)\]")


class Types:
    """The list of types of a file, which undeclared values refer to by number.

    >>> types = Types()
    >>> types.number_of(parse("list<int>")), types.number_of(parse("list<int>")), types.texts
    (0, 0, ['list<int>'])
    """

    def __init__(self) -> None:
        self._types: list[StoredType] = []
        self._numbers: dict[StoredType, int] = {}

    def read(self, texts: Iterable[str]) -> None:
        """Read the types of a file. Raises `SaveCorruptError` for a text that is no type."""
        self._types += map(parse_listed, texts)
        self._numbers |= {stored: n for n, stored in enumerate(self._types)}
        if len(self._numbers) < len(self._types):
            raise SaveCorruptError("a type is in the list of types twice")

    @property
    def texts(self) -> list[str]:
        return [*map(str, self._types)]

    def number_of(self, stored: StoredType) -> int:
        """Return the number of a type, which is added if it is not in the list yet."""
        number = self._numbers.get(stored)
        if number is None:
            number = self._numbers[stored] = len(self._types)
            self._types.append(stored)
        return number

    def closed(self, typed: Typed) -> tuple[int, Any]:
        """Return an undeclared value as a file has it."""
        stored, cell = typed
        return self.number_of(stored), closed(stored, cell, self.number_of)

    def closed_cell(self, stored: StoredType, cell: Any) -> Any:
        """Return a cell of a stored type, in which undeclared values have numbers."""
        return closed(stored, cell, self.number_of)

    def encoded_extras(self, extras: Mapping[int, Mapping[int | str, Typed]]) -> Raw:
        """Encode the extras of some rows, by position."""
        if not extras:
            return NO_EXTRAS
        closed = self.closed
        places = {
            place: {name: closed(each) for name, each in row.items()}
            for place, row in extras.items()
        }
        return Raw(encode_any(places))

    def opened(self, value: Sequence[Any]) -> Typed:
        """Return an undeclared value of a file. Raises `SaveCorruptError` for a wrong number."""
        number, cell = value
        if number >= len(self._types):
            raise SaveCorruptError(f"the list of types has no type {number}")
        stored = self._types[number]
        return stored, opened(stored, cell, self._types)

    def opened_cell(self, stored: StoredType, cell: Any) -> Any:
        """Return the cell of a field of a file, in which undeclared values have numbers."""
        return opened(stored, cell, self._types)


# -- writing sections


class SectionPacker:
    """Packs parts into sections of at most 1,000 rows or entries, and roughly 128 KiB.

    >>> sections: list[bytes] = []
    >>> packer = SectionPacker(sections.append)
    >>> [len(chosen) for chosen in packer.pack(range(2500), lambda chosen: [*chosen])]
    [100, 900, 1000, 500]
    >>> packer.flush()
    >>> [len(section) for section in sections]
    [2623, 3004, 1504]
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._buffer = bytearray(_HEAD)
        self._parts = self._items = 0
        self.last_size = 0  # bytes of the last part

    def add(self, part: Any, items: int = 0) -> None:
        """Add a part with some rows or entries. Raises the errors of msgspec, adding nothing."""
        start = self._append(part)
        self._end(start, items)

    def add_all(self, parts: Sequence[Any], items: int) -> bool:
        """Add parts at once if all of them fit into one section; return whether they do.

        Raises the errors of msgspec, adding nothing.
        """
        if self._items + items > MAX_ITEMS:
            return False
        encoded = encode(parts)
        # The head of the array is left out.
        content = memoryview(encoded)[1 if len(parts) < 16 else _HEAD :]
        if len(self._buffer) + len(content) > _SECTION_SIZE:
            return False
        self._buffer += content
        self._parts += len(parts)
        self._items += items
        self.last_size = len(content)
        return True

    def _append(self, part: Any) -> int:
        """Encode a part; return its position in the buffer."""
        start = len(self._buffer)
        try:
            ENCODER.encode_into(part, self._buffer, start)
        except BaseException:
            del self._buffer[start:]
            raise
        self.last_size = len(self._buffer) - start
        return start

    def _end(self, start: int, items: int) -> None:
        """Write the section if it is full; a part that makes it too long is not in it."""
        last = b""
        if start > _HEAD and (
            len(self._buffer) > MIB or self._items + items > MAX_ITEMS
        ):
            last = bytes(memoryview(self._buffer)[start:])
            del self._buffer[start:]
            self.flush()
            self._buffer += last
        self._parts += 1
        self._items += items
        is_full = self._items >= MAX_ITEMS or len(self._buffer) >= _SECTION_SIZE
        if is_full or self._parts == _MAX_PARTS:
            self.flush()

    def pack(
        self,
        items: Sequence[T],
        part_of: Callable[[Sequence[T]], Any],
        repaired: Callable[[], Any] | None = None,
    ) -> Iterator[Sequence[T]]:
        """Add parts with some items each; yield the items after each part.

        A part with several items has at most 1 MiB. `repaired` returns another part in place of
        the last one if that cannot be encoded.
        """
        first, count = 0, _FIRST_ITEMS
        while first < len(items):
            count = min(count, MAX_ITEMS - self._items)
            chosen = items[first : first + count]
            try:
                start = self._append(part_of(chosen))
            except (*CODING_ERRORS, RecursionError):
                if repaired is None:
                    raise
                start = self._append(repaired())
            size = self.last_size
            is_too_long = size > MIB and len(chosen) > 1
            if is_too_long:
                del self._buffer[start:]
            else:
                first += len(chosen)
                self._end(start, len(chosen))
            room = _SECTION_SIZE + _HEAD - len(self._buffer)
            count = max(1, min(MAX_ITEMS, len(chosen) * room // (size + 1)))
            if not is_too_long:
                yield chosen

    def flush(self) -> None:
        """Write the section with the parts that were added."""
        if not self._parts:
            return
        # The head of an array, in the shortest form.
        if self._parts < 16:
            self._buffer[_HEAD - 1] = 0x90 | self._parts
            self._write(bytes(memoryview(self._buffer)[_HEAD - 1 :]))
        else:
            self._buffer[:_HEAD] = b"\xdc" + self._parts.to_bytes(2, "big")
            self._write(bytes(self._buffer))
        del self._buffer[_HEAD:]
        self._parts = self._items = 0


_HEAD = 3  # bytes, for the number of parts in a section


def key_differences(keys: Sequence[Key]) -> list[int]:
    """Return the first key, then the difference from each key to the next.

    >>> key_differences([4, 5, 9])
    [4, 1, 4]
    """
    return [*keys[:1], *map(sub, keys[1:], keys)]


def runs_of(generations: Sequence[int]) -> list[int]:
    """Return the generation and the length of each run of equal generations, in one flat list.

    >>> runs_of((1, 1, 3))
    [1, 2, 3, 1]
    """
    runs: list[int] = []
    for generation, run in groupby(generations):
        runs += (generation, len([*run]))
    return runs


# -- tables and rows


class RawRow(NamedTuple):
    """The saved data of one object: cells as MessagePack, by field number.

    A field is in `extras` if its value has another type, if MessagePack cannot encode its cell, or
    if its type contains undeclared values.
    """

    key: Key
    cells: dict[int, Raw]
    # By field number, or by the id of a recorded value; the key `DIRTY` has dirty behaviours.
    extras: dict[int | str, Typed] = {}


class Rows(NamedTuple):
    """Some decoded rows of a table: the content of one part."""

    keys: list[Key]
    rows: list[Any]
    # By position in `rows`. The cells of fields with an extra hold a filler.
    extras: dict[int, dict[int | str, Typed]] = {}


class RawTable(msgspec.Struct, eq=False):
    """The rows of one class, as the bytes of a file."""

    number: int
    name: str
    fields: tuple[SavedField, ...]
    types: Types  # of the file
    parts: list[tuple[int, RowsPart]] = []  # each with the offset of its chunk

    def decode(
        self,
        decoder: Any,
        offset: int,
        part: RowsPart,
        guard: Guard,
        *,
        is_deep: bool = False,
    ) -> Rows:
        """Return the rows of a part. Raises `SaveCorruptError` and `SaveLimitError`."""
        try:
            rows = guard.decode(
                decoder, part.rows, f"a row of {self.name}", offset, is_deep=is_deep
            )
        except SaveCorruptError as error:
            message = self._with_field_name(error.what)
            raise SaveCorruptError(message, offset) from None
        keys = [*accumulate(part.keys)]
        fault = ""
        if len(keys) != len(rows):
            fault = f"the rows of {self.name} and their keys differ in number"
        elif keys and not _MIN_KEY <= min(keys) <= max(keys) <= _MAX_KEY:
            fault = f"a row of {self.name} has an impossible key"
        if fault:
            raise SaveCorruptError(fault, offset)
        if part.extras == NO_EXTRAS:
            return Rows(keys, rows)
        return Rows(keys, rows, self._extras(offset, part, len(keys), guard))

    def _extras(
        self, offset: int, part: RowsPart, count: int, guard: Guard
    ) -> dict[int, dict[int | str, Typed]]:
        what = f"a row of {self.name}"
        found = guard.decode(_EXTRAS, part.extras, what, offset, is_deep=True)
        numbers = {each.number for each in self.fields} | {DIRTY}
        names = {name for extras in found.values() for name in extras}
        unknown = {name for name in names - numbers if type(name) is int}
        if unknown or (found and max(found) >= count):
            message = (
                f"a section of {self.name} names a row or field that it does not have"
            )
            raise SaveCorruptError(message, offset)
        opened = self.types.opened
        return {
            place: {name: opened(each) for name, each in extras.items()}
            for place, extras in found.items()
        }

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
        undeclared = self._undeclared()
        for offset, part in self.parts:
            keys, rows, all_extras = self.decode(_CELLS, offset, part, guard)
            for place, (key, row) in enumerate(zip(keys, rows)):
                if len(row) != len(numbers):
                    message = f"a row of {self.name} has {len(row)} cells"
                    raise SaveCorruptError(message, offset)
                extras = all_extras.get(place, {})
                cells = {n: c for n, c in zip(numbers, row) if n not in extras}
                for number in undeclared.keys() & cells.keys():
                    stored = undeclared[number]
                    cell = guard.decode(
                        _ANY, cells.pop(number), self.name, offset, is_deep=True
                    )
                    extras[number] = stored, self.types.opened_cell(stored, cell)
                yield RawRow(key, cells, extras)

    def _undeclared(self) -> dict[int, StoredType]:
        """Return the types of the fields that contain undeclared values, by field number."""
        types = {n: parse(stored) for n, _, stored in self.fields if "any" in stored}
        return {n: each for n, each in types.items() if "any" in each.names_inside}

    def encoded_rows(self, guard: Guard, types: Types) -> dict[Key, EncodedRow]:
        """Return the rows by key; their undeclared values have the numbers of `types`."""
        if types is not self.types and self._undeclared():
            table = RawTable(self.number, self.name, self.fields, types)
            encoded = table._encoder()
            return {row.key: encoded(row) for row in self.rows(guard)}
        return {
            key: EncodedRow(key, row, extras.get(place, {}))
            for offset, part in self.parts
            for keys, rows, extras in [self.decode(_RAW_ROWS, offset, part, guard)]
            for place, (key, row) in enumerate(zip(keys, rows))
        }

    def add(self, rows: Iterable[RawRow]) -> RawTable:
        """Add rows, and return the table. A field without a value takes the default.

        An extra of the type of its field becomes a cell if it can be encoded.
        """
        return self.add_encoded([*map(self._encoder(), rows)])

    def _encoder(self) -> Callable[[RawRow], EncodedRow]:
        """Return a function that encodes rows with the numbers of `types`."""
        fields = {field.number: parse(field.stored) for field in self.fields}
        fillers = {
            n: Raw(encode(self.types.closed_cell(stored, filler(stored))))
            for n, stored in fields.items()
        }

        def encoded(row: RawRow) -> EncodedRow:
            cells, extras = {**row.cells}, {**row.extras}
            for number, stored in fields.items():
                if number in extras and extras[number][0] == stored:
                    cell = self.types.closed_cell(*extras[number])
                    if can_be_encoded(cell):
                        cells[number] = Raw(encode(cell))
                        del extras[number]
                elif number not in cells and number not in extras:
                    extras[number] = TAKES_DEFAULT
            found = [cells.get(number, cell) for number, cell in fillers.items()]
            return EncodedRow(row.key, Raw(encode(found)), extras)

        return encoded

    def add_encoded(self, rows: Sequence[EncodedRow]) -> RawTable:
        """Add encoded rows, and return the table."""
        ends = [*accumulate(len(memoryview(row.cells)) for row in rows)]
        first = 0
        while first < len(rows):
            start = ends[first - 1] if first else 0
            last = bisect_right(
                ends, start + _SECTION_SIZE, first, min(first + MAX_ITEMS, len(rows))
            )
            chosen = rows[first : max(last, first + 1)]
            part = RowsPart(
                key_differences([row.key for row in chosen]),
                Raw(encode([row.cells for row in chosen])),
                self.types.encoded_extras(
                    {n: row.extras for n, row in enumerate(chosen) if row.extras}
                ),
            )
            self.parts.append((0, part))
            first += len(chosen)
        return self

    def pack(self, packer: SectionPacker) -> None:
        """Add the parts of the table to a packer."""
        packer.add(TablePart(self.number, self.name, Raw(encode(self.fields))))
        for _, part in self.parts:
            packer.add(part, len(part.keys))


class EncodedRow(NamedTuple):
    """One row of a table, with the values beside it."""

    key: Key
    cells: Raw  # of all fields, as one array; a filler for those in `extras`
    extras: Mapping[int | str, Typed] = {}


class Body(msgspec.Struct, eq=False):
    """The content of a save file, without metadata and thumbnail.

    A class may have a second table: fields of its objects that the game did not know, which were
    preserved.
    """

    world: WorldPart
    types: Types = msgspec.field(default_factory=Types)  # of rows and extras
    tables: list[RawTable] = []
    placements: dict[Key, Placement] = {}
    generators: dict[int, Any] = {}
    states: dict[str, Typed] = {}
    tombstones: dict[str, str | None] = {}

    def sections(self) -> list[bytes]:
        sections: list[bytes] = []
        packer = SectionPacker(sections.append)
        for _ in self.pack_world(packer):
            pass
        for table in self.tables:
            table.pack(packer)
        self.pack_types(packer)
        packer.flush()
        return sections

    def pack_world(self, packer: SectionPacker) -> Iterator[object]:
        """Add everything but the tables; yield after each part.

        Entries are sorted, so that equal worlds give equal bytes.
        """
        packer.add(self.world)
        yield from packer.pack(sorted(self.placements), self._placements_part)
        for name, kind in _MAPS.items():
            entries = getattr(self, name)
            keys = sorted(entries)
            if name == "states":
                entries = {key: self.types.closed(entries[key]) for key in keys}
            yield from packer.pack(keys, partial(_map_part, kind, entries))

    def _placements_part(self, keys: Sequence[Key]) -> Raw:
        placements = [self.placements[key] for key in keys]
        return _checked([PLACEMENTS, key_differences(keys), placements])

    def pack_types(self, packer: SectionPacker, guard: Guard | None = None) -> None:
        texts = self.types.texts
        if texts:
            packer.add(TypesPart(texts))
            if guard is not None:
                _add_types(texts, guard)


def _map_part(kind: int, entries: Mapping[Any, Any], keys: Sequence[Any]) -> Raw:
    return _checked([kind, {key: entries[key] for key in keys}])


def _checked(part: list[Any]) -> Raw:
    """Encode a part, and check that it can be decoded. Raises `SaveError` if it cannot."""
    try:
        encoded = encode_any(part)
        decode_deep(_SECTION, b"\x91" + encoded)
    except (*CODING_ERRORS, RecursionError) as error:
        reason = encoding_fault(error)
        raise SaveError(f"the {_NAMES[part[0]]} cannot be saved: {reason}") from error
    return Raw(encoded)


_NAMES = {
    PLACEMENTS: "placements",
    GENERATORS: "random generators",
    STATES: "states",
    TOMBSTONES: "tombstones",
}


# -- reading


def read_body(sections: Iterable[Section], guard: Guard) -> Body:
    """Return the body with these sections. Rows are not decoded.

    Raises `SaveCorruptError` and `SaveLimitError`.
    """
    reader = _Reader(guard)
    for section in sections:
        offset = section.offset
        what = "the body"
        parts = guard.decode(
            _SECTION, section.data, what, offset, is_deep=True, is_raw=True
        )
        for part in parts:
            reader.add(part, offset)
    return reader.result()


class _Reader:
    """Collects the parts of a body."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._body: Body | None = None
        self._tables: list[RawTable] = []
        # Undeclared values can be read when the list of types is known.
        self._types = Types()
        self._texts: list[str] | None = None
        self._states: dict[str, tuple[int, Any]] = {}

    def add(self, part: Any, offset: int) -> None:
        kind, body = type(part), self._body
        if kind is RowsPart and self._tables:
            self._tables[-1].parts.append((offset, part))
            return
        if (kind is WorldPart) != (body is None):
            message = "the body does not have one part of the world, at its beginning"
            raise SaveCorruptError(message, offset)
        if body is None:
            self._body = Body(part, self._types, self._tables)
        elif kind is RowsPart:
            raise SaveCorruptError("rows come before any table", offset)
        elif kind is TablePart:
            self._tables.append(_table(part, self._types, self._guard, offset))
        elif kind is TypesPart:
            if self._texts is not None:
                raise SaveCorruptError("the body has two lists of types", offset)
            self._texts = part.types
            _add_types(part.types, self._guard)
            self._types.read(part.types)
        elif kind is PlacementsPart:
            new = dict(zip(accumulate(part.keys), part.placements))
            count = max(len(part.keys), len(part.placements))
            _add(body.placements, new, count, "the placements", offset)
        else:
            entries, what = self._entries(body, kind)
            _add(entries, part.entries, len(part.entries), what, offset)

    def _entries(self, body: Body, kind: type) -> tuple[dict[Any, Any], str]:
        if kind is GeneratorsPart:
            return body.generators, "the generators"
        if kind is StatesPart:
            return self._states, "the states"
        return body.tombstones, "the tombstones"

    def result(self) -> Body:
        body, guard = self._body, self._guard
        if body is None:
            raise SaveCorruptError("the save is empty")
        if self._states:
            opened = self._types.opened
            body.states = {name: opened(each) for name, each in self._states.items()}
        if len(body.world.slots) % 2 or 0 in body.world.slots:
            raise SaveCorruptError(
                "the slots are not pairs of a generation and a count"
            )
        slots = sum(body.world.slots[1::2])
        guard.limits.allow("the number of slots", "objects", slots)
        guard.add_memory(8 * slots)
        retired = _retired_slots(body.world)
        if retired > _MAX_RETIRED_SLOTS:
            raise SaveCorruptError(f"{retired:,} slots have used up their generations")
        return body


def _add(
    entries: dict[Any, Any], new: dict[Any, Any], count: int, what: str, offset: int
) -> None:
    count += len(entries)
    entries |= new
    if len(entries) != count:
        raise SaveCorruptError(f"{what} do not have one entry for each key", offset)


# A slot has two thousand million objects before it is retired.
_MAX_RETIRED_SLOTS = 1000


def _retired_slots(world: WorldPart) -> int:
    runs = zip(world.slots[::2], world.slots[1::2])
    return sum(count for generation, count in runs if generation > LAST_GENERATION)


def check_slots(body: Body) -> Body:
    """Return the body. Raises `SaveCorruptError` if it has far more slots than objects.

    A few bytes can give any number of slots, so they are checked before they are made.
    """
    world = body.world
    rows = sum(len(part.keys) for table in body.tables for _, part in table.parts)
    slots = sum(world.slots[1::2])
    is_whole = world.covers is None
    if is_whole and slots > rows + len(world.free) + _retired_slots(world):
        raise SaveCorruptError(f"the save has {slots:,} slots, but fewer objects")
    return body


def _table(part: TablePart, types: Types, guard: Guard, offset: int) -> RawTable:
    """Return the table that a part describes, without rows."""
    description = part.number, part.name, bytes(part.fields)
    # Most tables are those of the game. A journal repeats the others.
    fields = _declared_tables.get(description) or guard.tables.get(description)
    if fields is None:
        what = "the description of a table"
        fields = guard.decode(_FIELDS, part.fields, what, offset)
        try:
            _check_table(part.name, fields, guard)
        except SaveCorruptError as error:
            message = f"{what} cannot be read: {error}"
            raise SaveCorruptError(message, offset) from None
        guard.tables[description] = fields
    return RawTable(part.number, part.name, fields, types, [])


def _check_table(name: str, fields: tuple[SavedField, ...], guard: Guard) -> None:
    longest = max(len(name), *(len(field.name) for field in fields), 0)
    allow("the length of a name", MAX_NAME, longest)
    if len({field.number for field in fields}) < len(fields):
        raise SaveCorruptError(f"{name} has two fields with the same number")
    types = [field.stored for field in fields]
    _add_types(types, guard)
    for stored in types:
        parse(stored)  # raises an error if the type cannot be read


def _add_types(types: Sequence[str], guard: Guard) -> None:
    lengths = [*map(len, types)]
    guard.add_types(sum(lengths), max(lengths, default=0))


# The fields of the game's classes, by what describes their tables. Those of files are not kept.
_declared_tables: dict[tuple[int, str, bytes], tuple[SavedField, ...]] = {}


def declare_table(number: int, name: str, fields: tuple[SavedField, ...]) -> Raw:
    """Return the part that describes a table of the game. From now on it is read unparsed."""
    encoded = encode(fields)
    _declared_tables[number, name, encoded] = fields
    return Raw(encode(TablePart(number, name, Raw(encoded))))
