"""Values that do not fit their fields, such as attributes that are not set."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from savegen.runtime.errors import EXHAUSTED, exhausted
from savegen.runtime.values.libraries.fields import set_field


class _NotSet:
    """The type of `NOT_SET`, which no field of a game declares."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<not set>"


NOT_SET: Any = _NotSet()
"""Stands for an attribute that is not set."""


def value_of(obj: Any, attribute: str) -> Any:
    """Return the value of an attribute; `NOT_SET` if it is not set, or if reading it raises.

    Raises `ExhaustedError` if reading it runs out of memory, or of nested calls.
    """
    try:
        return attrgetter(attribute)(obj)
    except EXHAUSTED as error:
        where = f"`{type(obj).__qualname__}.{attribute}`"
        raise exhausted(where, error) from error
    except Exception:  # by a property or `__getattr__` of the game
        return NOT_SET


def set_value(obj: Any, attribute: str, value: Any) -> None:
    """Set an attribute to exactly the given value; `NOT_SET` deletes it."""
    owner, _, name = attribute.rpartition(".")
    target = attrgetter(owner)(obj) if owner else obj
    if value is not NOT_SET:
        set_field(target, name, value)
        return
    try:
        object.__delattr__(target, name)
    except AttributeError:  # it is not set, or is an attribute of the class
        pass
