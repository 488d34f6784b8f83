"""Preserved data: what a save contains and the game does not know, kept as bytes for the next save.

This is preserved: rows of classes that the game does not have, and complete objects of unknown
prefabs; fields that a class no longer has; and cells of which the game can load only a part,
because they refer to a preserved object or contain a field that was removed.

Preserved rows are in an additional table of their class. In such a table, field `n` is the
original cell, and field `-n` is the encoded cell that the game loaded instead. The original is
written again as long as the object's cell is still the one in field `-n`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import UNSET, Raw, msgpack

from savegen.runtime.cells import has_keys, keys_in, without
from savegen.runtime.errors import SaveError
from savegen.runtime.objects import GAME_OBJECT, GameObjectFields
from savegen.runtime.rows import Key, cells_of
from savegen.runtime.snapshot import Placement, Snapshot
from savegen.runtime.stored import parse
from savegen.runtime.tagged import keys_of, without_keys
from savegen.runtime.values import NO_VALUES
from savegen.saves.body import Field, RawRow, RawTable, encode
from savegen.saves.limits import CODING_ERRORS
from savegen.saves.tagged_cells import CellTagger

decode = msgpack.decode
_GAME_OBJECT = int(GAME_OBJECT.save_type)
_STORED = dict(zip(GameObjectFields, (stored for _, stored in GAME_OBJECT.fields)))


class PreservedTable(NamedTuple):
    """Preserved rows of a class: either whole objects, or parts of live objects."""

    number: int
    name: str
    fields: tuple[Field, ...]
    rows: list[RawRow]
    is_own: bool  # whether the objects themselves are preserved, and not only a part of each
    # The class or the field in a report; "" for cells that were loaded in part.
    title: str = ""


class Part(NamedTuple):
    """A preserved component or child of a live `GameObject`, with its position."""

    owner: Key
    field: int  # of `GameObject`
    place: int
    item: Any  # a key, or the number and the key of a component

    @property
    def key(self) -> Key:
        found: Key = self.item if self.field == _CHILDREN else self.item[1]
        return found


_CHILDREN = int(GameObjectFields.CHILDREN_REF)


class Preserved:
    """All preserved data of one save. It is immutable.

    >>> gone = PreservedTable(7, "mygame.Gone", (), [RawRow(4, {})], True, "Gone")
    >>> preserved = Preserved([gone])
    >>> preserved.added_keys(), preserved.counts
    ([4], {'Gone': 1})
    """

    def __init__(
        self,
        tables: Collection[PreservedTable] = (),
        parts: Collection[Part] = (),
        placements: Mapping[Key, Placement] | None = None,
        generators: Mapping[int, Any] | None = None,
    ) -> None:
        self.tables = tuple(tables)
        self.parts = tuple(parts)
        self.placements = dict(placements or {})
        # Generators that preserved rows may use.
        self.generators = dict(generators or {}) if self._has_generators() else {}

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of preserved objects by class, and of preserved values by field."""
        found: dict[str, int] = {}
        for table in self.tables:
            if table.title:
                found[table.title] = found.get(table.title, 0) + len(table.rows)
        return found

    @cached_property
    def keys(self) -> frozenset[Key]:
        """The keys of preserved objects."""
        own = (table for table in self.tables if table.is_own)
        return frozenset(row.key for table in own for row in table.rows)

    def added_keys(self) -> list[Key]:
        """Return the keys of preserved objects that were added to the world."""
        return sorted(key for key in self.keys if key > 0)

    def reached_keys(self) -> list[Key]:
        """Return the keys of live objects that preserved rows refer to."""
        return sorted(
            {key for key in self._referred if key < 0 and key not in self.keys},
            reverse=True,
        )

    @cached_property
    def _referred(self) -> frozenset[Key]:
        found: set[Key] = set()
        for table in self.tables:
            for number, stored in _keyed(table):
                cells = (row.cells[number] for row in table.rows if number in row.cells)
                found |= keys_in(stored, map(decode, cells))
            for row in table.rows:
                for tagged in _tagged(row):
                    found.update(keys_of(tagged))
        return frozenset(found)

    def _has_generators(self) -> bool:
        types = {parse(field.stored) for table in self.tables for field in table.fields}
        names = {part.name for stored in types for part in stored.walk()}
        return not names.isdisjoint(("random", "generator", "any"))

    # -- written back

    def written(self, snapshot: Snapshot) -> tuple[list[RawTable], dict[str, int]]:
        """Return the additional tables for a file, and how many objects are in them."""
        tables = snapshot.tables.values()
        alive = {key for table in tables for key in table.keys} | self.keys
        dead = self._referred - alive
        now = _Cells(snapshot)
        found, counts = [], dict[str, int]()
        for table in self.tables:
            rows = table.rows
            if not table.is_own:
                kept = (now.still(table, row) for row in rows if row.key in alive)
                rows = [row for row in kept if row is not None]
            if dead:
                rows = [_without(table, row, dead) for row in rows]
            if rows:
                found.append(RawTable(table.number, table.name, table.fields).add(rows))
                counts[table.title] = counts.get(table.title, 0) + len(rows)
        counts.pop("", None)
        return found + self._parts(now), counts

    def _parts(self, now: _Cells) -> list[RawTable]:
        """Return the lists of components and children, including the preserved ones."""
        rows: dict[int, list[RawRow]] = {}  # by field
        parts = sorted(self.parts, key=attrgetter("field", "owner", "place"))
        for (number, owner), mine in groupby(parts, attrgetter("field", "owner")):
            cell = now.cell(_GAME_OBJECT, owner, number)
            if cell is None:
                continue
            joined = [*cell]
            for part in mine:
                joined.insert(part.place, part.item)
            cells = {number: Raw(encode(joined)), -number: Raw(as_given(cell))}
            rows.setdefault(number, []).append(RawRow(owner, cells))
        return [
            RawTable(_GAME_OBJECT, "GameObject", _fields(number)).add(some)
            for number, some in rows.items()
        ]


NOTHING = Preserved()


def _fields(number: int) -> tuple[Field, Field]:
    name = GameObjectFields(number).name.removesuffix("_REF").lower()
    stored = _STORED[GameObjectFields(number)]
    return Field(number, name, stored), Field(-number, name, "bytes")


def as_given(cell: Any) -> bytes:
    """Return the cell of a field `-n` for the cell that the game loaded in field `n`."""
    return encode(encode(cell))


def mismatch_as_given(tagged: Any) -> bytes:
    """Return the cell of a field `-n` for a mismatch in field `n`."""
    return encode(_MISMATCH + encode(tagged))


_MISMATCH = b"\xc1"  # no encoded cell begins with this byte


class _Cells:
    """Finds the cells of a snapshot by key."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._places: dict[int, dict[Key, int]] = {}
        world = snapshot.world
        values = world.registry.values if world else NO_VALUES
        self._tagger = CellTagger(values)

    def cell(self, number: int, key: Key, field: int) -> Any:
        """Return a cell; `None` if the class has no such row or field."""
        table = self._snapshot.tables.get(number)
        if table is None:
            return None
        if number not in self._places:
            self._places[number] = {key: n for n, key in enumerate(table.keys)}
        place = self._places[number].get(key)
        name = cells_of(table.entry.row).get(field)
        return (
            None if place is None or name is None else getattr(table.rows[place], name)
        )

    def still(self, table: PreservedTable, row: RawRow) -> RawRow | None:
        """Return the preserved fields of a row that are still valid; `None` if there are none."""
        cells, mismatches = dict(row.cells), dict(row.mismatches)
        for number in [-n for n in row.cells if n < 0]:
            forms = self._forms(table.number, row.key, number)
            if bytes(cells[-number]) in forms:
                cells[-number] = Raw(forms[0])
                continue
            del cells[-number]
            cells.pop(number, None)
            mismatches.pop(number, None)
        if not (cells or mismatches):
            return None
        return row._replace(cells=cells, mismatches=mismatches)

    def _forms(self, number: int, key: Key, field: int) -> list[bytes]:
        """Return the encoded cell of a field, then other encodings that load as the same value."""
        cell, table = self.cell(number, key, field), self._snapshot.tables[number]
        name = cells_of(table.entry.row)[field]
        if cell is UNSET:
            found = table.mismatches.get(self._places[number][key], {})
            return [mismatch_as_given(found[name])] if name in found else []
        forms = []
        with suppress(*CODING_ERRORS, RecursionError):
            forms.append(as_given(cell))
        with suppress(*CODING_ERRORS, SaveError):
            tagged = self._tagger.tag(table.entry.stored_by_cell[name], cell)
            forms.append(mismatch_as_given(tagged))
        return forms


def _keyed(table: PreservedTable) -> Iterator[tuple[int, Any]]:
    """Yield the number and the stored type of the fields that can hold keys."""
    for number, _, text in table.fields:
        stored = parse(text)
        if has_keys(stored):
            yield number, stored


def _tagged(row: RawRow) -> Iterator[Any]:
    """Yield the tagged values of a row."""
    yield from row.mismatches.values()
    yield from row.recording.values.values() if row.recording else ()


def _without(table: PreservedTable, row: RawRow, dead: frozenset[Key]) -> RawRow:
    """Return a row without references to removed objects."""
    changed = {
        number: Raw(encode(without(stored, decode(row.cells[number]), dead)))
        for number, stored in _keyed(table)
        if number in row.cells
    }
    row = row._replace(
        cells=row.cells | changed,
        mismatches={n: without_keys(each, dead) for n, each in row.mismatches.items()},
    )
    if row.recording is not None:
        values = {
            n: without_keys(each, dead) for n, each in row.recording.values.items()
        }
        row = row._replace(recording=row.recording._replace(values=values))
    return row
