"""Packs an object whose generated `save_data` has failed, field by field, with the table of kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from savegen.runtime.errors import ExhaustedError, SaveError, describe_error
from savegen.runtime.values import folds
from savegen.runtime.values.kinds.kind import Packing
from savegen.runtime.values.mismatches import NOT_SET
from savegen.runtime.values.references import References
from savegen.runtime.values.rows import UNSET, Misfit, Row, unfit
from savegen.runtime.values.values import Values
from savegen.runtime.values.stored import StoredType, has_keys
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.generated.registry import registry_of

_NO_NONE = folds.Rules()
# Key 0 is allowed where a load would set `None` without a complaint.
_NONE_AS_FIELD = folds.Rules(dangling=True, dangling_members=False)


def packed_cell(
    stored: StoredType,
    value: Any,
    references: References,
    values: Values,
    factories: Callable[[], Iterable[Any]] = tuple,
    rules: folds.Rules = _NO_NONE,
) -> Any:
    """Return the cell of a value. Raises `Misfit` if it is not of the stored type.

    `factories` returns those of the `defaultdict`s in it that a load gives back.
    """
    if value is NOT_SET:
        raise Misfit(value, "it is not set")
    try:
        packing = Packing(references, is_declared=True)
        packing.values, packing.factories = values, factories()
        cell = packing.cell(stored, value)
        if has_keys(stored) and folds.wrong(stored, [cell], rules):
            path, _, _ = folds.misfit_path(stored, cell, rules)
            raise Misfit(None).inside(path)
        return cell
    except (SaveError, MemoryError):
        raise
    except RecursionError:
        raise Misfit(value, "it contains itself or is nested too deeply") from None
    except Exception as error:  # raised by the class of a value
        raise Misfit(value, describe_error(error)) from error


def factories_in(mixin: Any, cell: str) -> Callable[[], Iterable[Any]]:
    """Return a function that returns the factories which the class of an object gives a field."""
    by_cell: Mapping[str, Callable[[], Iterable[Any]]] = mixin.field_factories
    return by_cell.get(cell, tuple)


def pack_fields_of(
    obj: Any, entry: ClassEntry, references: References
) -> tuple[Row, dict[str, Any], list[str]]:
    """Return the row of an object, and the values that do not fit their cells, by cell.

    The cell of such a value is `UNSET`; an attribute that is not set is `NOT_SET`. Also return the
    cells with numbers of NumPy, which are packed as Python's.
    """
    cells, misfits, numpy = dict[str, Any](), dict[str, Any](), list[str]()
    values = references._values
    for cell, stored in entry.stored_by_cell.items():
        cells[cell] = UNSET
        if cell in entry.untyped:  # the game's own `save_data` fills it
            continue
        value = entry.value_of(obj, cell)
        dangling = references._dangling
        try:
            factories = factories_in(entry.mixin, cell)
            cells[cell] = packed_cell(
                stored, value, references, values, factories, _NONE_AS_FIELD
            )
        except ExhaustedError:
            raise
        except SaveError:
            number = python_number(value)
            try:
                if number is None:
                    raise Misfit(value)
                cells[cell] = packed_cell(stored, number, references, values)
                numpy.append(cell)
            except SaveError:
                misfits[cell] = value
                references._dangling = dangling  # it is packed again, with its own type
    return entry.row(**cells), misfits, numpy


def python_number(value: Any) -> Any:
    """Return a NumPy number as a Python number; `None` for any other value."""
    is_numpy = type(value).__module__ == "numpy" and hasattr(value, "item")
    return value.item() if is_numpy and value.ndim == 0 else None


def first_fault(obj: Any, references: References) -> SaveError | None:
    """Return the error of the first field of an object that cannot be packed, with its name."""
    return next(_faults(obj, references), None)


def _faults(obj: Any, references: References) -> Iterator[SaveError]:
    registry = registry_of(type(obj))
    if registry is None:
        return
    entry = registry[int(obj.save_type)]
    for cell, stored in entry.stored_by_cell.items():
        value = entry.value_of(obj, cell)
        if value is NOT_SET or cell in entry.untyped:
            continue
        name = entry.names_by_cell.get(cell, cell)
        try:
            factories = factories_in(entry.mixin, cell)
            packed_cell(stored, value, references, registry.values, factories)
        except Misfit as misfit:
            yield _fault_of(f"{type(obj).__qualname__}.{name}", misfit)
        except SaveError as error:
            yield SaveError(f"`{type(obj).__qualname__}.{name}`: {error}")


def _fault_of(field: str, misfit: Misfit) -> SaveError:
    """Return the error for a field with a value that does not fit."""
    where = f"`{field}{misfit.path}`"
    return (
        SaveError(f"{where}: {misfit.fault}")
        if misfit.fault
        else unfit(where, misfit.value)
    )
