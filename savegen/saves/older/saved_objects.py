"""The saved objects of a class, with the types that its fields had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.keys import index_of
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.slots import Slots, SlotState
from savegen.runtime.snapshot import Recording
from savegen.runtime.tagged import Tagged, check_tagged
from savegen.saves.body import Body, Field, RawRow, RawTable, WorldPart, encode, runs_of
from savegen.saves.limits import Guard
from savegen.saves.preserved import mismatch_as_given


class Cell(NamedTuple):
    """The saved value of a field of an object, with the saved field that gives its type."""

    field: Field
    content: Any  # the bytes of a cell as `Raw`, or the tagged value of a mismatch

    @property
    def is_mismatch(self) -> bool:
        return not isinstance(self.content, Raw)

    @property
    def given(self) -> Raw:
        """The cell of field `-n` of a preserved row, for which its field `n` is still valid."""
        if self.is_mismatch:
            return Raw(mismatch_as_given(self.content))
        return Raw(encode(bytes(self.content)))


def raw_row(
    key: Key, contents: Mapping[int, Any], recording: Recording | None = None
) -> RawRow:
    """Return a row of cells and mismatches, by field number."""
    cells = {n: each for n, each in contents.items() if isinstance(each, Raw)}
    others = {n: contents[n] for n in sorted(contents.keys() - cells.keys())}
    return RawRow(key, cells, others, recording)


class SavedObjects:
    """The saved objects of one class, from all its tables; the first table has every object."""

    def __init__(self, number: int, entry: ClassEntry | None = None) -> None:
        """`entry` is that of the current class, if the game has it."""
        self.number = number
        self.entry = entry
        self.tables: list[RawTable] = []
        self._is_read = False
        self.rows: dict[Key, dict[int, Cell]] = {}
        self.recordings: dict[Key, Recording] = {}

    @property
    def name(self) -> str:
        return self.tables[0].name

    def read(self, guard: Guard) -> SavedObjects:
        """Read the rows once. A later table adds fields to objects of an earlier one."""
        if not self._is_read:
            self._is_read = True
            for table in self.tables:
                fields = {field.number: field for field in table.fields}
                for row in table.rows(guard):
                    self._add(row, fields)
            for old, new in self.entry.former.items() if self.entry else ():
                self.renumber(old, new)
        return self

    def _add(self, row: RawRow, fields: dict[int, Field]) -> None:
        for tagged in (*row.mismatches.values(), *_recorded(row.recording)):
            check_tagged(tagged)
        known = self.rows.setdefault(row.key, {})
        for number, content in (row.cells | row.mismatches).items():
            given = row.cells.get(-number)
            was = known.get(number)
            if number > 0 and given in (None, was and was.given):
                known[number] = Cell(fields[number], content)
        if row.recording is not None:
            self.recordings[row.key] = row.recording

    def renumber(self, old: int, new: int) -> None:
        """Change the number of a field. Existing values with the new number take precedence."""
        for cells in self.rows.values():
            if old in cells and new not in cells:
                field, content = cells.pop(old)
                cells[new] = Cell(field._replace(number=new), content)

    def fields(self) -> dict[int, list[Field]]:
        """Return the saved fields by number; a field can have several types."""
        found: dict[int, dict[Field, None]] = {}
        for cells in self.rows.values():
            for number, cell in cells.items():
                found.setdefault(number, {})[cell.field] = None
        saved = [field.number for table in self.tables for field in table.fields]
        order = dict.fromkeys([*saved, *sorted(found)])
        return {number: [*found[number]] for number in order if number in found}

    def column(self, field: Field) -> dict[Key, Any]:
        """Return the saved values of a field, by the keys of the objects."""
        return {
            key: cell.content
            for key, cells in self.rows.items()
            if (cell := cells.get(field.number)) and cell.field == field
        }

    def layers(self, keys: Iterable[Key]) -> Iterator[tuple[list[Field], list[RawRow]]]:
        """Yield the fields and rows of tables that together contain some objects.

        The first table has all of them. A field with several types needs several tables.
        """
        fields = self.fields().values()
        firsts = {field: None for field, *_ in fields}
        rows = []
        for key in keys:
            cells = (cell for cell in self.rows[key].values() if cell.field in firsts)
            there = {cell.field.number: cell.content for cell in cells}
            rows.append(raw_row(key, there, self.recordings.get(key)))
        yield [*firsts], rows
        for field in (field for _, *others in fields for field in others):
            column = self.column(field)
            there = {key: {field.number: column[key]} for key in keys if key in column}
            yield [field], [raw_row(key, cells) for key, cells in there.items()]


def _recorded(recording: Recording | None) -> Iterable[Tagged]:
    return recording.values.values() if recording else ()


def by_class(body: Body, registry: Registry | None = None) -> dict[int, SavedObjects]:
    """Return the `SavedObjects` of each class, by its number; their rows are not read yet."""
    found: dict[int, SavedObjects] = {}
    for table in body.tables:
        number = table.number
        if number not in found:
            found[number] = SavedObjects(number, _entry(number, registry))
        found[number].tables.append(table)
    return found


def slots_of(world: WorldPart, gone: Iterable[Key] = ()) -> Slots:
    """Return the slots of a world, without some keys.

    Raises `SaveCorruptError` if the slots are inconsistent.
    """
    slots = Slots()
    try:
        slots.restore(SlotState(world.generations, tuple(world.free)))
        for slot in sorted(index_of(key) for key in gone if key > 0):
            slots.release(slot)
    except IndexError:
        raise SaveCorruptError("the slots contradict the objects of the save") from None
    return slots


def with_slots(world: WorldPart, slots: Slots, **changes: Any) -> WorldPart:
    """Return a world with new slots and other changes."""
    generations, free = slots.state()
    return replace(world, slots=runs_of(generations), free=[*free], **changes)


def _entry(number: int, registry: Registry | None) -> ClassEntry | None:
    if registry is None:
        return None
    if number == GAME_OBJECT.save_type:
        return GAME_OBJECT
    return registry[number] if number in registry else None
