"""Values without parts: scalars, constants, and objects."""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import threading
import uuid
import weakref
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from operator import eq, is_
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks._base import Check, Fault, Resolve, types_of
from savegen.runtime.components import SaveLoadable


class _OneOf(Check):
    """Exactly these types: an instance of a subclass would not come back the same."""

    def __init__(self, wanted: str, *types: type) -> None:
        super().__init__(wanted)
        self.types = types

    def fits(self, value: Any) -> bool:
        cls = type(value)
        for each in self.types:  # not `in`: that would ask a metaclass of the game's
            if cls is each:
                return True
        return False

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        types = types_of(left, right)
        if len(types) == 1 and types <= plain.EXACT:
            return bytes(map(eq, left, right))
        return super().compare(left, right)


class _Float(_OneOf):
    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        if types_of(left, right) != {float}:
            return super().compare(left, right)
        return bytes(map(eq, _bits(left), _bits(right)))

    def same(self, left: Any, right: Any) -> bool:
        if type(left) is float is type(right):
            return left is right or plain.same_float(left, right)
        return plain.same(left, right)


def _bits(values: list[float]) -> memoryview:
    """Return floats as whole numbers: equal only if they are the same to the last bit."""
    return memoryview(array("d", values)).cast("B").cast("Q")


class _Changing(_OneOf):
    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value


class _InstanceOf(Check):
    def __init__(self, wanted: str, cls: type) -> None:
        super().__init__(wanted)
        self._class = cls

    def fits(self, value: Any) -> bool:
        return isinstance(value, self._class)


class _Dead(threading.local):
    are_none = False


_dead = _Dead()


@contextmanager
def dead_are_none() -> Iterator[None]:
    """Let `None` stand in for any object: a load leaves it where a destroyed one was.

    A world in which it does can be saved for all that.
    """
    before, _dead.are_none = _dead.are_none, True
    try:
        yield
    finally:
        _dead.are_none = before


class _Reference(Check):
    """An object: there is only one of it."""

    is_object = True
    leaves_none_out = True

    def fits(self, value: Any) -> bool:
        return isinstance(value, SaveLoadable)

    def fault(self, value: Any) -> Fault | None:
        return None if value is None and _dead.are_none else super().fault(value)

    def same(self, left: Any, right: Any) -> bool:
        return left is right

    def compare(self, left: list[Any], right: list[Any]) -> bytes:
        return bytes(map(is_, left, right))

    def write(self, value: Any, name: plain.Name) -> bytes:
        return plain.framed("reference", () if value is None else [name(value)])

    def reach(self, values: list[Any]) -> list[Any]:
        return values

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        return None if value is None else resolve(value)


class _WeakReference(_Reference):
    leaves_none_out = False  # one to what is gone is a weak reference all the same

    def fits(self, value: Any) -> bool:
        return type(value) is weakref.ref


NONE = _OneOf("None", type(None))
BOOL = _OneOf("bool", bool)
INT = _OneOf("int", int, bool)
FLOAT = _Float("float", float, int, bool)
COMPLEX = _OneOf("complex", complex, float, int, bool)
STR = _OneOf("str", str)
BYTES = _OneOf("bytes", bytes)
BYTEARRAY = _Changing("bytearray", bytearray)
DECIMAL = _OneOf("Decimal", decimal.Decimal)
FRACTION = _OneOf("Fraction", fractions.Fraction)
DATE = _OneOf("date", datetime.date, datetime.datetime)
TIME = _OneOf("time", datetime.time)
DATETIME = _OneOf("datetime", datetime.datetime)
TIMEDELTA = _OneOf("timedelta", datetime.timedelta)
UUID = _OneOf("UUID", uuid.UUID)
PATH = _InstanceOf("path", pathlib.PurePath)
ARRAY = _Changing("array", array)
REFERENCE = _Reference("saveable object")
WEAK_REFERENCE = _WeakReference("weak reference")


_IS_LITERAL = _OneOf("literal", str, int, bool, bytes, type(None))


class Literals(Check):
    """One of a few constants, of the very type that was written."""

    def __init__(self, *values: Any) -> None:
        super().__init__("one of " + ", ".join(map(repr, values)))
        self.values = values
        self._known = frozenset((type(value), value) for value in values)

    def fits(self, value: Any) -> bool:
        return _IS_LITERAL.fits(value) and (type(value), value) in self._known
