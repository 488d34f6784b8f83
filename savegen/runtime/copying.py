"""The few steps of copying that generated code cannot write in line."""

from __future__ import annotations

import weakref
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

_T = TypeVar("_T")


def set_field(target: Any, name: str, value: Any) -> None:
    """Set the field itself, whatever the class does when one is assigned, or refuses to do.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> set_field(half, "_denominator", 3)
    >>> half
    Fraction(1, 3)
    """
    if isinstance(target, Struct):
        force_setattr(target, name, value)
    else:
        object.__setattr__(target, name, value)


def blank(value: _T) -> _T:
    """Return a new object of the type of `value`, none of its fields set.

    >>> class Point:
    ...     pass
    >>> type(blank(Point())).__name__
    'Point'
    """
    cls: Any = type(value)
    made: _T = cls.__new__(cls)
    return made


class _Gone:
    pass


def weak(target: Any) -> weakref.ref[Any]:
    """Return a weak reference to `target`; to `None`, one whose object is gone.

    >>> weak(None)() is None
    True
    """
    return weakref.ref(_Gone() if target is None else target)
