"""Turn a snapshot into a save file. Each section is decoded again before it is written.

A value of the wrong type does not make a save fail. Such a mismatch is stored as a tagged value
next to the rows, and its cell in the row is a filler.
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
from savegen.runtime.reports import by_key, counted
from savegen.runtime.rows import Key
from savegen.runtime.snapshot import LostValue, Snapshot, Table
from savegen.runtime.stored import annotation
from savegen.runtime.tagged import ABSENT, Lost, describe
from savegen.runtime.values import NO_VALUES
from savegen.saves.body import (
    Body,
    WorldSection,
    check_section,
    encode,
    encode_rows,
    read_body,
    runs_of,
    split_into_sections,
)
from savegen.saves.file import Compression, FileWriter, Metadata, Section
from savegen.saves.limits import CODING_ERRORS, Limits, MemoryEstimate, encoding_fault
from savegen.saves.preserved import NOTHING, Preserved
from savegen.saves.reports import MAX_MISMATCHES, MismatchedValue, SaveReport, lost_line
from savegen.saves.schema import Column, RowSchema, row_schema_of
from savegen.saves.tagged_cells import CellTagger

_MAX_SHOWN = 60  # characters of a value in a report
_LONG = 4096  # values with more bytes are not shown in a report
_KEYS_IN_STEP = 10_000  # such a step takes no longer than one that encodes rows


class SnapshotWriter:
    """Encodes a snapshot in steps, and returns it as a save file.

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
        compression_level: int = 6,
        strict: bool = False,
        limits: Limits = Limits(),
        whole: Snapshot | None = None,
    ) -> None:
        """`registry` is needed for a snapshot that was decoded but not applied.

        For a record of a journal, `snapshot` has the changed rows, and `whole` the whole world.
        """
        if registry is None and snapshot.world is not None:
            registry = snapshot.world.registry
        self._snapshot = snapshot
        self._registry = registry
        self._strict = strict
        self.is_captured = snapshot.world is not None
        self._limits = limits
        self._guard = MemoryEstimate(limits)
        self._file = FileWriter(compress, compression_level, limits)
        self._problems = _ValueCounts()
        self._whole = whole or snapshot
        self._class_of: dict[Key, int] = {}  # class numbers
        values = registry.values if registry else NO_VALUES
        self.tagger = CellTagger(values)
        # Records of a journal contain no preserved rows; the save before them does.
        self._preserved = snapshot.preserved if whole is None else None
        # The keys of a partial snapshot, which must not refer to objects outside it.
        self.allowed_keys = _keys_of(snapshot) if snapshot.covers is not None else None
        self.report = SaveReport()
        self.total = sum(len(table.keys) for table in snapshot.tables.values())

    def steps(self) -> Iterator[int]:
        """Encode everything; yield the number of encoded rows after at most 1,000 more.

        Raises `SaveLimitError`. A strict writer raises `SaveError` for a mismatched or lost
        value.
        """
        snapshot, guard = self._snapshot, self._guard
        tables = [table for table in snapshot.tables.values() if table.keys]
        guard.limits.allow("the number of objects", "objects", self.total)
        guard.limits.allow("the number of tables", "tables", len(tables))
        columns = sum(len(table.entry.fields) for table in tables)
        guard.limits.allow("the number of columns", "columns", columns)
        yield from self._record_classes()
        sections = self._sections_before_tables()
        world = next(sections)
        read_body([Section(0, world)], guard)
        self._file.add(world)
        for section in sections:
            check_section(Section(0, section), guard)
            self._file.add(section)
            yield 0
        done = 0
        for table in tables:
            schema = row_schema_of(table.entry)
            self._file.add(schema.section)
            for section, count in self._row_sections(table, schema):
                self._file.add(section)
                done += count
                yield done
        if self._preserved:
            self._add_preserved(self._preserved)
        if self._strict:
            self._problems.raise_error(snapshot)

    def _record_classes(self) -> Iterator[int]:
        """Record the classes of all objects that rows may refer to, in steps."""
        for number, table in self._whole.tables.items():
            for first in range(0, len(table.keys), _KEYS_IN_STEP):
                keys = table.keys[first : first + _KEYS_IN_STEP]
                self._class_of |= dict.fromkeys(keys, number)
                yield 0

    def _add_preserved(self, preserved: Preserved) -> None:
        tables, self._problems.preserved = preserved.tables_to_save(self._snapshot)
        for raw in tables:
            for section in raw.sections():
                self._file.add(section)

    def _sections_before_tables(self) -> Iterator[bytes]:
        snapshot = self._snapshot
        for placed in snapshot.placements.values():
            if not isinstance(placed.prefab, int | None):
                raise SaveError(
                    f"the prefab {placed.prefab!r} has no number, so its objects cannot be"
                    " saved to a file"
                )
        generations, free = _slots_of(snapshot)
        registry, preserved = self._registry, self._preserved or NOTHING
        world = WorldSection(
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
        return body.sections_before_tables()

    def _row_sections(
        self, table: Table, schema: RowSchema
    ) -> Iterator[tuple[bytes, int]]:
        """Yield the sections of a table, each with the number of its rows."""
        rules = self.rules_for(table.entry)
        section: _RowSection

        def encode_section(places: Sequence[int]) -> bytes:
            nonlocal section
            section = _RowSection(self, table, schema, rules, places)
            return section.encode()

        for data in split_into_sections(range(len(table.keys)), encode_section):
            self._problems.add(section.problems)
            yield data, len(section.rows)

    def read_back(self, schema: RowSchema, data: bytes) -> None:
        """Decode a section as a load does. Raises `SaveError` if that fails."""
        what, is_deep = schema.row_name, schema.is_deep
        self._guard.decode(schema.decoder, data, what, is_deep=is_deep)

    def declared(self, column: Column) -> str:
        """Return the type of a field as it would be annotated."""
        registry = self._registry
        return (registry.annotation if registry else annotation)(column.stored)

    def rules_for(self, entry: ClassEntry) -> Rules:
        """Return the rules by which references in rows of a class are checked.

        Containers may hold destroyed objects only if the class has its own `save_data`; for
        other classes, a capture removes them.
        """
        # The classes of objects outside a partial snapshot are unknown.
        class_of = None if self._whole.covers else self._class_of.get
        return Rules(class_of, dangling=True, dangling_members=entry.wraps)

    @property
    def described_at_most(self) -> int:
        """How many more mismatches the report describes; further ones are only counted."""
        return MAX_MISMATCHES - len(self._problems.mismatches)

    def may_be_null(self, key: Key, column: Column) -> bool:
        """Return whether a cell refers to a destroyed object, or to one that is preserved."""
        if (key, column.cell) in self._snapshot.dangling_cells:
            return True
        preserved = self._snapshot.preserved
        return preserved and (key, column.number) in preserved.partly_loaded

    def finish(self, metadata: Metadata, thumbnail: bytes = b"") -> list[bytes]:
        """Return the file in parts, and create the report.

        Raises `SaveLimitError` if reading the file would take too much memory.
        """
        if self._registry:
            metadata = replace(metadata, save_version=self._registry.save_version)
        parts = self._file.finish(metadata, thumbnail)
        size = sum(map(len, parts))
        self._guard.check_file(size)
        self.report = self._problems.report(self._snapshot, size)
        return parts


def _keys_of(snapshot: Snapshot) -> frozenset[Key]:
    return frozenset(key for table in snapshot.tables.values() for key in table.keys)


def _slots_of(snapshot: Snapshot) -> tuple[Sequence[int], Sequence[int]]:
    """Return the generations and the free slots. Slots of objects that are not saved are free."""
    generations, free = snapshot.slots
    if snapshot.covers is None:
        return generations, free
    keys = {key for table in snapshot.tables.values() for key in table.keys if key > 0}
    filled = {*map(index_of, keys)}
    empty = {*free}
    unsaved = [
        slot
        for slot, generation in enumerate(generations)
        if slot not in filled and slot not in empty and generation <= LAST_GENERATION
    ]
    changed = [*generations]
    for slot in unsaved:
        changed[slot] += 1
    usable = [slot for slot in reversed(unsaved) if changed[slot] <= LAST_GENERATION]
    return changed, (*usable, *free)


# -- one section of rows


class _RowSection:
    """A section with some rows of a table.

    Values that do not fit are removed from copies of the rows.
    """

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
        # For a class with its own `save_data`, or a snapshot from a file, nothing shows whether a
        # key 0 was an object that was destroyed.
        is_captured = writer.is_captured and not table.entry.wraps
        self._strict_rules = replace(rules, dangling=False) if is_captured else rules
        self._keys = table.keys[first : first + len(places)]
        self.rows: list[Any] = table.rows[first : first + len(places)]
        self._mismatches: dict[int, dict[int, Any]] = {}
        self._missing: dict[int, list[int]] = {}
        self._copied: set[int] = set()  # positions of rows that are copies
        self._recordings = _at_places(table.recordings, places)
        self.problems = _ValueCounts()
        for place, cells in _at_places(table.mismatches, places).items():
            for cell, tagged in cells.items():
                self._set_mismatch(place, schema.by_cell[cell], tagged)
        for place, cells in _at_places(table.missing, places).items():
            for cell in cells:
                self._set_missing(place, schema.by_cell[cell])

    def encode(self) -> bytes:
        """Return the section, after checking that it can be read.

        Values that cannot be encoded are reported and replaced. Raises `SaveError` if that is not
        enough.
        """
        for column in self._schema.reference_columns:
            self._remove_unfit_references(column, [*map(column.get, self.rows)])
        try:
            return self._encoded()
        except (SaveError, *CODING_ERRORS, RecursionError):
            self._repair()
        try:
            return self._encoded()
        except (*CODING_ERRORS, RecursionError) as error:
            raise SaveError(
                f"the rows of {self._schema.name} cannot be saved: {encoding_fault(error)}"
            ) from error

    def _encoded(self) -> bytes:
        data = encode_rows(
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

    def _remove_unfit_references(self, column: Column, cells: list[Any]) -> None:
        """Remove references to objects and classes that the type of a column does not allow."""
        allowed = self._writer.allowed_keys
        if allowed is not None and not keys_in(column.stored, cells) <= allowed:
            raise SaveError(
                f"`{self._schema.class_name}.{column.name}` refers to an object that the"
                " filter of the snapshot leaves out"
            )
        places = column.check(cells, self._strict_rules)
        unfit = {*column.check(cells, self._rules)} if places else ()
        for place in places:
            if self._is_filler(place, column):
                continue
            if place in unfit:
                self._move_out(place, column, cells[place])
            elif not self._writer.may_be_null(self._keys[place], column):
                # Key 0 stands for `None` already, so the cell remains as it is.
                tagged = self._writer.tagger.tag(column.stored, cells[place])
                self._report_mismatch(place, column, tagged)

    def _is_filler(self, place: int, column: Column) -> bool:
        mismatches, missing = self._mismatches.get(place), self._missing.get(place)
        return column.number in (mismatches or ()) or column.number in (missing or ())

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
                    self._move_out(place, column, cell)

    def _move_out(self, place: int, column: Column, cell: Any) -> None:
        try:
            tagged = self._writer.tagger.tag(column.stored, cell)
        except Lost as lost:
            key, name = self._keys[place], self._schema.class_name
            declared = self._writer.declared(column)
            value = LostValue(key, name, column.name, str(lost), declared)
            self.problems.lost.append(value)
            self._lose(place, column)
            return
        # A value that fits but cannot be encoded is not reported as a mismatch.
        is_mismatch = bool(column.check([cell], self._rules))
        self._set_mismatch(place, column, tagged, is_mismatch)

    def _lose(self, place: int, column: Column) -> None:
        """Store that a field has no value. A load gives it the default, or leaves it unset."""
        if column.cell in self._entry.defaults_by_cell:
            self._set_missing(place, column)
        else:
            self._mismatches.setdefault(place, {})[column.number] = ABSENT
            self._set(place, column, column.filler)

    def _set_missing(self, place: int, column: Column) -> None:
        self._missing.setdefault(place, []).append(column.number)
        self._set(place, column, column.filler)

    def _set_mismatch(
        self, place: int, column: Column, tagged: Any, is_reported: bool = True
    ) -> None:
        """Store a tagged value next to the rows, and a filler in its cell."""
        if is_reported:
            self._report_mismatch(place, column, tagged)
        self._mismatches.setdefault(place, {})[column.number] = tagged
        self._set(place, column, column.filler)

    def _report_mismatch(self, place: int, column: Column, tagged: Any) -> None:
        self.problems.mismatched += 1
        if len(self.problems.mismatches) < self._writer.described_at_most:
            key, name = self._keys[place], self._schema.class_name
            declared, text = self._writer.declared(column), _shown(tagged)
            value = MismatchedValue(key, name, column.name, text, declared)
            self.problems.mismatches.append(value)

    def _set(self, place: int, column: Column, cell: Any) -> None:
        if place not in self._copied:
            self._copied.add(place)
            self.rows[place] = replace(self.rows[place])
        setattr(self.rows[place], column.cell, cell)


def _at_places(entries: dict[int, Any], places: Sequence[int]) -> dict[int, Any]:
    """Return the entries of the rows at `places`, each under its index in `places`."""
    if not entries:
        return {}
    return {n: entries[place] for n, place in enumerate(places) if place in entries}


def _shown(tagged: Any) -> str:
    size = len(encode(tagged))
    if size > _LONG:
        return f"a value of {size:,} bytes"
    try:
        text = describe(tagged)
    except SaveError:
        text = repr(tagged)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


# -- the report


class _ValueCounts:
    """The mismatched, lost and preserved values of a save, or of one section."""

    def __init__(self) -> None:
        self.mismatched = 0
        self.mismatches: list[MismatchedValue] = []
        self.lost: list[LostValue] = []
        self.preserved: dict[str, int] = {}

    def add(self, other: _ValueCounts) -> None:
        self.mismatched += other.mismatched
        self.mismatches += other.mismatches[: MAX_MISMATCHES - len(self.mismatches)]
        self.lost += other.lost

    def raise_error(self, snapshot: Snapshot) -> None:
        lines = [*map(str, self.mismatches)]
        lines += map(lost_line, (*snapshot.lost, *self.lost))
        if snapshot.dangling:
            references = counted(snapshot.dangling, "reference")
            lines.append(f"{references} to destroyed objects")
        if lines:
            raise SaveError("; ".join(lines))

    def report(self, snapshot: Snapshot, size: int) -> SaveReport:
        counts = {n: len(table.keys) for n, table in snapshot.tables.items()}
        game_objects = counts.pop(int(GameObject.save_type), 0)
        components = sum(counts.values())
        return SaveReport(
            objects=components - snapshot.component_count() + game_objects,
            components=components,
            bytes=size,
            dangling=snapshot.dangling,
            preserved=self.preserved,
            mismatched=self.mismatched,
            mismatches=by_key(self.mismatches),
            numpy=snapshot.numpy,
            as_base=snapshot.as_base,
            lost=by_key([*snapshot.lost, *self.lost]),
        )
