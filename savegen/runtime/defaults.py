"""What a field is where an older save lacks it, as far as the game's class tells that itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Any

import msgspec

Default = Callable[[type], Any]  # given the game's class, makes a new one


def declared(
    cls: type, fields: Mapping[int, str], written: Mapping[int, Default] = {}
) -> dict[int, Default]:
    """Return what makes a new default of each field, by number; without those that have none.

    `fields` are the attributes by number. What is `written` counts first. A class tells the
    others itself, by a value of its own or as a dataclass, an attrs class or a `msgspec.Struct`.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(slots=True)
    ... class Goblin:
    ...     name: str
    ...     hp: int = 7
    ...     grudges: list[str] = field(default_factory=list)
    >>> found = declared(Goblin, {16: "name", 17: "hp", 18: "grudges"})
    >>> {number: default(Goblin) for number, default in found.items()}
    {17: 7, 18: []}
    """
    told = ((number, told_by(cls, name)) for number, name in fields.items())
    return {**{n: default for n, default in told if default}, **written}


def told_by(cls: type, attribute: str) -> Default | None:
    """Return what makes a new default of one field, if the class or a base of it declares one."""
    for base in cls.__mro__:
        for names, default_of in _STYLES:
            if names(base, attribute):
                return default_of(base, attribute)
        # A descriptor is no value of the objects': a slot, a property, a method.
        found = vars(base).get(attribute, MISSING)
        if found is not MISSING and not hasattr(type(found), "__get__"):
            return _constant(found)
    return None


def _constant(value: Any) -> Default:
    return lambda cls: value


def _made(factory: Callable[[], Any]) -> Default:
    return lambda cls: factory()


def _is_dataclass_field(base: type, attribute: str) -> bool:
    return attribute in vars(base).get("__dataclass_fields__", ())


def _of_dataclass(base: Any, attribute: str) -> Default | None:
    found = base.__dataclass_fields__[attribute]
    if found.default_factory is not MISSING:
        return _made(found.default_factory)
    return None if found.default is MISSING else _constant(found.default)


def _is_attrs_field(base: type, attribute: str) -> bool:
    described = vars(base).get("__attrs_attrs__", ())
    return any(each.name == attribute for each in described)


def _of_attrs(base: Any, attribute: str) -> Default | None:
    attr: Any = sys.modules["attr"]
    default = getattr(base.__attrs_attrs__, attribute).default
    if isinstance(default, attr.Factory):
        # One that takes the object wants fields that it has not yet.
        return None if default.takes_self else _made(default.factory)
    return None if default is attr.NOTHING else _constant(default)


def _is_struct_field(base: Any, attribute: str) -> bool:
    is_struct = isinstance(base, type(msgspec.Struct)) and base is not msgspec.Struct
    return is_struct and attribute in base.__struct_fields__


def _of_struct(base: Any, attribute: str) -> Default | None:
    fields = msgspec.structs.fields(base)
    found = next(field for field in fields if field.name == attribute)
    if found.default_factory is not msgspec.NODEFAULT:
        return _made(found.default_factory)
    return None if found.default is msgspec.NODEFAULT else _constant(found.default)


# Ways to describe fields: whether a class does so with one, and what it says.
_STYLES = (
    (_is_dataclass_field, _of_dataclass),
    (_is_attrs_field, _of_attrs),
    (_is_struct_field, _of_struct),
)
