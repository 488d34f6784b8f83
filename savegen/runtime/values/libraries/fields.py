"""Functions that set and list the fields of any object, and find the defaults of fields."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from msgspec import NODEFAULT, Struct, structs

from savegen.runtime.values.checks import differ_in_parts
from savegen.runtime.errors import with_article
from savegen.runtime.values.libraries.presets import LAYER
from savegen.runtime.values.libraries.sprites import groups_of

Default = Callable[[type], Any]
"""Makes the default of a field, given the game's class."""

# -- setting


def set_field(target: Any, name: str, value: Any) -> None:
    """Set a field directly, even if the class intercepts or forbids assignment.

    >>> from dataclasses import make_dataclass
    >>> point = make_dataclass("Point", ["x"], frozen=True)(1)
    >>> set_field(point, "x", 3)
    >>> point
    Point(x=3)
    """
    try:
        object.__setattr__(target, name, value)
    except TypeError:  # a `msgspec.Struct` does not allow it
        structs.force_setattr(target, name, value)


def set_property(target: Any, name: str, value: Any) -> None:
    """Set a property, unless it already has the value.

    This avoids calling a setter that is missing, slow or has side effects.

    >>> class Door:
    ...     @property
    ...     def angle(self):
    ...         return 0.0
    >>> set_property(Door(), "angle", 0.0)  # it has no setter
    """
    try:
        if not differ_in_parts(getattr(target, name), value):
            return
    except AttributeError:  # the property is not readable yet
        pass
    try:
        set_field(target, name, value)
    except AttributeError:
        # pygame lets only a group change the layer of a sprite that is in groups.
        if name != "layer" or not groups_of(target):
            raise
        set_field(target, LAYER, value)


def set_place(owner: Any, name: str, x: float, y: float, z: float) -> None:
    """Assign a position to an attribute, as a value of the same form as its present one.

    Raises `AttributeError` if the object has no such attribute, and `TypeError` if its value
    does not consist of two or three numbers.

    >>> class Hero:
    ...     pos = [0.0, 0.0]
    >>> hero = Hero()
    >>> set_place(hero, "pos", 3.5, 4.0, 0.0)
    >>> hero.pos
    [3.5, 4.0]
    """
    setattr(owner, name, _with_numbers(getattr(owner, name), (x, y, z)))


def _with_numbers(value: Any, numbers: tuple[float, float, float]) -> Any:
    cls = type(value)
    if isinstance(value, complex):
        return cls(*numbers[:2])
    fields = fields_of(cls)
    try:
        count = len(value) if fields is None else len(fields)
    except TypeError:
        count = 0
    if count not in (2, 3) or isinstance(value, (str, bytes, dict)):
        raise TypeError(f"a position cannot be {with_article(cls.__qualname__)}")
    if cls in (tuple, list):
        return cls(numbers[:count])
    if hasattr(value, "dtype"):  # an array of numpy
        changed = value.copy()
        changed[:] = numbers[:count]
        return changed
    return cls(*numbers[:count])


# -- classes that are plain data


def fields_of(cls: Any) -> tuple[str, ...] | None:
    """Return the fields of a dataclass, attrs class, struct or named tuple; else `None`.

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
        from dataclasses import fields  # its users have imported it already

        return tuple(field.name for field in fields(cls))
    if attrs := getattr(cls, "__attrs_attrs__", None):
        return tuple(field.name for field in attrs)
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
    setter = getattr(cls.__setattr__, "__name__", "")
    return issubclass(cls, tuple) or setter == "_frozen_setattrs"  # set by attrs


# -- defaults


def default_of(cls: type, name: str) -> Default | None:
    """Return the default of a field as a factory, if the class or a base declares one.

    The default is declared by a dataclass, an attrs class, a `msgspec.Struct` or a `NamedTuple`,
    or it is a class attribute.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(slots=True)
    ... class Goblin:
    ...     name: str
    ...     hp: int = 7
    ...     grudges: list[str] = field(default_factory=list)
    >>> default_of(Goblin, "hp")(Goblin), default_of(Goblin, "grudges")(Goblin)
    (7, [])
    >>> default_of(Goblin, "name") is None
    True
    """
    for base in cls.__mro__:
        declaration = _declaration(base, name)
        if declaration is not None:
            return _factory(*declaration)
        # A descriptor (a slot, a property, a method) is not a default value.
        value = vars(base).get(name, NODEFAULT)
        if value is not NODEFAULT and not hasattr(type(value), "__get__"):
            return lambda cls: value
    return None


def _factory(value: Any, factory: Any, missing: Any) -> Default | None:
    """Return the default as a factory; `missing` stands for a missing value or factory."""
    if factory is not missing:
        return lambda cls: factory()
    return None if value is missing else lambda cls: value


def _declaration(base: Any, name: str) -> tuple[Any, Any, Any] | None:
    """Return the arguments of `_factory`, if the class itself declares the field."""
    if field := vars(base).get("__dataclass_fields__", {}).get(name):
        from dataclasses import MISSING  # its users have imported it already

        return field.default, field.default_factory, MISSING
    for field in vars(base).get("__attrs_attrs__", ()):
        if field.name == name:
            return _of_attrs(field.default)
    if name in getattr(base, "__struct_fields__", ()):
        (field,) = (f for f in structs.fields(base) if f.name == name)
        return field.default, field.default_factory, NODEFAULT
    if name in vars(base).get("_field_defaults", ()):
        return base._field_defaults[name], NODEFAULT, NODEFAULT
    return None


def _of_attrs(default: Any) -> tuple[Any, Any, Any]:
    attrs: Any = sys.modules["attr"]
    if not isinstance(default, attrs.Factory):
        return default, attrs.NOTHING, attrs.NOTHING
    # A factory that takes the object needs fields that are not set yet.
    factory = attrs.NOTHING if default.takes_self else default.factory
    return attrs.NOTHING, factory, attrs.NOTHING
