"""Values of the standard library that have no parts: numbers, dates, bytes, paths."""

from __future__ import annotations

import pathlib
import sys
import uuid
from array import array
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from savegen.runtime.errors import EXHAUSTED, ExhaustedError
from savegen.runtime.values.libraries import standard_types as standard
from savegen.runtime.values.kinds.kind import (
    StoredKind,
    NameOf,
    Opaque,
    Packing,
    enter,
    is_array,
    one_line,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType

Function = Callable[[Any], Any]


class Standard(StoredKind):
    """A class with functions that pack and unpack its values.

    `blank` is a cell; if it is an array, all cells have its length, and parts of its types.
    """

    def __init__(
        self,
        cls: type,
        blank: Any,
        pack: Function,
        unpack: Function,
        content: Function,
        made: Callable[[Any, Any], Any],
    ) -> None:
        self.cls, self.blank = cls, blank
        self.types = None if is_array(blank) else frozenset([type(blank)])
        self._pack, self._unpack, self._content, self._made = (
            pack,
            unpack,
            content,
            made,
        )

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        blank = self.blank
        if not is_array(blank):
            return type(cell) is type(blank)
        if not is_array(cell) or len(cell) != len(blank):
            return False
        return all(type(part) is type(other) for part, other in zip(cell, blank))

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not self.cls:
            raise Misfit(value)
        return self._pack(value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return cell if type(cell) is Opaque else self._unpack(cell)

    def content(self, value: Any) -> Any:
        return self._content(value)

    def made(self, cls: Any, content: Any) -> Any:
        return self._made(cls, content)

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return text_of(self, stored, cell)


def text_of(kind: StoredKind, stored: StoredType, cell: Any) -> str:
    """Return the `repr` of the value of a cell; of the cell, if the value cannot be made."""
    try:
        return one_line(repr(kind.unpack(stored, cell, None)))
    except (ExhaustedError, *EXHAUSTED):
        raise
    except Exception:  # no numpy, an unknown time zone, a million digits
        return f"<{stored.name} {cell!r}>"


class Path(StoredKind):
    """A path of this or another system."""

    blank, types = ".", frozenset([str])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if not standard.is_path(value):
            raise Misfit(value)
        return standard.pack_path(value)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        return standard.unpack_path(cell, "path")

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return text_of(self, stored, cell)

    def content(self, value: Any) -> Any:
        base = next(c for c in type(value).__mro__ if c in standard.FLAVOURS)
        return base(pathlib.PurePath.__str__(value))

    def made(self, cls: Any, content: Any) -> Any:
        if sys.version_info < (3, 12):
            return pathlib.PurePath.__new__(cls, str(content))
        path = object.__new__(cls)
        pathlib.PurePath.__init__(path, str(content))
        return path


def _rebuilt_as(base: Any) -> Function:
    """Return what makes a value of a class of dates from one of a subclass."""

    # C functions of the base, which do not call the subclass.
    return lambda value: base(*base.__reduce_ex__(value, 4)[1])


def _made_of_state(base: Any) -> Callable[[Any, Any], Any]:
    return lambda cls, value: base.__new__(cls, *base.__reduce_ex__(value, 4)[1])


def _span(value: Any) -> timedelta:
    days, seconds, microseconds = (
        vars(timedelta)[name].__get__(value)
        for name in ("days", "seconds", "microseconds")
    )
    return timedelta(days, seconds, microseconds)


def _span_of(cls: Any, span: timedelta) -> Any:
    return timedelta.__new__(cls, span.days, span.seconds, span.microseconds)


def _with_slots(base: Any, *names: str) -> tuple[Function, Callable[[Any, Any], Any]]:
    """Return what takes and what makes values of a class in Python that has slots."""

    def made(cls: Any, content: Any) -> Any:
        value = object.__new__(cls)
        for name in names:
            vars(base)[name].__set__(value, vars(base)[name].__get__(content))
        return value

    return lambda value: made(base, value), made


def _bytes_of(cls: Any, content: bytearray) -> Any:
    made = bytearray.__new__(cls)
    bytearray.__init__(made, content)
    return made


_FRACTION = _with_slots(Fraction, "_numerator", "_denominator")
_UUID = _with_slots(uuid.UUID, "int", "is_safe")
_MAKERS: dict[str, tuple[Any, Function, Callable[[Any, Any], Any]]] = {
    "complex": (
        (0.0, 0.0),
        complex.__complex__,
        lambda cls, value: complex.__new__(cls, value),
    ),
    "decimal": (
        "0",
        lambda value: standard.unpack_decimal(standard.pack_decimal(value)),
        lambda cls, value: Decimal.__new__(cls, value, standard.EXACT),
    ),
    "fraction": ("0/1", *_FRACTION),
    "date": ("0001-01-01", _rebuilt_as(date), _made_of_state(date)),
    "time": ("00:00:00", _rebuilt_as(time), _made_of_state(time)),
    "datetime": (
        "0001-01-01T00:00:00",
        _rebuilt_as(datetime),
        _made_of_state(datetime),
    ),
    "timedelta": ((0, 0, 0), _span, _span_of),
    "uuid": (bytes(16), *_UUID),
    "bytearray": (b"", lambda value: bytearray.__add__(value, b""), _bytes_of),
    "array": (
        ("b1", b""),
        lambda value: array(
            vars(array)["typecode"].__get__(value), array.tolist(value)
        ),
        lambda cls, value: array.__new__(cls, value.typecode, value.tolist()),
    ),
}
for _name, (_blank, _content, _made) in _MAKERS.items():
    _cls, _pack, _unpack = standard.STANDARD_TYPES[_name]
    _kind = Standard(_cls, _blank, _pack, _unpack, _content, _made)
    _kind.is_mutable = _name in ("bytearray", "array")
    enter(_kind, _name)
enter(Path(), "path")
