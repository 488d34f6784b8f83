"""Properties that are set through their setters."""

from __future__ import annotations

from typing import Any

from savegen.runtime.copying import set_field
from savegen.runtime.packing import differ


def set_property(target: Any, name: str, value: Any) -> None:
    """Set a property, unless it has the value already: a setter may refuse, or do much.

    >>> class Door:
    ...     @property
    ...     def angle(self):
    ...         return 0.0
    >>> set_property(Door(), "angle", 0.0)  # it has no setter
    """
    try:
        if _is_same(getattr(target, name), value):
            return
    except AttributeError:  # it is not set yet
        pass
    set_field(target, name, value)


def _is_same(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) in (list, tuple):
        return len(left) == len(right) and all(map(_is_same, left, right))
    return type(left) in _NATIVE and not differ(left, right)


_NATIVE = (bool, int, float, str, bytes)
