"""Keys in messages."""

from __future__ import annotations

from typing import Any


def show(key: Any) -> str:
    # Only of plain types: a key's own `__repr__` is the game's code.
    if type(key) not in (str, int, float, bool, bytes):
        return type(key).__name__
    try:
        return repr(key)
    except ValueError:  # an int of thousands of digits
        return "int"
