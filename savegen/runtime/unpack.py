"""What generated code calls to get values back from the cells of a row.

The functions have the names of those in `savegen.runtime.pack`; what is shorter than a call is
written where it is needed. For a cell that no value packs to they raise `SaveError` or an
error of the value's class.
"""

from __future__ import annotations

import weakref as _weakref
from copy import copy as _copy
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from savegen.runtime import arrays, leaves
from savegen.runtime.errors import SaveError
from savegen.runtime.packing import is_literal

_new = object.__new__
_assign = object.__setattr__

# Values of Python's own classes, and of numpy's.
array = leaves.unpack_array
complex = leaves.unpack_complex
date = leaves.unpack_date
datetime = leaves.unpack_datetime
decimal = leaves.unpack_decimal
flag = leaves.unpack_flag
fraction = leaves.unpack_fraction
path = leaves.unpack_path
time = leaves.unpack_time
timedelta = leaves.unpack_timedelta
uuid = leaves.unpack_uuid
ndarray = arrays.unpack_ndarray
number = arrays.unpack_number


def literal(cell: Any, *constants: Any) -> Any:
    if is_literal(cell, *constants):
        return cell
    raise SaveError(f"{cell!r} is not one of {', '.join(map(repr, constants))}")


class _Gone:
    pass


def weak(target: Any) -> _weakref.ref[Any]:
    """Return a weak reference to `target`; to `None`, one whose object is gone.

    >>> weak(None)() is None
    True
    """
    return _weakref.ref(_Gone() if target is None else target)


def made(cls: Any, /, **fields: Any) -> Any:
    """Return an object of a dataclass or an attrs class, whose `__init__` does not run.

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
    """Return an object of a `msgspec.Struct`, whose `__post_init__` does not run."""
    if cls not in _blanks:
        _blanks[cls] = _blank(cls)
    found = _copy(_blanks[cls])
    for name, value in fields.items():
        force_setattr(found, name, value)
    return found


def _blank(cls: Any) -> Any:
    # There is no other way to a struct than its `__init__`: that of a subclass does nothing.
    names = {"__post_init__": _do_nothing, "__module__": cls.__module__}
    subclass = type(cls)(cls.__name__, (cls,), names, frozen=False)
    found = subclass(**dict.fromkeys(cls.__struct_fields__))
    found.__class__ = cls
    return found


def made_of(cls: Any, fields: dict[str, Any]) -> Any:
    """Return an object of a plain class of any sort; what is not among `fields` is not set."""
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
