"""Packs objects into rows with `save_data`, even if some values do not fit their fields."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any

from msgspec import Struct

from savegen.runtime.values import mismatches
from savegen.runtime.world.building import Copier
from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import unchecked
from savegen.runtime.generated.field_by_field import pack_fields_of, python_number
from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
    SaveError,
    describe_error,
    exhausted,
)
from savegen.runtime.values.folds import (
    NOT_SET,
    Rules,
    Typed,
    innermost_parts,
    lasts_only_in_memory,
    wrong as find_mismatches,
)
from savegen.runtime.values.kinds.mappings import with_its_factory
from savegen.runtime.values.libraries.standard_types import STANDARD_TYPES
from savegen.runtime.values.rows import UNSET, Key, Row, partial_row
from savegen.runtime.values.stored import StoredType

NO_OBJECT: Key = -(1 << 62)
"""A key that no object has."""

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
    # Why fields are lost that the game's own `save_data` saves, by position.
    lost: dict[int, str] = {}
    # The cells with plain objects that are nested too deeply for a file, by position.
    too_deep: dict[int, list[str]] = {}
    # Fields whose NumPy numbers became Python's: `Hero.hp (int64)`.
    numpy: dict[str, None] = {}

    def note_numpy(self, entry: Any, cell: str, value: Any) -> None:
        """Note that a value of NumPy became Python's."""
        self.numpy[f"{entry.title(cell)} ({type(value).__name__})"] = None


def pack_rows(entry: Any, objects: list[Any], references: References) -> Packed:
    """Return the rows of objects of one class; more objects may be added meanwhile.

    The generated code packs an object; after the first surprise in it, the table of kinds
    does. Raises `SaveError` if the `save_data` of the game raises, or if code of the game runs
    out of memory or of nested calls.
    """
    packed = Packed([])
    if entry.wraps:
        for obj in objects:
            _pack_by_game(entry, obj, references, packed)
        return packed
    save, add = unchecked(entry.marked_class().save_data), packed.rows.append
    for obj in objects:
        dangling = references._dangling
        try:
            add(save(obj, references))
        except _NO_FAULT_OF_A_VALUE:
            raise
        except Exception:
            references._dangling = dangling
            _pack_by_table(entry, obj, references, packed)
    return packed


def _pack_by_table(
    entry: Any, obj: Any, references: References, packed: Packed
) -> None:
    row, unfit, numpy = pack_fields_of(obj, entry, references)
    if unfit:
        packed.unfit[len(packed.rows)] = unfit
    for cell in numpy:
        packed.note_numpy(entry, cell, entry.value_of(obj, cell))
    packed.rows.append(row)


def _pack_by_game(entry: Any, obj: Any, references: References, packed: Packed) -> None:
    """Pack an object with the game's own `save_data`."""
    place, where = len(packed.rows), f"`{type(obj).__qualname__}.save_data`"
    dangling = references._dangling
    # What `pack_fields_of` returned, if generated code has failed.
    by_table: list[Any] = []

    def rescue(component: Any, error: Exception) -> Row | None:
        if isinstance(error, _NO_FAULT_OF_A_VALUE):
            raise error
        if obj is not component:
            return None
        references._dangling = dangling
        by_table[:] = pack_fields_of(obj, entry, references)
        row: Row = by_table[0]
        return row

    outer, references._rescue = references._rescue, rescue
    try:
        row = entry.marked_class().save_data(obj, references)
    except _NO_FAULT_OF_A_VALUE:
        raise
    except RecursionError as error:
        raise exhausted(where, error) from error
    except Exception as error:
        fault = f"{where} raised {describe_error(error)}"
        is_unset = isinstance(error, AttributeError) and error.obj is obj
        if not by_table and not is_unset:
            raise SaveError(fault) from error
        references._dangling = dangling
        _pack_by_table(entry, obj, references, packed)
        packed.lost[place] = fault
        return
    finally:
        references._rescue = outer
    if type(row) is not entry.row:
        raise SaveError(
            f"{where} returned a {type(row).__qualname__}; return what"
            " `save_data_` returns"
        )
    packed.rows.append(row)
    if by_table:
        _, unfit, numpy = by_table
        packed.unfit[place] = {
            n: value for n, value in unfit.items() if getattr(row, n) is UNSET
        }
        for cell in numpy:
            packed.note_numpy(entry, cell, entry.value_of(obj, cell))


def take_out_misfits(entry: Any, packed: Packed, objects: Sequence[Any]) -> None:
    """Move values that do not fit out of the cells that packing does not check.

    These are all cells of a class with its own `save_data`, and records that may be nested too
    deeply. Of the latter, only a file loses the deepest part.
    """
    for cell in entry.open_cells:
        if cell.quick_check(map(cell.get, packed.rows)):
            continue
        column = [*map(cell.get, packed.rows)]
        wrong = find_mismatches(cell.stored, column, Rules(dangling=True))
        if entry.wraps:
            wrong += _unreadable(cell.stored, column, {*wrong})
        is_recursive = "rec" in cell.stored.names_inside
        for place in wrong:
            row, value = packed.rows[place], column[place]
            if is_recursive:
                if lasts_only_in_memory(cell.stored, value, Rules(dangling=True)):
                    packed.too_deep.setdefault(place, []).append(cell.name)
                    continue
                if not entry.wraps:
                    attribute = entry.attributes_by_cell[cell.name]
                    value = mismatches.value_of(objects[place], attribute)
            number = python_number(value)
            if number is not None and not find_mismatches(cell.stored, [number]):
                setattr(row, cell.name, number)
                packed.note_numpy(entry, cell.name, value)
                continue
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


def typed_misfit(
    entry: Any, cell: str, value: Any, pack: Callable[[str, Any], Typed]
) -> Typed:
    """Return a value that does not fit its cell with a type; `pack` gets the cell, too."""
    if value is mismatches.NOT_SET:
        return NOT_SET
    typed = pack(cell, value)
    is_declared = typed[0] == entry.stored_by_cell[cell]
    return (
        with_its_factory(typed) if is_declared and type(value) is defaultdict else typed
    )


def give_types(entry: Any, row: Row, pack: Callable[[str, Any], Typed]) -> None:
    """Give types to the values that a `save_data` of the game put into cells without one."""
    for cell in entry.untyped:
        if (value := getattr(row, cell)) is not UNSET:
            setattr(row, cell, pack(cell, value))


def only(row: Row, cells: Iterable[str]) -> Row:
    """Return a row with some cells of another row; all others are `UNSET`."""
    return partial_row(type(row), **{cell: getattr(row, cell) for cell in cells})


def own_row(row: Row, cells: Iterable[str]) -> Row:
    """Return a copy of a row, with copies of the values in `cells`.

    The game may keep the original row, and change the lists and dicts in it later.
    """
    copied = copy(row)
    for cell in cells:
        setattr(copied, cell, Copier().copy(getattr(copied, cell)))
    return copied


def pack_own_rows(entry: Any, objects: list[Any], references: References) -> Packed:
    """Return rows of objects that the game does not change any more, as those it has made."""
    packed = pack_rows(entry, objects, references)
    if entry.wraps:
        cells = *entry.lent, *entry.untyped
        packed.rows = [own_row(row, cells) for row in packed.rows]
    return packed
