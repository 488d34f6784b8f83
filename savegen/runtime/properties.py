"""Properties that are set through their setters."""

from __future__ import annotations

from typing import Any

from savegen.runtime import plain
from savegen.runtime.copying import set_field
from savegen.runtime.errors import SaveError


def set_property(target: Any, name: str, value: Any) -> None:
    """Set a property, unless it has the value already: a setter may refuse, or do much.

    >>> class Door:
    ...     @property
    ...     def angle(self):
    ...         return 0.0
    >>> set_property(Door(), "angle", 0.0)  # it has no setter
    """
    try:
        if plain.same(getattr(target, name), value):
            return
    except (AttributeError, SaveError):  # it is not set yet, or cannot be compared
        pass
    set_field(target, name, value)
