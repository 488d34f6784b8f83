"""Functions that generated code calls to turn the cells of a row into values.

They are the reverse of the functions in `savegen.runtime.values.pack`, under the same names. The shortest
ones are inlined in generated code. For an invalid cell they raise `SaveError` or an error of the
value's class.
"""

from __future__ import annotations

import weakref as _weakref
from collections.abc import Callable, MutableSequence
from copy import copy as _copy
from functools import partial
from operator import itemgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from savegen.runtime.values.libraries import arrays, standard_types
from savegen.runtime.errors import SaveError
from savegen.runtime.values.libraries.caches import RENEWALS
from savegen.runtime.values.checks import is_literal
from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.values.libraries.methods import method_of
from savegen.runtime.values.libraries.sprites import Content, sprite_group

_new = object.__new__
_assign = object.__setattr__

# Types of the standard library and of numpy.
array = standard_types.unpack_array
complex = standard_types.unpack_complex
date = standard_types.unpack_date
datetime = standard_types.unpack_datetime
decimal = standard_types.unpack_decimal
flag = standard_types.unpack_flag
fraction = standard_types.unpack_fraction
path = standard_types.unpack_path
time = standard_types.unpack_time
timedelta = standard_types.unpack_timedelta
uuid = standard_types.unpack_uuid
ndarray = arrays.unpack_ndarray
number = arrays.unpack_number


def literal(cell: Any, *constants: Any) -> Any:
    if is_literal(cell, *constants):
        return cell
    raise SaveError(f"{cell!r} is not one of {', '.join(map(repr, constants))}")


def generator(cell: Any, references: References) -> Any:
    """Return the random generator with a key."""
    return references._generator(cell)


def group(cell: Any, cls: Any, references: References, existing: Any = None) -> Any:
    """Return a group of the sprites with the given keys: the existing one, or a new one of `cls`.

    A load fills it when all sprites have their fields.
    """
    found = sprite_group(existing)
    if found is None:
        found = sprite_group(cls())
    assert found is not None
    pairs = [(references.get_component(key), layer) for key, layer in cell]
    pairs = [pair for pair in pairs if isinstance(pair[0], found.sprite_class)]
    has_layers = bool(pairs) and all(layer is not None for _, layer in pairs)
    if has_layers:
        pairs.sort(key=itemgetter(1))
    layers = [layer for _, layer in pairs] if has_layers else None
    saved = Content([sprite for sprite, _ in pairs], layers)
    references._when_filled(partial(found.refill, saved, references._stays_in_group))
    return found.group


def class_(cell: Any, references: References) -> Any:
    """Return the saveable class with a number."""
    return references._class_at(cell)


def method(cell: Any, references: References) -> Any:
    """Return the bound method of a cell, which has the key of its object and its name."""
    key, name = cell
    return method_of(references.get_component(key), name, references)


def set_of(cell: Any, references: References) -> set[Any]:
    """Return a set of the objects with the given keys; a load may fill it later.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> set_of([0], NO_REFERENCES)
    {None}
    """
    return references._set_of(cell)


def when_filled(references: References, step: Callable[[], object]) -> None:
    """Run a step that hashes objects; during a load, after all objects have their fields."""
    references._when_filled(step)


class _FreedObject:
    pass


def weak(target: Any) -> _weakref.ref[Any]:
    """Return a weak reference to `target`; for `None`, return a dead one.

    >>> weak(None)() is None
    True
    """
    return _weakref.ref(_FreedObject() if target is None else target)


def made(cls: Any, /, **fields: Any) -> Any:
    """Return an object of a dataclass or an attrs class, without running its `__init__`.

    Its `__post_init__` runs only if the hash of the object needs it.

    >>> from dataclasses import make_dataclass
    >>> made(make_dataclass("Point", ["x", "y"], frozen=True), x=1, y=2)
    Point(x=1, y=2)
    """
    obj = _new(cls)
    for name, value in fields.items():
        _assign(obj, name, value)
    if (renew := RENEWALS[cls]) is not None:
        renew(obj)
    return obj


def existing(obj: Any, name: str) -> Any:
    """Return an attribute; `None` if it is not set, or if reading it raises."""
    try:
        return getattr(obj, name, None)
    except Exception:  # by a `__getattr__` of the game
        return None


def keeping(value: Any, before: Any, *names: str) -> Any:
    """Return a new value; the named attributes of its plain objects are those of `before`.

    No save has them, because they are no fields. The members of a container are compared by
    position, or by key.
    """
    if type(value) is not type(before) or is_saveable_object(value):
        return value
    if hasattr(value, "__dict__"):
        for name, new in value.__dict__.items():
            keeping(new, before.__dict__.get(name), *names)
        for name in before.__dict__.keys() & names:
            _assign(value, name, before.__dict__[name])
    if isinstance(value, dict):
        for key in value.keys() & before.keys():
            keeping(value[key], before[key], *names)
    elif isinstance(value, (MutableSequence, tuple)):
        for new, old in zip(value, before):
            keeping(new, old, *names)
    return value


_blanks: dict[type[Struct], Struct] = {}


def struct(cls: Any, /, **fields: Any) -> Any:
    """Return an object of a `msgspec.Struct`, without running its `__post_init__`."""
    if cls not in _blanks:
        _blanks[cls] = _blank(cls)
    obj = _copy(_blanks[cls])
    for name, value in fields.items():
        force_setattr(obj, name, value)
    return obj


def _blank(cls: Any) -> Any:
    # A struct is created by its `__init__`, which calls `__post_init__`; a subclass avoids that.
    names = {"__post_init__": _do_nothing, "__module__": cls.__module__}
    subclass = type(cls)(cls.__name__, (cls,), names, frozen=False)
    obj = subclass(**dict.fromkeys(cls.__struct_fields__))
    obj.__class__ = cls
    return obj


def made_of(cls: Any, fields: dict[str, Any]) -> Any:
    """Return an object of a named tuple, a struct or a dataclass; set only `fields`."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [fields[name] for name in cls._fields])
    if not issubclass(cls, Struct):
        return made(cls, **fields)
    obj = struct(cls, **fields)
    for name in obj.__struct_fields__:
        if name not in fields:
            delattr(obj, name)
    return obj


def _do_nothing(struct: object) -> None:
    pass
