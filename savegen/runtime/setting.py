"""Single fields of new objects: a value is packed, checked, and loaded like a saved one."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from savegen.runtime import mismatches
from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.copying import Copier
from savegen.runtime.errors import SaveError, a, told
from savegen.runtime.fits import misfits
from savegen.runtime.registry import ClassEntry
from savegen.runtime.rows import (
    UNSET,
    Key,
    Mismatch,
    Row,
    cells_of,
    mismatch,
    partial_row,
    unfit,
)
from savegen.runtime.stored import Stored

ClassOf = Callable[[Key], "int | None"]
_ANY = Stored("any")


class Misfit(SaveError):
    """A value that a field may not hold; the text says what is wrong with it."""


def packed(
    cls: Any,
    values: Mapping[str, Any],
    references: References,
    entry: ClassEntry | None = None,
) -> Row:
    """Return a row of a saveable class with some fields, by name; the others are `UNSET`.

    With an `entry` each cell is held against the stored type of its field. Raises `Misfit` for
    the first value that does not fit.
    """
    row, cells = Row, dict[str, Any]()
    for name, value in values.items():
        try:
            row, cell, cells[cell] = _checked(cls, name, value, references, entry)
        except RecursionError:
            raise Misfit("it holds itself, or is nested too deep") from None
    return partial_row(row, **cells)


def _checked(
    cls: Any, name: str, value: Any, references: References, entry: ClassEntry | None
) -> tuple[type[Row], str, Any]:
    """Return what `_packed` does. Raises `Misfit`."""
    row, cell, found = _packed(cls, name, value, references)
    if type(found) is Mismatch and isinstance(value, SaveLoadable):
        # A field that refers to it weakly is given the object itself.
        found = _packed(cls, name, weakref.ref(value), references)[2]
    stored = entry.stored_by_cell[cell] if entry else _ANY
    is_mismatch = mismatches.holds_mismatch(found)
    if is_mismatch or misfits(stored, [found], _class_of(references)):
        raise Misfit(_fault(cls, name, value, found, stored, references))
    return row, cell, found


def _packed(
    cls: Any, name: str, value: Any, references: References
) -> tuple[type[Row], str, Any]:
    """Return the row of a class, the name of a field's cell in it, and the cell of a value."""
    save = getattr(cls, "save_data_", None) or cls.save_data
    with mismatches.collected():
        try:
            row = save(_Given(name, value), _OfGiven(references))
        except RecursionError:
            raise
        except SaveError as error:
            raise Misfit(str(error)) from error
        except Exception as error:  # of the value's own class
            raise Misfit(told(error)) from error
    cell = cells_of(type(row))[cls.save_load_field_names[name]]
    found = getattr(row, cell)
    if found is UNSET:  # the class saves the field itself
        found = Copier(stand_in=lambda it: _key_or_itself(it, references)).copy(value)
    return type(row), cell, found


class _Given:
    """Stands for an object of which one field is set; all others read as `NOT_SET`."""

    def __init__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        # The field `__hinge` of a door is the attribute `_Door__hinge`.
        ((field, value),) = self.__dict__.items()
        is_mangled = field.startswith("__") and name.endswith(field)
        return value if is_mangled else mismatches.NOT_SET


class _OfGiven(References):
    """Asks for keys, but for none of fields that are not set."""

    def __init__(self, references: References) -> None:
        for name in ("key_of", "id_of", "generator_key", "class_number"):
            setattr(self, name, partial(_asked, getattr(references, name)))


def _asked(ask: Callable[[Any], Any], value: Any) -> Any:
    is_set = value is not mismatches.NOT_SET
    return ask(value) if is_set else mismatch(value)


def _key_or_itself(thing: Any, references: References) -> Any:
    return references.key_of(thing) if isinstance(thing, SaveLoadable) else thing


# -- does it fit?


def check_references(
    component: Any,
    row: Row,
    entry: ClassEntry,
    references: References,
    class_of: ClassOf,
) -> None:
    """Raise `SaveError` if a row refers to an object or a class that its field may not hold."""
    for cell, stored in entry.naming.items():
        found = getattr(row, cell, UNSET)
        if not misfits(stored, [found], class_of, dangling=True):
            continue
        place, part, inner = innermost(found, stored, class_of)
        if type(part) is int:
            at = {"ref": references.get_component, "class": references.class_at}
            part = at[inner.name](part) if inner.name in at else part
        raise unfit(f"`{type(component).__qualname__}.{cell}{place}`", part)


def _class_of(references: References) -> ClassOf | None:
    """Return the function from a key to its class number; `None` without one."""
    return getattr(references, "number_at", None)


def _fault(
    cls: Any, name: str, value: Any, cell: Any, stored: Stored, references: References
) -> str:
    """Return what a value is or holds, and what its field may hold."""
    place, found, inner = innermost(cell, stored, _class_of(references))
    if not place:
        types = {each[0]: each[1] for each in cls.get_param_name_mappings()}
        wanted = types.get(name, _short(stored))
        return f"it is {a(type(value).__qualname__)}, not {wanted}"
    is_key = inner.name == "ref" and type(found) is int
    thing = references.get_component(found) if is_key else found
    return f"at `{place}` it holds {a(type(thing).__qualname__)}, not {_short(inner)}"


def _short(stored: Stored) -> str:
    """Return the name of a stored type, without what is inside."""
    return stored.label.rpartition(".")[2] or stored.name


def innermost(
    cell: Any, stored: Stored, class_of: ClassOf | None = None, place: str = ""
) -> tuple[str, Any, Stored]:
    """Return the innermost part of a cell that does not fit: its place, value and stored type.

    >>> from savegen.runtime.stored import parse
    >>> innermost([(1, "x"), (2, 3)], parse("list<(int, str)>"))
    ('[1][1]', 3, Stored('str'))
    """
    if type(cell) is Mismatch:
        return place, cell.value, stored
    for step, part, inner in parts_of(cell, stored):
        if mismatches.holds_mismatch(inner) or misfits(part, [inner], class_of):
            return innermost(inner, part, class_of, place + step)
    return place, cell, stored


def parts_of(cell: Any, stored: Stored) -> Iterator[tuple[str, Stored, Any]]:
    """Yield what is inside a cell: its step, stored type and value."""
    name, parts = stored.name, stored.parts
    if name == "optional" and cell is not None:
        yield "", parts[0], cell
    elif name in ("dict", "defaultdict", "OrderedDict"):
        for key, value in cell.items() if isinstance(cell, dict) else cell:
            yield " (key)", parts[0], key
            yield f"[{key!r}]", parts[1], value
    elif type(cell) not in (list, tuple):
        return
    elif name in ("list", "tuple", "set", "frozenset"):
        yield from _members(parts * len(cell), cell)
    elif name == "deque":
        yield from _members(parts * len(cell[1]), cell[1])
    elif name == "fixed":
        yield from _members(parts, cell)
    elif name in ("value", "record"):
        for field, member in zip(stored.fields, cell):
            if not field.may_be_absent:
                yield f".{field.name}", field.type, member
            elif member:
                yield f".{field.name}", field.type, member[0]


def _members(
    parts: Iterable[Stored], members: Iterable[Any]
) -> Iterator[tuple[str, Stored, Any]]:
    for place, (part, member) in enumerate(zip(parts, members)):
        yield f"[{place}]", part, member
