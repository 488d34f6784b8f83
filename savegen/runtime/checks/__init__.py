"""Do the values of a field fit its annotation? Are two of them the same?

A check is built once, when a generated module is imported, from the annotation that the
generator read. Asked for a value it returns nothing, or the first `Fault` that it finds.

It also knows values as they are in rows, where an object stands for itself: it compares two
exactly, writes one as bytes, finds the objects in it, and puts others in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from savegen.runtime.checks._base import Check, Fault
from savegen.runtime.checks._classes import EnumMember, Keys, UserType
from savegen.runtime.checks._containers import (
    Entries,
    Items,
    Places,
    counter_of,
    defaultdict_of,
    deque_of,
    dict_of,
    frozenset_of,
    list_of,
    ordered_dict_of,
    set_of,
    tuple_of,
)
from savegen.runtime.checks._leaves import (
    ARRAY,
    BOOL,
    BYTEARRAY,
    BYTES,
    COMPLEX,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    FRACTION,
    INT,
    NONE,
    PATH,
    REFERENCE,
    STR,
    TIME,
    TIMEDELTA,
    UUID,
    WEAK_REFERENCE,
    Literals,
    dead_are_none,
)
from savegen.runtime.checks._library import (
    CLASS,
    NDARRAY,
    NUMPY_GENERATOR,
    RANDOM,
    Asset,
    Foreign,
    Member,
    NumpyScalar,
)
from savegen.runtime.checks._unions import AnyOf, optional
from savegen.runtime.errors import SaveError

__all__ = [
    "ARRAY",
    "BOOL",
    "BYTEARRAY",
    "BYTES",
    "CLASS",
    "COMPLEX",
    "DATE",
    "DATETIME",
    "DECIMAL",
    "FLOAT",
    "FRACTION",
    "INT",
    "NDARRAY",
    "NONE",
    "NUMPY_GENERATOR",
    "PATH",
    "RANDOM",
    "REFERENCE",
    "STR",
    "TIME",
    "TIMEDELTA",
    "UUID",
    "WEAK_REFERENCE",
    "AnyOf",
    "Asset",
    "Check",
    "Entries",
    "EnumMember",
    "Fault",
    "Foreign",
    "Items",
    "Keys",
    "Literals",
    "Member",
    "NumpyScalar",
    "Places",
    "UserType",
    "check_fields",
    "counter_of",
    "dead_are_none",
    "defaultdict_of",
    "deque_of",
    "dict_of",
    "frozenset_of",
    "list_of",
    "optional",
    "ordered_dict_of",
    "set_of",
    "tuple_of",
]


def check_fields(component: Any, checks: Mapping[str, Check]) -> None:
    """Raise `SaveError` if an attribute of `component` holds what it must not.

    An attribute that is not set is not looked at.

    >>> class Goblin:
    ...     hp = "7"
    >>> check_fields(Goblin(), {"hp": INT, "name": STR})
    Traceback (most recent call last):
    savegen.runtime.errors.SaveError: `Goblin.hp` holds a str, not int
    """
    for name, check in checks.items():
        try:
            value = getattr(component, name)
        except AttributeError:
            continue
        try:
            fault = check.fault(value)
        except RecursionError:
            where = _where(component, name)
            raise SaveError(f"{where}` holds itself, or is nested too deep") from None
        if fault is not None:
            where = _where(component, name) + fault.path
            raise SaveError(f"{where}` holds {fault.found}, not {fault.wanted}")


def _where(component: Any, name: str) -> str:
    return f"`{type(component).__qualname__}.{name}"
