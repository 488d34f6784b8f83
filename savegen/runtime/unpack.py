"""Functions that generated code calls to unpack the cells of a row into values.

The functions are named like those in `savegen.runtime.pack`; generated code inlines the
shortest ones. For an invalid cell they raise `SaveError` or an error of the value's class.
"""

from __future__ import annotations

import weakref as _weakref
from copy import copy as _copy
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from savegen.runtime import arrays, standard_types
from savegen.runtime.errors import SaveError
from savegen.runtime.checks import is_literal

_new = object.__new__
_assign = object.__setattr__

# Values of classes of Python and numpy.
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


class _Gone:
    pass


def weak(target: Any) -> _weakref.ref[Any]:
    """Return a weak reference to `target`; for `None`, return a dead one.

    >>> weak(None)() is None
    True
    """
    return _weakref.ref(_Gone() if target is None else target)


def made(cls: Any, /, **fields: Any) -> Any:
    """Return an object of a dataclass or an attrs class, without running its `__init__`.

    >>> from fractions import Fraction
    >>> made(Fraction, _numerator=1, _denominator=2)
    Fraction(1, 2)
    """
    found = _new(cls)
    for name, value in fields.items():
        _assign(found, name, value)
    return found


_blanks: dict[type[Struct], Struct] = {}


def struct(cls: Any, /, **fields: Any) -> Any:
    """Return an object of a `msgspec.Struct`, without running its `__post_init__`."""
    if cls not in _blanks:
        _blanks[cls] = _blank(cls)
    found = _copy(_blanks[cls])
    for name, value in fields.items():
        force_setattr(found, name, value)
    return found


def _blank(cls: Any) -> Any:
    # Only `__init__` creates a struct, so a subclass with an empty `__post_init__` is used.
    names = {"__post_init__": _do_nothing, "__module__": cls.__module__}
    subclass = type(cls)(cls.__name__, (cls,), names, frozen=False)
    found = subclass(**dict.fromkeys(cls.__struct_fields__))
    found.__class__ = cls
    return found


def made_of(cls: Any, fields: dict[str, Any]) -> Any:
    """Return an object of a plain data class of any kind; only `fields` are set."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [fields[name] for name in cls._fields])
    if not issubclass(cls, Struct):
        return made(cls, **fields)
    found = struct(cls, **fields)
    for name in found.__struct_fields__:
        if name not in fields:
            delattr(found, name)
    return found


def _do_nothing(struct: object) -> None:
    pass
