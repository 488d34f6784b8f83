"""The few steps of copying that generated code cannot write in line."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
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


class Unhashed(list[Any]):
    """The members of a set, or the entries of a dict, that are found by the hash of objects.

    Rows hold them like this: an object that is being loaded may not have the fields yet that
    its hash is made of.

    >>> waiting = Unhashed(set, {7})
    >>> waiting, Unhashed.holds(waiting, set), Unhashed.holds(waiting, dict)
    ([7], True, False)
    """

    __slots__ = ("cls", "factory")

    def __init__(self, cls: type, members: Iterable[Any], factory: Any = None) -> None:
        super().__init__(members)
        self.cls = cls
        self.factory = factory  # of a `defaultdict`

    @staticmethod
    def holds(value: Any, cls: type) -> bool:
        """Tell whether `value` holds what a `cls` held."""
        return type(value) is Unhashed and value.cls is cls
