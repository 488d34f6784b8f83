"""What generated code calls to get values back from the cells of a row.

The functions have the names of those in `savegen.runtime.pack`; what is shorter than a call is
written where it is needed. For a cell that no value packs to they raise `SaveError` or an
error of the value's class.
"""

from __future__ import annotations

from copy import copy as _copy
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from savegen.runtime.arrays import unpack_ndarray as ndarray
from savegen.runtime.arrays import unpack_number as number
from savegen.runtime.copying import weak as weak
from savegen.runtime.errors import SaveError
from savegen.runtime.leaves import unpack_array as array
from savegen.runtime.leaves import unpack_complex as complex
from savegen.runtime.leaves import unpack_date as date
from savegen.runtime.leaves import unpack_datetime as datetime
from savegen.runtime.leaves import unpack_decimal as decimal
from savegen.runtime.leaves import unpack_flag as flag
from savegen.runtime.leaves import unpack_fraction as fraction
from savegen.runtime.leaves import unpack_path as path
from savegen.runtime.leaves import unpack_time as time
from savegen.runtime.leaves import unpack_timedelta as timedelta
from savegen.runtime.leaves import unpack_uuid as uuid
from savegen.runtime.packing import is_literal

__all__ = [
    "array",
    "complex",
    "date",
    "datetime",
    "decimal",
    "flag",
    "fraction",
    "literal",
    "made",
    "ndarray",
    "number",
    "path",
    "struct",
    "time",
    "timedelta",
    "uuid",
    "weak",
]

_new = object.__new__
_assign = object.__setattr__


def literal(cell: Any, *constants: Any) -> Any:
    if is_literal(cell, *constants):
        return cell
    raise SaveError(f"{cell!r} is not one of {', '.join(map(repr, constants))}")


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


def _do_nothing(struct: object) -> None:
    pass
