"""Checks of arguments that many functions of `savegen.saves` have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import check_argument, wrong_argument
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves.limits import Limits

# By the name of an argument: its types, and what it must be.
_ARGUMENTS: dict[str, tuple[Any, str]] = {
    "generation": (int | None, "an int"),
    "keep": (int, "an int"),
    "timeout": (int | float | None, "a number of seconds"),
    "levels": (Callable | None, "a function that takes the name of a level"),
    "progress": (Callable | None, "a function"),
    "path": (str | os.PathLike, "a str or a path"),
    "folder_or_store": (str | os.PathLike, "a str, a path or a `Store`"),
    "game_version": (str, "a str"),
    "limits": (Limits, "a `Limits`"),
    "data": (bytes | bytearray | memoryview, "the bytes of a save"),
    "thumbnail": (bytes, "bytes"),
    "compression_level": (int | None, "an int"),
    "compress": (str, "a str"),
    "snapshot": (Snapshot, "a `Snapshot`"),
}


def check_arguments(**arguments: object) -> None:
    """Raise `SaveError` for the first argument of a wrong type, by the names of arguments."""
    for name, value in arguments.items():
        types, wanted = _ARGUMENTS[name]
        if isinstance(value, type):  # which can be called, too
            raise wrong_argument(name, wanted, value)
        check_argument(name, value, types, wanted)


def check_manager(manager: object) -> None:
    # Without an import: commands that read saves have no manager.
    if isinstance(manager, type) or not hasattr(manager, "apply_snapshot"):
        raise wrong_argument("manager", "a `SaveLoadManager`", manager)
