"""Checks the limits of numeric fields, such as `ge=0`, for values that levels and `spawn` set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Number
from operator import ge, gt, le, lt
from typing import Any, TypeVar

from savegen.runtime.errors import SaveError

V = TypeVar("V")
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "ge": ge,
    "gt": gt,
    "le": le,
    "lt": lt,
}
_WORDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def fault_of(value: Any, limits: Mapping[str, float]) -> str | None:
    """Return a description of the limits if a number is outside of them; otherwise `None`.

    >>> fault_of(12, {"ge": 0, "le": 10})
    'it must be at least 0 and at most 10'
    """
    if all(_is_within(value, *limit) for limit in limits.items()):
        return None
    return f"it must be {' and '.join(f'{_WORDS[op]} {n}' for op, n in limits.items())}"


def within(name: str, value: V, **limits: float) -> V:
    """Return the value of a parameter. Raises `SaveError` if it is outside its limits.

    >>> within("price", 0.5, ge=0)
    0.5
    """
    fault = fault_of(value, limits)
    if fault is not None:
        raise SaveError(f"{name!r} cannot be {value}: {fault}")
    return value


def _is_within(value: Any, operator: str, bound: float) -> bool:
    # `None` and containers have no limits, nor has a complex number.
    is_number = isinstance(value, Number) and not isinstance(value, complex)
    if not is_number:
        return True
    try:
        # Limits are floats, and the exact number 0.1 is less than the float.
        number = value if isinstance(value, int) else float(value)
    except (ValueError, OverflowError):
        return False
    return _COMPARISONS[operator](number, bound)
