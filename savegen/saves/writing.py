"""Write a snapshot as a save file; each piece is read back before it is written.

A save never fails because a value does not have the declared type. Such a mismatch is stored as
a tagged value next to the rows, and its cell in the row is a filler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from savegen.runtime.cells import keys_in
from savegen.runtime.errors import SaveError
from savegen.runtime.fits import Rules
from savegen.runtime.keys import LAST_GENERATION, index_of
from savegen.runtime.objects import GameObject
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.reports import by_key
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import LostValue, Snapshot, Table
from savegen.runtime.stored import annotation
from savegen.runtime.tagged import ABSENT, Lost, describe
from savegen.runtime.values import NO_VALUES
from savegen.saves.body import (
    Body,
    WorldPart,
    check_part,
    encode,
    pieces,
    read_body,
    rows_section,
    runs_of,
)
from savegen.saves.file import Compression, FileWriter, Metadata, Section
from savegen.saves.limits import CODING_ERRORS, MemoryEstimate, Limits, why
from savegen.saves.preserved import NOTHING, Preserved
from savegen.saves.reports import MOST, MismatchedValue, SaveReport, lost_line
from savegen.saves.schema import Column, RowSchema, row_schema_of
from savegen.saves.tagged_cells import CellTagger

_SHOWN = 60  # the most characters of a value in a report
_LONG = 4096  # values with more bytes are not shown in a report
_NOTED = 10_000  # keys recorded in one step, which takes no longer than encoding rows


class SnapshotWriter:
    """Encodes a snapshot piece by piece, and returns it as a file.

    >>> from savegen.runtime.snapshot import Snapshot
    >>> writer = SnapshotWriter(Snapshot())
    >>> [*writer.steps()]
    []
    >>> len(b"".join(writer.finish(Metadata()))) < 200
    True
    """

    def __init__(
        self,
        snapshot: Snapshot,
        registry: Registry | None = None,
        *,
        compress: Compression = "",
        level: int = 6,
        strict: bool = False,
        limits: Limits = Limits(),
        whole: Snapshot | None = None,
    ) -> None:
        """`registry` is needed for a snapshot that was decoded but not applied.

        `whole` is a snapshot with all objects that a partial snapshot refers to.
        """
        if registry is None and snapshot.world is not None:
            registry = snapshot.world.registry
        self._snapshot = snapshot
        self._registry = registry
        self._strict = strict
        self._limits = limits
        self._guard = MemoryEstimate(limits)
        self._file = FileWriter(compress, level, limits)
        self._findings = _Findings()
        self._whole = whole or snapshot
        self._classes: dict[Key, int] = {}  # numbers of classes
        values = registry.values if registry else NO_VALUES
        self._tagger = CellTagger(values)
        # Records of a journal contain no preserved rows; the save before them does.
        self._preserved = snapshot.preserved if whole is None else None
        # Of a partial snapshot: it cannot be loaded if it refers to what it leaves out.
        self.inside = _keys(snapshot) if snapshot.covers is not None else None
        self.report = SaveReport()
        self.total = sum(len(table.keys) for table in snapshot.tables.values())

    def steps(self) -> Iterator[int]:
        """Encode everything; yield the number of rows done after at most 1,000 more.

        Raises `SaveLimitError`; and `SaveError` for a value that cannot be saved as it is if
        the writer is strict.
        """
        snapshot, guard = self._snapshot, self._guard
        tables = [table for table in snapshot.tables.values() if table.keys]
        guard.limits.allow("the number of objects", "objects", self.total)
        guard.limits.allow("the number of tables", "tables", len(tables))
        columns = sum(len(table.entry.fields) for table in tables)
        guard.limits.allow("the number of columns", "columns", columns)
        yield from self._note_classes()
        opening = self._opening()
        world = next(opening)
        read_body([Section(0, world)], guard)
        self._file.add(world)
        for part in opening:
            check_part(Section(0, part), guard)
            self._file.add(part)
            yield 0
        done = 0
        for table in tables:
            schema = row_schema_of(table.entry)
            self._file.add(schema.section)
            for section, count in self._sections(table, schema):
                self._file.add(section)
                done += count
                yield done
        if self._preserved:
            self._write_back(self._preserved)
        if self._strict:
            self._findings.refuse(snapshot)

    def _note_classes(self) -> Iterator[int]:
        """Record the classes of all objects that may be referred to, in steps as in `steps`."""
        for number, table in self._whole.tables.items():
            for first in range(0, len(table.keys), _NOTED):
                keys = table.keys[first : first + _NOTED]
                self._classes |= dict.fromkeys(keys, number)
                yield 0

    def _write_back(self, preserved: Preserved) -> None:
        """Add the preserved rows, which this version of the game does not know."""
        tables, self._findings.preserved = preserved.written(self._snapshot)
        for raw in tables:
            for section in raw.sections():
                self._file.add(section)

    def _opening(self) -> Iterator[bytes]:
        snapshot = self._snapshot
        for placed in snapshot.placements.values():
            if not isinstance(placed.prefab, int | None):
                raise SaveError(
                    f"the prefab {placed.prefab!r} has no number, so what it made cannot be"
                    " saved to a file"
                )
        generations, free = _slots(snapshot)
        registry, preserved = self._registry, self._preserved or NOTHING
        world = WorldPart(
            save_version=registry.save_version if registry else 0,
            migrations=[name for _, name in registry.migrations] if registry else [],
            dangling=snapshot.dangling,
            next_reached=snapshot.next_reached,
            slots=runs_of(generations),
            free=[*free],
        )
        body = Body(
            world,
            placements=preserved.placements | snapshot.placements,
            generators=preserved.generators | snapshot.generators,
            states=snapshot.states,
            tombstones=snapshot.tombstones,
        )
        return body.opening()

    def _sections(self, table: Table, schema: RowSchema) -> Iterator[tuple[bytes, int]]:
        """Yield the sections of a table, each with the number of its rows."""
        rules = self.rules_for(table.entry)
        piece: _Piece

        def section(places: Sequence[int]) -> bytes:
            nonlocal piece
            piece = _Piece(self, table, schema, rules, places)
            return piece.section()

        for data in pieces(range(len(table.keys)), section):
            self._findings.add(piece.findings)
            yield data, len(piece.rows)

    def read_back(self, schema: RowSchema, data: bytes) -> None:
        """Decode a section as a load does. Raises `SaveError` if that fails."""
        what, is_deep = schema.row_name, schema.is_deep
        self._guard.decode(schema.decoder, data, what, is_deep=is_deep)

    def declared(self, column: Column) -> str:
        """Return the type of a field as it would be annotated."""
        known = self._registry
        return known.annotation(column.stored) if known else annotation(column.stored)

    def rules_for(self, entry: ClassEntry) -> Rules:
        """Return the rules by which references in rows of a class are checked.

        A capture takes destroyed objects out of containers, but not where a class has a
        `save_data` of its own.
        """
        # A partial snapshot refers to objects that are not in it.
        class_of = None if self._whole.covers else self._classes.get
        return Rules(class_of, dangling=True, dangling_members=entry.wraps)

    def finish(self, metadata: Metadata, thumbnail: bytes = b"") -> list[bytes]:
        """Return the file in parts, and create the report.

        Raises `SaveLimitError` if reading the file would take too much memory.
        """
        if self._registry:
            metadata = replace(metadata, save_version=self._registry.save_version)
        parts = self._file.finish(metadata, thumbnail)
        size = sum(map(len, parts))
        self._guard.size = size
        self._guard.check(
            self._guard.most * 4 // 5
        )  # because a load may measure a little more
        self.report = self._findings.report(self._snapshot, size)
        return parts


def _keys(snapshot: Snapshot) -> frozenset[Key]:
    return frozenset(key for table in snapshot.tables.values() for key in table.keys)


def _slots(snapshot: Snapshot) -> tuple[Sequence[int], Sequence[int]]:
    """Return the generations and the free slots; slots of objects that are not saved are free."""
    generations, free = snapshot.slots
    if snapshot.covers is None:
        return generations, free
    keys = {key for table in snapshot.tables.values() for key in table.keys if key > 0}
    filled = {*map(index_of, keys)}
    empty = {*free}
    left = [
        slot
        for slot, generation in enumerate(generations)
        if slot not in filled and slot not in empty and generation <= LAST_GENERATION
    ]
    made = [*generations]
    for slot in left:
        made[slot] += 1
    usable = [slot for slot in reversed(left) if made[slot] <= LAST_GENERATION]
    return made, (*usable, *free)


# -- one piece


class _Piece:
    """Some rows of a table. Values that do not fit are removed from copies of the rows."""

    def __init__(
        self,
        writer: SnapshotWriter,
        table: Table,
        schema: RowSchema,
        rules: Rules,
        places: Sequence[int],
    ) -> None:
        first = places[0]
        self._writer = writer
        self._schema = schema
        self._entry = table.entry
        self._rules = rules
        self._keys = table.keys[first : first + len(places)]
        self.rows: list[Any] = table.rows[first : first + len(places)]
        self._mismatches: dict[int, dict[int, Any]] = {}
        self._missing: dict[int, list[int]] = {}
        self._copied: set[int] = set()
        self._recordings = _chosen(table.recordings, places)
        self.findings = _Findings()
        self._fill(table, places)

    def _fill(self, table: Table, places: Sequence[int]) -> None:
        """Put fillers into the cells of missing values."""
        schema = self._schema
        for place, cells in _chosen(table.mismatches, places).items():
            for cell, tagged in cells.items():
                self._put(place, schema.by_cell[cell], tagged)
        for place, cells in _chosen(table.missing, places).items():
            for cell in cells:
                self._let_default(place, schema.by_cell[cell])

    def section(self) -> bytes:
        """Return the section, after reading it back."""
        for column in self._schema.leading:
            self._check(column, [*map(column.get, self.rows)])
        try:
            return self._encoded()
        except (SaveError, *CODING_ERRORS, RecursionError):
            self._repair()
        try:
            return self._encoded()
        except (*CODING_ERRORS, RecursionError) as error:
            raise SaveError(
                f"the rows of {self._schema.name} cannot be saved: {why(error)}"
            ) from error

    def _encoded(self) -> bytes:
        data = rows_section(
            self._keys,
            self.rows,
            {
                n: dict(sorted(each.items()))
                for n, each in sorted(self._mismatches.items())
            },
            {n: sorted(each) for n, each in sorted(self._missing.items())},
            self._recordings,
        )
        self._writer.read_back(self._schema, data)
        return data

    def _check(self, column: Column, cells: list[Any]) -> None:
        """Remove references to objects and classes that the type of a column does not allow."""
        inside = self._writer.inside
        if inside is not None and not keys_in(column.stored, cells) <= inside:
            raise SaveError(
                f"`{self._schema.class_name}.{column.name}` refers to an object that the"
                " filter of the snapshot leaves out"
            )
        for place in column.check(cells, self._rules):
            if not self._is_filler(place, column):
                self._take_out(place, column, cells[place])

    def _is_filler(self, place: int, column: Column) -> bool:
        without = self._mismatches.get(place, {}), self._missing.get(place, ())
        return any(column.number in each for each in without)

    def _repair(self) -> None:
        """Remove each cell that cannot be encoded or read back."""
        for column in self._schema.columns:
            cells = [*map(column.get, self.rows)]
            if column.can_be_read(cells):
                continue
            for place, cell in enumerate(cells):
                if cell is UNSET:
                    self._lose(place, column)
                elif not column.can_be_read([cell]):
                    self._take_out(place, column, cell)

    def _take_out(self, place: int, column: Column, cell: Any) -> None:
        try:
            tagged = self._writer._tagger.tag(column.stored, cell)
        except Lost as lost:
            key, name = self._keys[place], self._schema.class_name
            declared = self._writer.declared(column)
            found = LostValue(key, name, column.name, str(lost), declared)
            self.findings.lost.append(found)
            self._lose(place, column)
            return
        # A value that fits but cannot be encoded is not reported as a mismatch.
        is_wrong = bool(column.check([cell], self._rules))
        self._put(place, column, tagged, is_wrong)

    def _lose(self, place: int, column: Column) -> None:
        """Record a value as lost. A load gives its field the default, or leaves it unset."""
        if column.cell in self._entry.defaults_by_cell:
            self._let_default(place, column)
        else:
            self._mismatches.setdefault(place, {})[column.number] = ABSENT
            self._set(place, column, column.filler)

    def _let_default(self, place: int, column: Column) -> None:
        self._missing.setdefault(place, []).append(column.number)
        self._set(place, column, column.filler)

    def _put(
        self, place: int, column: Column, tagged: Any, is_wrong: bool = True
    ) -> None:
        """Store a tagged value next to the rows, and a filler in its cell."""
        self.findings.mismatched += is_wrong
        if is_wrong and len(self.findings.mismatches) < MOST:
            key, name = self._keys[place], self._schema.class_name
            declared = self._writer.declared(column)
            found = MismatchedValue(key, name, column.name, _shown(tagged), declared)
            self.findings.mismatches.append(found)
        self._mismatches.setdefault(place, {})[column.number] = tagged
        self._set(place, column, column.filler)

    def _set(self, place: int, column: Column, cell: Any) -> None:
        if place not in self._copied:
            self._copied.add(place)
            self.rows[place] = replace(self.rows[place])
        setattr(self.rows[place], column.cell, cell)


def _chosen(found: dict[int, Any], places: Sequence[int]) -> dict[int, Any]:
    """Return the entries of chosen rows, by position among the chosen rows."""
    if not found:
        return {}
    return {n: found[place] for n, place in enumerate(places) if place in found}


def _shown(tagged: Any) -> str:
    size = len(encode(tagged))
    if size > _LONG:
        return f"a value of {size:,} bytes"
    try:
        text = describe(tagged)
    except SaveError:
        text = repr(tagged)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


# -- what was found


class _Findings:
    """The mismatches and lost values of a save, or of one piece of it."""

    def __init__(self) -> None:
        self.mismatched = 0
        self.mismatches: list[MismatchedValue] = []
        self.lost: list[LostValue] = []
        self.preserved: dict[str, int] = {}

    def add(self, other: _Findings) -> None:
        self.mismatched += other.mismatched
        self.mismatches += other.mismatches[: MOST - len(self.mismatches)]
        self.lost += other.lost

    def refuse(self, snapshot: Snapshot) -> None:
        """Raise `SaveError` if there are mismatches or lost values."""
        lines = [*map(str, self.mismatches)]
        lines += map(lost_line, (*snapshot.lost, *self.lost))
        if snapshot.dangling:
            lines.append(f"{snapshot.dangling} references lead to destroyed objects")
        if lines:
            raise SaveError("; ".join(lines))

    def report(self, snapshot: Snapshot, size: int) -> SaveReport:
        """Return the report of a save of `size` bytes."""
        counts = {n: len(table.keys) for n, table in snapshot.tables.items()}
        composed = counts.pop(int(GameObject.save_type), 0)
        inside = snapshot.component_count()
        components = sum(counts.values())
        return SaveReport(
            objects=components - inside + composed,
            components=components,
            bytes=size,
            dangling=snapshot.dangling,
            preserved=self.preserved,
            mismatched=self.mismatched,
            mismatches=by_key(self.mismatches),
            numpy=snapshot.numpy,
            lost=by_key([*snapshot.lost, *self.lost]),
        )
