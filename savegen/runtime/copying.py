"""Fields of objects, whatever their class does about them: set, listed, and their defaults."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields, force_setattr


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


def fields_of(cls: Any) -> tuple[str, ...] | None:
    """Return the fields of a class that is plain data by the way it was made; else `None`.

    >>> from typing import NamedTuple
    >>> class Vec2(NamedTuple):
    ...     x: float
    ...     y: float
    >>> fields_of(Vec2), fields_of(int)
    (('x', 'y'), None)
    """
    if not isinstance(cls, type):
        return None
    if hasattr(cls, "__dataclass_fields__"):
        from dataclasses import fields as fields_in  # the game has it loaded already

        return tuple(field.name for field in fields_in(cls))
    if attrs := getattr(cls, "__attrs_attrs__", None):
        return tuple(each.name for each in attrs)
    if issubclass(cls, Struct):
        return cls.__struct_fields__
    if issubclass(cls, tuple) and (names := getattr(cls, "_fields", None)):
        return tuple(names)
    return None


def is_frozen(cls: Any) -> bool:
    """Return whether objects of a plain class cannot change."""
    config = getattr(cls, "__dataclass_params__", None)
    config = config or getattr(cls, "__struct_config__", None)
    if config is not None:
        return bool(config.frozen)
    guard = getattr(cls.__setattr__, "__name__", "")
    return issubclass(cls, tuple) or guard == "_frozen_setattrs"  # of attrs


class _Gone:
    pass


def weak(target: Any) -> weakref.ref[Any]:
    """Return a weak reference to `target`; to `None`, one whose object is gone.

    >>> weak(None)() is None
    True
    """
    return weakref.ref(_Gone() if target is None else target)


def default_of(cls: Any, name: str) -> Callable[[], Any] | None:
    """Return what makes the default of a field of a plain class; `None` if it has none.

    >>> from typing import NamedTuple
    >>> class Vec2(NamedTuple):
    ...     x: float
    ...     y: float = 0.5
    >>> default_of(Vec2, "y")(), default_of(Vec2, "x")
    (0.5, None)
    """
    if hasattr(cls, "__dataclass_fields__"):
        return _of_dataclass(cls.__dataclass_fields__[name])
    for each in getattr(cls, "__attrs_attrs__", ()):
        if each.name == name:
            return _of_attrs(each)
    if issubclass(cls, Struct):
        return _of_struct(cls, name)
    defaults = getattr(cls, "_field_defaults", {})
    return (lambda: defaults[name]) if name in defaults else None


def _of_dataclass(field: Any) -> Callable[[], Any] | None:
    from dataclasses import MISSING  # the game has it loaded already

    if field.default_factory is not MISSING:
        made: Callable[[], Any] = field.default_factory
        return made
    return None if field.default is MISSING else lambda: field.default


def _of_attrs(field: Any) -> Callable[[], Any] | None:
    default = field.default
    if factory := getattr(default, "factory", None):
        return None if default.takes_self else factory
    return None if default is sys.modules["attr"].NOTHING else lambda: default


def _of_struct(cls: Any, name: str) -> Callable[[], Any] | None:
    (field,) = (each for each in fields(cls) if each.name == name)
    if field.default_factory is not NODEFAULT:
        made: Callable[[], Any] = field.default_factory
        return made
    return None if field.default is NODEFAULT else lambda: field.default
