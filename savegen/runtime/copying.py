"""The few steps of copying that generated code cannot write in line."""

from __future__ import annotations

import weakref
from typing import Any, TypeVar

_T = TypeVar("_T")

set_field = object.__setattr__  # the field itself: no setter of the class's runs


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
