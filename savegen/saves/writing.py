"""Turn a snapshot into a save file. All cells are checked before they are written.

A value of the wrong type does not make a save fail. Such a mismatch is stored beside the rows,
with its type, and its cell in the row is a filler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, repeat
from typing import Any

from msgspec import UNSET, Raw
from msgspec.structs import replace

from savegen.runtime.errors import SaveError, check_text
from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import by_key, counted
from savegen.runtime.reports import LostValue
from savegen.runtime.snapshots.hashing import unhashable_cells
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Covers
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values.folds import (
    ANY,
    NOT_SET,
    TAKES_DEFAULT,
    Loss,
    Mismatch,
    Rules,
    Typed,
    lasts_only_in_memory,
    mismatch_in,
    keys_in,
    settled,
    text,
    typed,
    wrong,
)
from savegen.runtime.values.basics.keys import in_file_order
from savegen.runtime.values.rows import Key
from savegen.runtime.values.values import NO_VALUES
from savegen.runtime.values.stored import StoredType, annotation, parse
from savegen.runtime.world.objects import GameObject
from savegen.saves.body import (
    MAX_ITEMS,
    NO_EXTRAS,
    ROWS,
    Body,
    SectionPacker,
    Types,
    WorldPart,
    key_differences,
    runs_of,
)
from savegen.saves.encoding import can_be_encoded, encode, encode_any
from savegen.saves.file import Compression, FileWriter, Metadata
from savegen.saves.limits import (
    CODING_ERRORS,
    Limits,
    MemoryEstimate,
    encoding_fault,
)
from savegen.saves.preserved import NOTHING
from savegen.saves.reports import MAX_MISMATCHES, MismatchedValue, SaveReport, lost_line
from savegen.saves.schema import (
    Column,
    RowSchema,
    all_fit,
    are_referred_as_declared,
    row_schema_of,
)
from savegen.saves.typed import recorded

_MAX_SHOWN = 60  # characters of a value in a report
_MAX_LOST = 10  # parts of a value that a report names
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
        is_own: bool = False,
    ) -> None:
        """`registry` is needed for a snapshot that was decoded but not applied.

        The rows of a snapshot that `is_own`, which was just taken and which no game has had, are
        as generated code packed them: it has checked them already.

        For a record of a journal, `snapshot` has the changed rows, and `whole` the whole world.
        """
        if registry is None and snapshot.world is not None:
            registry = snapshot.world.registry
        self.snapshot = snapshot
        self.registry = registry
        self.guard = MemoryEstimate(limits)
        self.types = Types()
        self._strict = strict
        self._is_own = is_own
        self._file = FileWriter(compress, compression_level, limits)
        self.packer = SectionPacker(self._file.add)
        self._whole = whole or snapshot
        self.class_numbers: dict[Key, int] = {0: 0}  # class numbers
        # The classes of objects outside a partial snapshot are unknown.
        is_partial = self._whole.covers is not None
        class_of = None if is_partial else self.class_numbers.get
        self.rules = Rules(class_of, True, False, limits.depth, in_memory=False)
        # Those for what generated code has just packed, if it looks up no classes.
        self.own_rules = self.rules
        # What no field declares may be `None` anywhere.
        self.undeclared_rules = replace(
            self.rules, dangling_members=True, is_declared=False
        )
        # The keys of a partial snapshot, which must not refer to objects outside it.
        self.allowed_keys = _keys_of(snapshot) if snapshot.covers is not None else None
        # Records of a journal contain no preserved rows; the save before them does.
        self._preserved = snapshot.preserved if whole is None else None
        self.mismatched = 0
        self.mismatches: list[MismatchedValue] = []
        self.lost = [*snapshot.lost]
        # By key and name: fields that were lost before, and those that a load leaves unset.
        self.lost_before = {(each.key, each.field) for each in snapshot.lost}
        self.unset: set[tuple[Key, str]] = set()
        # For values without a declared type.
        self.values = registry.values if registry else NO_VALUES
        self.references = References(self.values)
        self.report = SaveReport()
        self.total = sum(len(table.keys) for table in snapshot.tables.values())

    def steps(self) -> Iterator[int]:
        """Encode everything; yield the number of encoded rows after at most 1,000 more.

        Raises `SaveLimitError`. A strict writer raises `SaveError` for a mismatched or lost
        value.
        """
        guard, packer = self.guard, self.packer
        tables = [table for table in self.snapshot.tables.values() if table.keys]
        schemas = [row_schema_of(table.entry) for table in tables]
        guard.limits.allow("the number of objects", "objects", self.total)
        guard.add_generators(len(self.snapshot.generators))
        longest = max((each.longest_type for each in schemas), default=0)
        guard.add_types(sum([each.types_size for each in schemas]), longest)
        is_checked = all(map(self.is_checked, tables))
        if self._refers_as_declared(tables):
            self.own_rules = replace(self.rules, class_of=None)
        if not is_checked or self.own_rules is self.rules or self.snapshot.states:
            yield from self._record_classes()
        body = self._body()
        for _ in body.pack_world(packer):
            yield 0
        if self._has_packed_all(tables, schemas, is_checked):
            yield from (self.total,) if tables else ()
        else:
            done = 0
            for table in tables:
                for count in _TableWriter(self, table).pack(packer):
                    done += count
                    yield done
        preserved_counts: dict[str, int] = {}
        if self._preserved:
            raw_tables, preserved_counts = self._preserved.tables_to_save(
                self.snapshot, self.types
            )
            for raw in raw_tables:
                raw.pack(packer)
        body.pack_types(packer, guard)
        packer.flush()
        if self._strict:
            self._check_exact()
        self.report = self._report(preserved_counts)

    def _has_packed_all(
        self, tables: Sequence[Table], schemas: Sequence[RowSchema], is_checked: bool
    ) -> bool:
        """Pack the rows of a small world at once, if they can be saved as they are."""
        if self.total >= MAX_ITEMS or self.allowed_keys is not None:
            return False
        if self.snapshot.unhashable:
            return False
        parts: list[Any] = []
        for table, schema in zip(tables, schemas):
            keys = table.keys
            in_order = keys[0] > 0 and keys == sorted(keys)
            beside = table.extras or table.recordings or schema.undeclared
            if beside or not in_order:
                return False
            rows = [ROWS, key_differences(keys), table.rows, NO_EXTRAS]
            parts += (schema.description, rows)
        rows_of_all = [table.rows for table in tables]
        rules = self.own_rules if is_checked else self.rules
        if not all_fit([*zip(schemas, rows_of_all)], rules, is_checked):
            return False
        try:
            is_packed = self.packer.add_all(parts, self.total)
        except (*CODING_ERRORS, RecursionError):
            return False
        if is_packed:
            self.guard.add_unmeasured(self.packer.last_size)
        return is_packed

    def is_checked(self, table: Table) -> bool:
        """Return whether generated code has just packed all cells of a table.

        It has not packed what the game's own `save_data` puts into rows, nor what is beside them.
        """
        is_beside = table.extras or table.recordings or table.entry.wraps
        return self._is_own and not is_beside

    def _refers_as_declared(self, tables: Sequence[Table]) -> bool:
        """Return whether objects that generated code let a field refer to are of its classes."""
        snapshot, registry = self.snapshot, self.registry
        # Those in `as_base` are saved as another class than theirs.
        if not self._is_own or registry is None or snapshot.as_base:
            return False
        if snapshot.unhashable:
            return False
        entries = tuple([table.entry for table in tables])
        return are_referred_as_declared(entries, registry)

    def _record_classes(self) -> Iterator[int]:
        """Record the classes of all objects that rows may refer to, in steps."""
        for number, table in self._whole.tables.items():
            if len(table.keys) <= _KEYS_IN_STEP:
                self.class_numbers.update(zip(table.keys, repeat(number)))
                continue
            for first in range(0, len(table.keys), _KEYS_IN_STEP):
                keys = table.keys[first : first + _KEYS_IN_STEP]
                self.class_numbers |= dict.fromkeys(keys, number)
                yield 0

    def _body(self) -> Body:
        """Return the body without its tables."""
        snapshot, registry = self.snapshot, self.registry
        for placed in snapshot.placements.values():
            if placed.prefab is not None and not isinstance(placed.prefab, int):
                raise SaveError(
                    f"the prefab {placed.prefab!r} has no number, so its objects cannot be"
                    " saved to a file"
                )
        generations, free = snapshot.slots
        covers = snapshot.covers
        if covers is not None and covers.keys is not None:
            covers = Covers(keys=(*key_differences(covers.keys),))
        preserved = self._preserved or NOTHING
        world = WorldPart(
            save_version=registry.save_version if registry else 0,
            migrations=[name for _, name in registry.migrations] if registry else [],
            dangling=snapshot.dangling,
            next_reached=snapshot.next_reached,
            slots=runs_of(generations),
            free=[*free],
            lineage=snapshot.lineage,
            covers=covers,
        )
        return Body(
            world,
            self.types,
            placements=preserved.placements | snapshot.placements,
            generators=preserved.generators | snapshot.generators,
            states=self._states(),
            tombstones=snapshot.tombstones,
        )

    def _states(self) -> dict[str, Typed]:
        """Return the states, as a file can hold them."""
        states = {}
        for name, found in self.snapshot.states.items():
            saved, losses = settled(found, self.references, self.undeclared_rules)
            self.lost += self.new_losses(LostValue(0, "", name, ""), losses)
            if saved != TAKES_DEFAULT:
                states[name] = saved
        return states

    def new_losses(self, where: LostValue, losses: list[Loss]) -> list[LostValue]:
        """Return what is lost of a value, if its snapshot does not tell it."""
        if (where.key, where.field) in self.lost_before:
            return []
        lost = [each for each in losses if each.base is None][:_MAX_LOST]
        return [where._replace(value=each.fault, path=each.path) for each in lost]

    def _explained(self, lost: LostValue) -> LostValue:
        """Return a lost value with what a load does, if its field has no default."""
        if (lost.key, lost.field) not in self.unset:
            return lost
        effect = f"`{lost.class_name}.{lost.field}` has no default, so a load leaves it unset"
        return lost._replace(value=f"{lost.value}; {effect}")

    def _check_exact(self) -> None:
        lines = [*map(str, self.mismatches), *map(lost_line, self.lost)]
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
            lost=by_key(map(self._explained, self.lost)),
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
    """Encodes the rows of a table in parts.

    Values that do not fit are removed from copies of the rows. The attributes describe the part
    that was made last.
    """

    def __init__(self, writer: SnapshotWriter, table: Table) -> None:
        self._writer = writer
        self.table = table = table.ordered(in_file_order)
        self.schema = row_schema_of(table.entry)
        self._is_checked = writer.is_checked(table)
        # Cells that a load could not fill.
        self._unhashable = [
            *unhashable_cells(table, writer.snapshot, writer.class_numbers.get)
        ]

    @cached_property
    def _rules(self) -> Rules:
        # Containers may hold destroyed objects only if the class has its own `save_data`; for
        # other classes, a capture removes them. `consistency.py` has the same rules.
        rules = self._writer.own_rules if self._is_checked else self._writer.rules
        return replace(rules, dangling_members=self.table.entry.wraps)

    @cached_property
    def _strict_rules(self) -> Rules:
        # For a class with its own `save_data`, or a snapshot from a file, nothing shows whether a
        # key 0 was an object that was destroyed.
        is_captured = self._writer.snapshot.world is not None
        dangling = not is_captured or self.table.entry.wraps
        return replace(self._rules, dangling=dangling)

    def pack(self, packer: SectionPacker) -> Iterator[int]:
        """Add all rows to a packer; yield the number of rows of each part."""
        packer.add(self.schema.description)
        places = range(len(self.table.keys))
        for chosen in packer.pack(places, self.part, self.repaired_part):
            self._accept(packer.last_size)
            yield len(chosen)

    def part(self, places: Sequence[int]) -> Any:
        """Return the part with the rows at `places`, after checking that it can be read."""
        table, schema = self.table, self.schema
        chosen = slice(places[0], places[-1] + 1)
        self._keys = table.keys[chosen]
        self._rows: list[Any] = table.rows[chosen]
        self._mismatches: list[MismatchedValue] = []
        self._mismatched = 0
        self._lost: list[LostValue] = []
        self._copied: set[int] = set()  # positions of rows that are copies
        self._is_closed = (
            False  # whether undeclared values in rows are as a file has them
        )
        self._extras: dict[int, dict[int | str, Typed]] = {}  # by position in the part
        self._add_extras(places[0])
        for place, cell, fault in self._unhashable:
            if place in places:
                column = schema.by_cell[cell]
                self._lost.append(self._described(place - places[0], column, fault))
                self._lose(place - places[0], column)
        rows = [(schema, self._rows)]
        if not all_fit(rows, self._strict_rules, self._is_checked):
            self._check()
        if self._writer.allowed_keys is not None:
            self._check_members(self._writer.allowed_keys)
        if schema.undeclared:
            self._close()
        return self._part()

    def repaired_part(self) -> Any:
        """Return the last part without the cells that cannot be encoded.

        Raises `SaveError` if that is not enough.
        """
        for column in self.schema.columns:
            for place, cell in enumerate([*map(column.get, self._rows)]):
                if not can_be_encoded(cell):
                    self._move_out(place, column, (column.stored, cell))
        part = self._part()
        try:
            encode(part)
        except (*CODING_ERRORS, RecursionError) as error:
            raise SaveError(
                f"the rows of {self.schema.name} cannot be saved: {encoding_fault(error)}"
            ) from error
        return part

    def _part(self) -> Any:
        return [ROWS, key_differences(self._keys), self._rows, self._encoded_extras()]

    def _encoded_extras(self) -> Raw:
        places = sorted(self._extras.items())
        return self._writer.types.encoded_extras(
            {n: each if len(each) == 1 else _sorted(each) for n, each in places}
        )

    def _accept(self, size: int) -> None:
        """Count the last part, of `size` bytes, which was added to the file."""
        writer, schema = self._writer, self.schema
        writer.mismatched += self._mismatched
        writer.mismatches += self._mismatches[: MAX_MISMATCHES - len(writer.mismatches)]
        writer.lost += self._lost
        writer.guard.estimate(schema.name, size, self._read_back)

    def _read_back(self) -> Any:
        """Return what reading the last part would have in memory."""
        differences = key_differences(self._keys)
        keys = differences, [*accumulate(differences)]
        return keys, self.schema.decoder.decode(encode(self._rows))

    def _add_extras(self, first: int) -> None:
        """Take over the values beside the rows of the part, which begins at `first`."""
        table, by_cell, writer = self.table, self.schema.by_cell, self._writer
        if not (table.extras or table.recordings):
            return
        references, rules = writer.references, writer.undeclared_rules
        for place in range(len(self._keys)):
            for cell, found in table.extras.get(first + place, _NO_ENTRIES).items():
                column = by_cell[cell]
                saved, losses = settled(found, references, rules)
                if losses:
                    where = self._described(place, column)
                    self._lost += writer.new_losses(where, losses)
                if mismatch := self._mismatch(column, saved):
                    self._report_mismatch(place, column, mismatch)
                if saved is not found and saved == TAKES_DEFAULT:
                    self._lose(place, column)
                else:
                    self._move_out(place, column, saved)
            if recording := table.recordings.get(first + place):
                extras = self._extras.setdefault(place, {})
                key, title = self._keys[place], self.schema.class_name
                for name, found in recorded(recording).items():
                    if isinstance(name, str):
                        check_text("the name of what a `Recorder` records", name)
                    extras[name], losses = settled(found, references, rules)
                    where = LostValue(key, title, str(name), "")
                    self._lost += writer.new_losses(where, losses)

    def _check(self) -> None:
        """Move the cells that do not fit their types out of the rows."""
        for column in self.schema.columns:
            cells = [*map(column.get, self._rows)]
            places = column.wrong(cells, self._strict_rules)
            unfit = {*column.wrong(cells, self._rules)} if places else ()
            for place in places:
                if column.number in self._extras.get(place, _NO_ENTRIES):
                    continue
                if place in unfit:
                    self._move_out_unfit(place, column, cells[place])
                elif not self._may_be_null(self._keys[place], column):
                    # Key 0 stands for `None` already, so the cell remains as it is.
                    found = Mismatch("", column.stored, (column.stored, cells[place]))
                    self._report_mismatch(place, column, found)
            for place, cell in enumerate(cells):
                if cell is UNSET:
                    self._lose(place, column)

    def _check_members(self, allowed: frozenset[Key]) -> None:
        """Raise `SaveError` if a value refers to an object that is not in the snapshot."""
        columns = self.schema.columns
        names: dict[int | str, str] = {each.number: each.name for each in columns}
        found = [(c.name, keys_in(c.stored, map(c.get, self._rows))) for c in columns]
        for extras in self._extras.values():
            for n, (stored, cell) in extras.items():
                found.append((names.get(n, str(n)), keys_in(stored, [cell])))
        for name, keys in found:
            if not keys <= allowed:
                raise SaveError(
                    f"`{self.schema.class_name}.{name}` refers to an object that the filter"
                    " of the snapshot leaves out: choose that object, too"
                )

    def _move_out_unfit(self, place: int, column: Column, cell: Any) -> None:
        if self._is_cut(place, column, cell):
            return
        found = _undeclared(column.stored, cell, self._rules)
        if found is None:
            reason = (
                f"its saved form does not match its declared type `{column.stored}`"
            )
            if not column.stored.names_inside.isdisjoint(("rec", "any")):
                reason += f", or it is nested more than {self._rules.depth} deep"
            self._lost.append(self._described(place, column, reason))
            self._lose(place, column)
        else:
            whole = Mismatch("", column.stored, found)
            part = self._mismatch(column, found)
            self._report_mismatch(place, column, part or whole)
            self._move_out(place, column, found)

    def _mismatch(self, column: Column, found: Typed) -> Mismatch | None:
        """Return the first part of a value that does not have its declared type, if any."""
        writer = self._writer
        class_of = writer.class_numbers.get
        return mismatch_in(column.stored, found, writer.values, class_of)

    def _is_cut(self, place: int, column: Column, cell: Any) -> bool:
        """Return whether only a file cannot hold a cell; it loses no more than it must then."""
        if not lasts_only_in_memory(column.stored, cell, self._rules):
            return False
        writer = self._writer
        found, losses = settled((column.stored, cell), writer.references, self._rules)
        if found == TAKES_DEFAULT:
            self._lose(place, column)
        else:
            self._set(place, column, found[1])
        self._lost += writer.new_losses(self._described(place, column), losses)
        return True

    def _may_be_null(self, key: Key, column: Column) -> bool:
        """Return whether a cell refers to a destroyed object, or to one that is preserved."""
        snapshot = self._writer.snapshot
        if (key, column.cell) in snapshot.dangling_cells:
            return True
        preserved = snapshot.preserved
        return preserved and (key, column.number) in preserved.partly_loaded

    def _lose(self, place: int, column: Column) -> None:
        """Store that a field has no value.

        A load gives it the default, or `None` if its type allows that, or leaves it unset.
        """
        if column.cell in self.table.entry.defaults_by_cell:
            self._move_out(place, column, TAKES_DEFAULT)
        elif column.stored.name == "optional":
            self._set(place, column, column.filler)  # the cell of `None`
        else:
            self._writer.unset.add((self._keys[place], column.name))
            self._move_out(place, column, NOT_SET)

    def _move_out(self, place: int, column: Column, found: Typed) -> None:
        """Store a value beside the rows, and a filler in its cell."""
        self._extras.setdefault(place, {})[column.number] = found
        filler = column.filler
        if self._is_closed:
            filler = self._writer.types.closed_cell(column.stored, filler)
        self._set(place, column, filler)

    def _close(self) -> None:
        """Give undeclared values in the rows their numbers in the list of types."""
        types = self._writer.types
        self._is_closed = True
        for column in self.schema.undeclared:
            for place, cell in enumerate([*map(column.get, self._rows)]):
                closed = types.closed_cell(column.stored, cell)
                if can_be_encoded(closed):
                    self._set(place, column, closed)
                else:
                    self._move_out(place, column, (column.stored, cell))

    def _set(self, place: int, column: Column, cell: Any) -> None:
        if place not in self._copied:
            self._copied.add(place)
            self._rows[place] = replace(self._rows[place])
        setattr(self._rows[place], column.cell, cell)

    # -- the report

    def _report_mismatch(self, place: int, column: Column, found: Mismatch) -> None:
        self._mismatched += 1
        if self._writer.mismatched + self._mismatched <= MAX_MISMATCHES:
            shown = self._shown(found.typed)
            where = self._described(place, column, shown, found.declared)
            self._mismatches.append(MismatchedValue(*where[:5], found.path))

    def _shown(self, found: Typed) -> str:
        size, registry = len(encode_any(found[1])), self._writer.registry
        if size > _LONG:
            return f"a value of {size:,} bytes"
        class_of = self._writer.class_numbers.get
        shown = registry.text(found, class_of) if registry else text(ANY, found)
        return shown if len(shown) <= _MAX_SHOWN else f"{shown[: _MAX_SHOWN - 1]}…"

    def _described(
        self,
        place: int,
        column: Column,
        value: str = "",
        stored: StoredType | None = None,
    ) -> LostValue:
        """Return where a value is, its text, and the type that is declared for it."""
        registry = self._writer.registry
        annotated = registry.annotation if registry else annotation
        declared = annotated(stored or column.stored)
        key, class_name = self._keys[place], self.schema.class_name
        return LostValue(key, class_name, column.name, value, declared)


_NO_ENTRIES: dict[Any, Any] = {}


def _sorted(extras: dict[int | str, Typed]) -> dict[int | str, Typed]:
    names = sorted(extras, key=lambda name: (type(name) is str, name))
    return {name: extras[name] for name in names}


def _undeclared(stored: StoredType, cell: Any, rules: Rules) -> Typed | None:
    """Return a cell that does not fit its stored type with a type that it fits, if any."""
    rules = replace(rules, is_declared=False)
    any_object = _with_any_object(stored)
    if not wrong(any_object, [cell], rules):
        return any_object, cell
    try:
        found = typed(cell, NO_REFERENCES)
    except SaveError:
        return None
    return None if wrong(found[0], [found[1]], rules) else found


@lru_cache(1000)
def _with_any_object(stored: StoredType) -> StoredType:
    """Return a stored type in which references may be `None`, or have objects of any class."""
    text = re.sub(r"\b(ref|class)<[-\d ]+>", r"\1<0>", str(stored))
    return parse(re.sub(r"(?<!optional<)(?<!weak<)ref<0>", "optional<ref<0>>", text))
