"""`Row`, the saved fields of one object, and `misfit` for values that do not fit in it."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET as UNSET

from savegen.runtime.errors import SaveError, with_article

R = TypeVar("R", bound="Row")

Key: TypeAlias = int
"""The number of an object or component in its world; 0 stands for `None`."""


class Row(msgspec.Struct, array_like=True, gc=False, forbid_unknown_fields=True):
    """The base of every generated row: one cell per field, in the order of the class.

    A cell holds plain data: numbers, texts, bytes, and lists, tuples and dicts of them. A
    reference is a `Key`. Loading a cell that is `UNSET` does not change its field. Cells
    are also read and written by field number. A row has no public methods, since a field may
    have any name.

    >>> class DoorFields(IntEnum):
    ...     IS_OPEN = 12
    >>> class DoorData(Row):
    ...     __numbers__ = DoorFields
    ...     is_open: bool
    >>> data = DoorData(is_open=True)
    >>> data[DoorFields.IS_OPEN] = False
    >>> data.is_open, data[12]
    (False, False)
    """

    __numbers__: ClassVar[type[IntEnum]]  # the field numbers of the cells, in order

    if TYPE_CHECKING:

        def __getattr__(self, name: str, /) -> Any: ...

    def __getitem__(self, number: int, /) -> Any:
        return getattr(self, _cell_of(type(self), number))

    def __setitem__(self, number: int, cell: Any, /) -> None:
        setattr(self, _cell_of(type(self), number), cell)

    def __contains__(self, number: object, /) -> bool:
        numbers: Any = type(self).__numbers__
        return number in {*map(int, numbers)} and self[int(number)] is not UNSET


_CELLS: dict[type[Row], dict[int, str]] = {}


def cells_of(row: type[Row]) -> dict[int, str]:
    """Return the names of a row's cells by field number."""
    cells = _CELLS.get(row)
    if cells is None:
        numbers = map(int, row.__numbers__)
        cells = _CELLS[row] = dict(zip(numbers, row.__struct_fields__, strict=True))
    return cells


def _cell_of(row: type[Row], number: int) -> str:
    try:
        return cells_of(row)[number]
    except KeyError:
        raise KeyError(f"`{row.__name__}` has no field number {number}") from None


def cell_names(fields: Iterable[str]) -> list[str]:
    """Return a unique public name for the cell of each field.

    >>> cell_names(["hp", "__luck", "_hp", "_class", "_1"])
    ['hp', 'luck', 'hp_', 'class_', 'n1']
    """
    names: list[str] = []
    for field in fields:
        name = field.strip("_") or "field"
        if not name.isidentifier():
            name = f"n{name}"
        while keyword.iskeyword(name) or name in names:
            name += "_"
        names.append(name)
    return names


def partial_row(row: type[R], **cells: Any) -> R:
    """Return a row with the given cells; the others are `UNSET`.

    >>> class PlaceData(Row):
    ...     x: float
    ...     y: float
    >>> partial_row(PlaceData, y=2.0)
    PlaceData(x=UNSET, y=2.0)
    """
    return row(**{name: UNSET for name in row.__struct_fields__} | cells)


# -- values that do not fit


class Misfit(SaveError):
    """A value does not have the stored type of its field.

    `fault` says more than that its class is another; `path` leads to the part of the value.
    """

    def __init__(self, value: object, fault: str = "") -> None:
        self.value, self.fault, self.path = value, fault, ""

    def __str__(self) -> str:
        described = self.fault or f"it is {with_article(type(self.value).__qualname__)}"
        return f"at `{short_path(self.path)}`: {described}" if self.path else described

    def inside(self, step: str) -> Misfit:
        """Return the error of the value around the present one."""
        self.path = f"{step}{self.path}"
        return self


_MAX_PATH = 80


def short_path(path: str) -> str:
    """Return a path for a message, which leaves out the middle of a long one.

    >>> short_path(".next" * 50)
    '.next.next.next.next.next.next.next.next….next.next.next.next.next.next.next.next'
    """
    half = _MAX_PATH // 2
    return path if len(path) <= _MAX_PATH else f"{path[:half]}…{path[-half:]}"


def misfit(value: object) -> NoReturn:
    """Raise the error for a value that does not have the type of its field."""
    raise Misfit(value)


def unfit(field: str, value: object, description: str = "") -> SaveError:
    """Return the error for a value that does not fit its field and cannot be kept.

    `description` describes the value in more detail than its class.
    """
    return SaveError(
        f"{field} holds {description or with_article(type(value).__qualname__)}, which its annotation does"
        " not allow; assign another value, or change the annotation"
    )


def wrong_row(component: object, data: object) -> SaveError:
    """Return the error for loading data of one class into an object of another."""
    row = with_article(type(data).__name__)
    name = with_article(type(component).__qualname__)
    return SaveError(f"{row} cannot be loaded into {name}")
