"""Turn a snapshot into a save file. Each section is decoded again before it is written.

A value of the wrong type does not make a save fail. Such a mismatch is stored as a tagged value
next to the rows, and its cell in the row is a filler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from savegen.runtime.values.cells import keys_in
from savegen.runtime.errors import SaveError
from savegen.runtime.values.fits import Rules
from savegen.runtime.values.keys import in_file_order
from savegen.runtime.world.objects import GameObject
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import by_key, counted
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.hashing import unhashable_cells
from savegen.runtime.snapshots.snapshot import Covers, LostValue, Snapshot, Table
from savegen.runtime.values.stored import annotation
from savegen.runtime.values.tagged import ABSENT, CannotTag, describe
from savegen.runtime.values.values import NO_VALUES
from savegen.saves.body import (
    Body,
    WorldSection,
    check_section,
    encode,
    encode_rows,
    key_differences,
    read_body,
    runs_of,
    split_into_sections,
)
from savegen.saves.file import Compression, FileWriter, Metadata, Section
from savegen.saves.limits import CODING_ERRORS, Limits, MemoryEstimate, encoding_fault
from savegen.saves.preserved import NOTHING
from savegen.saves.reports import MAX_MISMATCHES, MismatchedValue, SaveReport, lost_line
from savegen.saves.schema import Column, row_schema_of
from savegen.saves.tagged_cells import CellTagger

_MAX_SHOWN = 60  # characters of a value in a report
_LONG = 4096  # values with more bytes are not shown in a report
_KEYS_IN_STEP = 10_000  # such a step takes no longer than one that encodes rows


class SnapshotWriter:
    """Encodes a snapshot in steps, and returns it as a save file.

    >>> from savegen.runtime.snapshots.snapshot import Snapshot
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
        compression_level: int | None = None,
        strict: bool = False,
        limits: Limits = Limits(),
        whole: Snapshot | None = None,
    ) -> None:
        """`registry` is needed for a snapshot that was decoded but not applied.

        For a record of a journal, `snapshot` has the changed rows, and `whole` the whole world.
        """
        if registry is None and snapshot.world is not None:
            registry = snapshot.world.registry
        self.snapshot = snapshot
        self.registry = registry
        self.guard = MemoryEstimate(limits)
        self.tagger = CellTagger(registry.values if registry else NO_VALUES)
        self._strict = strict
        self._file = FileWriter(compress, compression_level, limits)
        self._whole = whole or snapshot
        self.class_numbers: dict[Key, int] = {}  # class numbers
        # The classes of objects outside a partial snapshot are unknown.
        self.class_of = None if self._whole.covers else self.class_numbers.get
        # The keys of a partial snapshot, which must not refer to objects outside it.
        self.allowed_keys = _keys_of(snapshot) if snapshot.covers is not None else None
        # Records of a journal contain no preserved rows; the save before them does.
        self._preserved = snapshot.preserved if whole is None else None
        self.mismatched = 0
        self.mismatches: list[MismatchedValue] = []
        self._lost = [*snapshot.lost]
        self.report = SaveReport()
        self.total = sum(len(table.keys) for table in snapshot.tables.values())

    def steps(self) -> Iterator[int]:
        """Encode everything; yield the number of encoded rows after at most 1,000 more.

        Raises `SaveLimitError`. A strict writer raises `SaveError` for a mismatched or lost
        value.
        """
        guard, preserved = self.guard, self._preserved
        tables = [table for table in self.snapshot.tables.values() if table.keys]
        guard.limits.allow("the number of objects", "objects", self.total)
        guard.limits.allow("the number of tables", "tables", len(tables))
        columns = sum(len(table.entry.fields) for table in tables)
        guard.limits.allow("the number of columns", "columns", columns)
        for table in tables:
            guard.add_types([stored for _, stored in table.entry.fields])
        guard.add_generators(len(self.snapshot.generators))
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
            rows = _TableWriter(self, table)
            self._file.add(rows.schema.section)
            places = range(len(table.keys))
            for section in split_into_sections(places, rows.encode):
                self._file.add(section)
                self.mismatched += rows.mismatched
                self.mismatches += rows.mismatches[
                    : MAX_MISMATCHES - len(self.mismatches)
                ]
                self._lost += rows.lost
                done += len(rows.keys)
                yield done
        preserved_counts: dict[str, int] = {}
        if preserved:
            raw_tables, preserved_counts = preserved.tables_to_save(
                self.snapshot, self.tagger
            )
            for raw in raw_tables:
                for section in raw.sections():
                    self._file.add(section)
        if self._strict:
            self._check_exact()
        self.report = self._report(preserved_counts)

    def _record_classes(self) -> Iterator[int]:
        """Record the classes of all objects that rows may refer to, in steps."""
        for number, table in self._whole.tables.items():
            for first in range(0, len(table.keys), _KEYS_IN_STEP):
                keys = table.keys[first : first + _KEYS_IN_STEP]
                self.class_numbers |= dict.fromkeys(keys, number)
                yield 0

    def _sections_before_tables(self) -> Iterator[bytes]:
        snapshot, registry = self.snapshot, self.registry
        for placed in snapshot.placements.values():
            if not isinstance(placed.prefab, int | None):
                raise SaveError(
                    f"the prefab {placed.prefab!r} has no number, so its objects cannot be"
                    " saved to a file"
                )
        generations, free = snapshot.slots
        covers = snapshot.covers
        if covers is not None and covers.keys is not None:
            covers = Covers(keys=(*key_differences(covers.keys),))
        preserved = self._preserved or NOTHING
        world = WorldSection(
            save_version=registry.save_version if registry else 0,
            migrations=[name for _, name in registry.migrations] if registry else [],
            dangling=snapshot.dangling,
            next_reached=snapshot.next_reached,
            slots=runs_of(generations),
            free=[*free],
            lineage=snapshot.lineage,
            covers=covers,
        )
        body = Body(
            world,
            placements=preserved.placements | snapshot.placements,
            generators=preserved.generators | snapshot.generators,
            states=snapshot.states,
            tombstones=snapshot.tombstones,
        )
        return body.sections_before_tables()

    def _check_exact(self) -> None:
        lines = [*map(str, self.mismatches), *map(lost_line, self._lost)]
        if dangling := self.snapshot.dangling:
            lines.append(f"{counted(dangling, 'reference')} to destroyed objects")
        if lines:
            raise SaveError("; ".join(lines))

    def _report(self, preserved: dict[str, int]) -> SaveReport:
        snapshot = self.snapshot
        counts = {n: len(table.keys) for n, table in snapshot.tables.items()}
        game_objects = counts.pop(int(GameObject.save_type), 0)
        components = sum(counts.values())
        return SaveReport(
            objects=components - snapshot.component_count() + game_objects,
            components=components,
            dangling=snapshot.dangling,
            preserved=preserved,
            mismatched=self.mismatched,
            mismatches=by_key(self.mismatches),
            numpy=snapshot.numpy,
            as_base=snapshot.as_base,
            lost=by_key(self._lost),
        )

    def finish(self, metadata: Metadata, thumbnail: bytes = b"") -> list[bytes]:
        """Return the file in parts, and complete the report.

        Raises `SaveLimitError` if reading the file would take too much memory.
        """
        if self.registry:
            metadata = replace(metadata, save_version=self.registry.save_version)
        parts = self._file.finish(metadata, thumbnail)
        size = sum(map(len, parts))
        self.guard.check_file(size)
        self.report = replace(self.report, bytes=size)
        return parts


def _keys_of(snapshot: Snapshot) -> frozenset[Key]:
    return frozenset(key for table in snapshot.tables.values() for key in table.keys)


# -- the rows of one table


class _TableWriter:
    """Encodes the rows of a table as sections.

    Values that do not fit are removed from copies of the rows. The attributes describe the section
    that was encoded last.
    """

    def __init__(self, writer: SnapshotWriter, table: Table) -> None:
        self._writer = writer
        self._table = table = table.ordered(in_file_order)
        self.schema = row_schema_of(table.entry)
        # Containers may hold destroyed objects only if the class has its own `save_data`; for
        # other classes, a capture removes them. `consistency.py` has the same rules.
        wraps = table.entry.wraps
        self._rules = Rules(writer.class_of, dangling=True, dangling_members=wraps)
        # For a class with its own `save_data`, or a snapshot from a file, nothing shows whether a
        # key 0 was an object that was destroyed.
        is_captured = writer.snapshot.world is not None and not wraps
        self._strict_rules = replace(self._rules, dangling=not is_captured)
        self.keys: list[Key] = []
        # Cells that a load could not fill.
        self._unhashable = [
            *unhashable_cells(table, writer.snapshot, writer.class_numbers.get)
        ]

    def encode(self, places: Sequence[int]) -> bytes:
        """Return the section with the rows at `places`, after checking that it can be read.

        Values that cannot be encoded are reported and replaced. Raises `SaveError` if that is not
        enough.
        """
        self._begin(places)
        for column in self.schema.reference_columns:
            self._remove_unfit_references(column, [*map(column.get, self._rows)])
        try:
            return self._encoded()
        except (SaveError, *CODING_ERRORS, RecursionError):
            self._repair()
        try:
            return self._encoded()
        except (*CODING_ERRORS, RecursionError) as error:
            raise SaveError(
                f"the rows of {self.schema.name} cannot be saved: {encoding_fault(error)}"
            ) from error

    def _begin(self, places: Sequence[int]) -> None:
        table, by_cell = self._table, self.schema.by_cell
        chosen = slice(places[0], places[-1] + 1)
        self.keys = table.keys[chosen]
        self.mismatched = 0
        self.mismatches: list[MismatchedValue] = []
        self.lost: list[LostValue] = []
        self._rows: list[Any] = table.rows[chosen]
        self._copied: set[int] = set()  # positions of rows that are copies
        # By position in the section.
        self._tagged: dict[int, dict[int, Any]] = {}
        self._missing: dict[int, list[int]] = {}
        self._recordings = _at_places(table.recordings, places)
        for place, mismatches in _at_places(table.mismatches, places).items():
            for cell, tagged in mismatches.items():
                self._report_mismatch(place, by_cell[cell], tagged)
                self._set_tagged(place, by_cell[cell], tagged)
        for place, cell, fault in self._unhashable:
            if chosen.start <= place < chosen.stop:
                column = by_cell[cell]
                described = self._described(place - chosen.start, column, fault)
                self.lost.append(LostValue(*described))
                self._lose(place - chosen.start, column)
        for place, cells in _at_places(table.missing, places).items():
            for cell in cells:
                self._set_missing(place, by_cell[cell])

    def _encoded(self) -> bytes:
        tagged, missing = self._tagged, self._missing
        data = encode_rows(
            self.keys,
            self._rows,
            {n: dict(sorted(tagged[n].items())) for n in sorted(tagged)},
            {n: sorted(missing[n]) for n in sorted(missing)},
            self._recordings,
        )
        schema = self.schema
        # The section is decoded as a load does.
        self._writer.guard.decode(
            schema.decoder, data, schema.row_name, is_deep=schema.is_deep
        )
        return data

    def _remove_unfit_references(self, column: Column, cells: list[Any]) -> None:
        """Remove references to objects and classes that the type of a column does not allow."""
        allowed = self._writer.allowed_keys
        if allowed is not None and not keys_in(column.stored, cells) <= allowed:
            raise SaveError(
                f"`{self.schema.class_name}.{column.name}` refers to an object that the"
                " filter of the snapshot leaves out"
            )
        places = column.check(cells, self._strict_rules)
        unfit = {*column.check(cells, self._rules)} if places else ()
        for place in places:
            if self._is_filler(place, column):
                continue
            if place in unfit:
                self._move_out(place, column, cells[place])
            elif not self._may_be_null(self.keys[place], column):
                # Key 0 stands for `None` already, so the cell remains as it is.
                tagged = self._writer.tagger.tag(column.stored, cells[place])
                self._report_mismatch(place, column, tagged)

    def _is_filler(self, place: int, column: Column) -> bool:
        places = self._tagged.get(place, ()), self._missing.get(place, ())
        return any(column.number in numbers for numbers in places)

    def _may_be_null(self, key: Key, column: Column) -> bool:
        """Return whether a cell refers to a destroyed object, or to one that is preserved."""
        snapshot = self._writer.snapshot
        if (key, column.cell) in snapshot.dangling_cells:
            return True
        preserved = snapshot.preserved
        return preserved and (key, column.number) in preserved.partly_loaded

    def _repair(self) -> None:
        """Remove each cell that cannot be encoded or read back."""
        for column in self.schema.columns:
            cells = [*map(column.get, self._rows)]
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
        except CannotTag as error:
            self.lost.append(LostValue(*self._described(place, column, str(error))))
            self._lose(place, column)
            return
        # A value that fits but cannot be encoded is not reported as a mismatch.
        if column.check([cell], self._rules):
            self._report_mismatch(place, column, tagged)
        self._set_tagged(place, column, tagged)

    def _lose(self, place: int, column: Column) -> None:
        """Store that a field has no value. A load gives it the default, or leaves it unset."""
        if column.cell in self._table.entry.defaults_by_cell:
            self._set_missing(place, column)
        else:
            self._set_tagged(place, column, ABSENT)

    def _report_mismatch(self, place: int, column: Column, tagged: Any) -> None:
        self.mismatched += 1
        if len(self._writer.mismatches) < MAX_MISMATCHES:
            described = self._described(place, column, _shown(tagged))
            self.mismatches.append(MismatchedValue(*described))

    def _described(
        self, place: int, column: Column, value: str
    ) -> tuple[Key, str, str, str, str]:
        """Return where a value is, its text, and the type that its field declares."""
        registry = self._writer.registry
        declared = (registry.annotation if registry else annotation)(column.stored)
        key, class_name = self.keys[place], self.schema.class_name
        return key, class_name, column.name, value, declared

    def _set_missing(self, place: int, column: Column) -> None:
        self._missing.setdefault(place, []).append(column.number)
        self._set_filler(place, column)

    def _set_tagged(self, place: int, column: Column, tagged: Any) -> None:
        """Store a tagged value next to the rows, and a filler in its cell."""
        self._tagged.setdefault(place, {})[column.number] = tagged
        self._set_filler(place, column)

    def _set_filler(self, place: int, column: Column) -> None:
        if place not in self._copied:
            self._copied.add(place)
            self._rows[place] = replace(self._rows[place])
        setattr(self._rows[place], column.cell, column.filler)


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
