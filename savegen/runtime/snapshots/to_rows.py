"""Packs objects into rows with `save_data`, even if some values do not fit their fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

from msgspec import Struct

from savegen.runtime.values import mismatches
from savegen.runtime.world.building import Copier, LocalKeys
from savegen.runtime.values.references import References
from savegen.runtime.generated.components import unchecked
from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
    SaveError,
    describe_error,
    exhausted,
)
from savegen.runtime.values.folds import (
    Rules,
    innermost_parts,
    wrong as find_mismatches,
)
from savegen.runtime.values.standard_types import STANDARD_TYPES
from savegen.runtime.values.checks import differ_in_parts
from savegen.runtime.values.rows import UNSET, Key, Row
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.values import NO_VALUES

# Errors that say nothing about a value. A `RecursionError` may also come from a value that is
# nested too deeply.
_NO_FAULT_OF_A_VALUE = (MemoryError, ExhaustedError)


class Packed(Struct, eq=False):
    """Rows, and the values that do not fit their fields, by position and cell.

    The cell of such a value is `UNSET`. For an attribute that is not set, the value is
    `NOT_SET`.
    """

    rows: list[Row]
    unfit: dict[int, dict[str, Any]] = {}


class Packer(References):
    """Packs objects with `save_data`, to which it is passed as the references."""

    values = NO_VALUES  # the game's classes of values
    dangling = 0  # references to destroyed objects so far, if the packer counts them

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        """Return the rows of objects of one class; call this inside `mismatches.collected()`.

        Raises `SaveError` if the `save_data` of the game raises, or if code of the game runs
        out of memory or of nested calls.
        """
        if not objects:
            return Packed([])
        before, dangling = mismatches.count(), self.dangling
        try:
            save = unchecked(entry.marked_class().save_data)
            packed = Packed([save(obj, self) for obj in objects])
        except _NO_FAULT_OF_A_VALUE:
            raise
        except Exception:
            self.dangling = dangling
            packed = Packed([self._row_of_incomplete(obj, entry) for obj in objects])
        if entry.wraps:
            _check_rows(entry, objects, packed.rows)
        if mismatches.count() != before:
            for place, obj in enumerate(objects):
                _remove_mismatches(packed, place, obj, entry)
        return packed

    def _row_of_incomplete(self, obj: Any, entry: Any) -> Row:
        """Return the row of an object of which some attributes cannot be read."""
        skipped: set[str] = set()
        cls, dangling = entry.marked_class(), self.dangling
        while True:
            try:
                row: Row = cls.save_data(obj, self)
                return row
            except _NO_FAULT_OF_A_VALUE:
                raise
            except Exception as error:
                if entry.wraps and isinstance(error, RecursionError):
                    where = f"`{type(obj).__qualname__}.save_data`"
                    raise exhausted(where, error) from error
                probe = mismatches.Probe(obj, skipped)
                self.dangling = dangling
            try:
                row = cls.save_data(probe, self)
                mismatches.count_row()
                return row
            except _NO_FAULT_OF_A_VALUE:
                raise
            except Exception as error:
                name = mismatches.last_read(probe)
                if not name or name in skipped:
                    where = f"`{type(obj).__qualname__}.save_data`"
                    raise SaveError(
                        f"{where} raised {describe_error(error)}"
                    ) from error
                skipped.add(name)
                self.dangling = dangling


def _remove_mismatches(packed: Packed, place: int, obj: Any, entry: Any) -> None:
    row = packed.rows[place]
    for cell, attribute in entry.attributes_by_cell.items():
        if mismatches.holds_mismatch(getattr(row, cell)):
            setattr(row, cell, UNSET)
            value = mismatches.value_of(obj, attribute)
            packed.unfit.setdefault(place, {})[cell] = value


def take_out_mismatches(
    entry: Any, objects: list[Any], packed: Packed, packer: Packer
) -> Iterator[str]:
    """Move mismatches out of cells whose values were not checked when they were packed.

    NumPy numbers are converted to Python numbers. Yield the field of each converted number:
    `Hero.hp (int64)`.
    """
    for cell in entry.open_cells:
        if cell.quick_check(map(cell.get, packed.rows)):
            continue
        column = [*map(cell.get, packed.rows)]
        wrong = find_mismatches(cell.stored, column, Rules(dangling=True))
        if entry.wraps:
            wrong += _unreadable(cell.stored, column, {*wrong})
        for place in wrong:
            row, value = packed.rows[place], column[place]
            number = _python_number(value)
            if number is not None and not find_mismatches(cell.stored, [number]):
                setattr(row, cell.name, number)
                yield f"{entry.display_name}.{cell.name} ({type(value).__name__})"
                continue
            obj = objects[place]
            if not entry.wraps or _is_generated(obj, cell.name, value, packer):
                attribute = entry.attributes_by_cell[cell.name]
                value = mismatches.value_of(obj, attribute)
            setattr(row, cell.name, UNSET)
            packed.unfit.setdefault(place, {})[cell.name] = value


def _unreadable(stored: StoredType, column: list[Any], wrong: set[int]) -> list[int]:
    """Return the positions of further cells that cannot be read back: an impossible date."""
    unreadable = []
    for place, cell in enumerate(column):
        if place in wrong or cell is UNSET:
            continue
        try:
            for part, part_cell in innermost_parts(stored, cell):
                if part.name in STANDARD_TYPES:
                    STANDARD_TYPES[part.name].unpack(part_cell)
        except EXHAUSTED:
            raise
        except Exception:
            unreadable.append(place)
    return unreadable


def _is_generated(obj: Any, cell: str, value: Any, packer: Packer) -> bool:
    """Return whether a cell comes from the generated code, not from the game's `save_data`."""
    dangling = packer.dangling
    try:
        row = type(obj).save_data_(mismatches.Probe(obj, set()), packer)
    except _NO_FAULT_OF_A_VALUE:
        raise
    except Exception:  # the generated code cannot pack this object
        return False
    finally:
        packer.dangling = dangling
    return not differ_in_parts(getattr(row, cell), value)


def own_row(row: Row, cells: Iterable[str]) -> Row:
    """Return a copy of a row, with copies of the values in `cells`.

    The game may keep the original row, and change the lists and dicts in it later.
    """
    copied = copy(row)
    for cell in cells:
        setattr(copied, cell, Copier().copy(getattr(copied, cell)))
    return copied


def _python_number(value: Any) -> Any:
    """Return a NumPy number as a Python number; `None` for any other value."""
    is_numpy = type(value).__module__ == "numpy" and hasattr(value, "item")
    return value.item() if is_numpy and value.ndim == 0 else None


def _check_rows(entry: Any, objects: list[Any], rows: list[Row]) -> None:
    for obj, row in zip(objects, rows):
        if type(row) is not entry.row:
            raise SaveError(
                f"`{type(obj).__qualname__}.save_data` returned a"
                f" {type(row).__qualname__}; return what `save_data_` returns"
            )


class AnyObjectKeys(LocalKeys, Packer):
    """References that accept any object, for rows that are used only in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._other_keys[id(None)] = 0

    def key_of(self, component: Any, /) -> Key:
        # Every object gets a key, so its class need not be checked.
        key = self._other_keys.get(id(component))
        return self._key_for(component) if key is None else key

    def pack(self, entry: Any, objects: list[Any]) -> Packed:
        packed = super().pack(entry, objects)
        if entry.wraps:
            cells = *entry.lent, *entry.untyped
            packed.rows = [own_row(row, cells) for row in packed.rows]
        return packed
