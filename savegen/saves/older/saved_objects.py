"""The saved objects of one class, with the types that its fields had when they were saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.values.basics.keys import index_of
from savegen.runtime.generated.registry import ClassEntry, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.world.slots import SlotMap, SlotState
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.folds import TAKES_DEFAULT, Rules, Typed
from savegen.saves.body import (
    Body,
    SavedField,
    RawRow,
    RawTable,
    WorldPart,
    runs_of,
)
from savegen.saves.limits import Guard
from savegen.saves.schema import entry_of, row_schema_of
from savegen.saves.typed import check_typed, is_same, recorded, recording_of, typed_of

# Added to the number of a field when another class takes an object, if that class has a field of
# the number that cannot have the value. The value is preserved until the old class takes it back.
ASIDE = 1 << 32
_DANGLING = Rules(dangling=True)


class Cell(NamedTuple):
    """The saved value of a field of an object, and the field with the type that it had."""

    field: SavedField
    content: (
        Raw | Typed
    )  # the bytes of a cell; or a value with its type, as extras have it

    @property
    def typed(self) -> Typed:
        """This value with its type."""
        return typed_of(self.field.stored, self.content)


def raw_row(
    key: Key, contents: Mapping[int, Any], recording: Recording | None = None
) -> RawRow:
    """Return a row with the contents of `Cell`s, by field number."""
    cells = {n: each for n, each in contents.items() if isinstance(each, Raw)}
    extras: dict[int | str, Typed] = {
        n: contents[n] for n in sorted(contents.keys() - cells.keys())
    }
    return RawRow(key, cells, extras | recorded(recording))


class SavedObjects:
    """The saved objects of one class, from all its tables. The first table has every object."""

    def __init__(self, number: int, entry: ClassEntry | None = None) -> None:
        """`entry` is that of the current class; `None` if the game does not have the class."""
        self.number = number
        self.entry = entry
        self.tables: list[RawTable] = []
        self._is_read = False
        self.is_changed = False  # whether rows were moved from or to another class
        self.rows: dict[Key, dict[int, Cell]] = {}
        self.recordings: dict[Key, Recording] = {}

    @property
    def name(self) -> str:
        if not self.tables and self.entry is not None:
            return row_schema_of(self.entry).name
        return self.tables[0].name

    def read(self, guard: Guard) -> SavedObjects:
        """Read the rows, unless they were read before. Later tables add fields to objects."""
        if not self._is_read:
            self._is_read = True
            for table in self.tables:
                fields = {field.number: field for field in table.fields}
                for row in table.rows(guard):
                    self._add(row, fields)
            for old, new in self.entry.former.items() if self.entry else ():
                self.renumber(old, new)
        return self

    def _add(self, row: RawRow, fields: dict[int, SavedField]) -> None:
        for name, typed in row.extras.items():
            check_typed(typed, f"`{name}` of {self.name}", _DANGLING)
        cells = self.rows.setdefault(row.key, {})
        contents = {n: row.extras.get(n) or row.cells[n] for n in fields}
        for number, content in contents.items():
            if number < 0 or content == TAKES_DEFAULT:
                continue
            # A preserved row has the original cell (`n`) and the value that the game loaded for
            # it (`-n`). If the game did not change that one, the original replaces it.
            if condition := row.extras.get(-number):
                current = cells.get(number)
                if current is None or not is_same(current.typed, condition[1]):
                    continue
            cells[number] = Cell(fields[number], content)
        if recording := recording_of(row.extras):
            first = self.recordings.get(row.key, recording)
            self.recordings[row.key] = first.with_others_of(recording)

    def renumber(self, old: int, new: int) -> None:
        """Change the number of a field, except in objects that have a value for the new one."""
        for cells in self.rows.values():
            if old in cells and new not in cells:
                field, content = cells.pop(old)
                cells[new] = Cell(field._replace(number=new), content)

    def take(self, key: Key, other: SavedObjects) -> None:
        """Move an object here from another class: its fields keep their numbers and types.

        What an earlier move set aside comes back, as far as this class has such a field.
        """
        numbers = {*row_schema_of(self.entry).by_number} if self.entry else set()
        former = self.entry.former if self.entry else {}
        cells: dict[int, Cell] = {}
        for number, cell in sorted(other.rows.pop(key).items()):
            if number - ASIDE in numbers:
                number -= ASIDE
            number = former.get(number, number)
            cells[number] = Cell(cell.field._replace(number=number), cell.content)
        self.rows[key] = cells
        if key in other.recordings:
            self.recordings[key] = other.recordings.pop(key)
        self.is_changed = other.is_changed = True

    def fields(self) -> dict[int, list[SavedField]]:
        """Return the saved fields by number; a field can have several types."""
        fields: dict[int, dict[SavedField, None]] = {}
        for cells in self.rows.values():
            for number, cell in cells.items():
                fields.setdefault(number, {})[cell.field] = None
        numbers = [field.number for table in self.tables for field in table.fields]
        order = dict.fromkeys([*numbers, *sorted(fields)])
        return {number: [*fields[number]] for number in order if number in fields}

    def column(self, field: SavedField) -> dict[Key, Any]:
        """Return the contents of the cells of a field, by the keys of the objects."""
        return {
            key: cell.content
            for key, cells in self.rows.items()
            if (cell := cells.get(field.number)) and cell.field == field
        }

    def tables_of(
        self, keys: Iterable[Key]
    ) -> Iterator[tuple[list[SavedField], list[RawRow]]]:
        """Yield the fields and rows of tables that together contain the objects.

        The first table has every object. A field with several types needs several tables.
        """
        fields = self.fields().values()
        first_fields = {field: None for field, *_ in fields}
        rows = []
        for key in keys:
            cells = [c for c in self.rows[key].values() if c.field in first_fields]
            contents = {cell.field.number: cell.content for cell in cells}
            rows.append(raw_row(key, contents, self.recordings.get(key)))
        yield [*first_fields], rows
        for field in (field for _, *others in fields for field in others):
            column, number = self.column(field), field.number
            chosen = [key for key in keys if key in column]
            yield [field], [raw_row(key, {number: column[key]}) for key in chosen]


def by_class(body: Body, registry: Registry | None = None) -> dict[int, SavedObjects]:
    """Return the saved objects of each class by its number. Their rows are not read yet."""
    classes: dict[int, SavedObjects] = {}
    for table in body.tables:
        number = table.number
        if number not in classes:
            classes[number] = SavedObjects(number, entry_of(number, registry))
        classes[number].tables.append(table)
    return classes


def slots_of(world: WorldPart, released: Iterable[Key] = ()) -> SlotMap[bool]:
    """Return the slots of a world, after releasing those of some keys.

    Raises `SaveCorruptError` if the slots are inconsistent.
    """
    slots = SlotMap[bool]()
    state = SlotState(world.generations, tuple(world.free))
    filled = sorted(state.filled())
    slots.check(state, filled)
    slots.restore_slots(state, filled, [True] * len(filled))
    for slot in sorted(index_of(key) for key in released if key > 0):
        if slots.at(slot) is None:
            raise SaveCorruptError("the slots and the objects do not match")
        slots.release(slot)
    return slots


def with_slots(world: WorldPart, slots: SlotMap[bool], **changes: Any) -> WorldPart:
    """Return a world with new slots and other changes."""
    generations, free = slots.state()
    return replace(world, slots=runs_of(generations), free=[*free], **changes)
