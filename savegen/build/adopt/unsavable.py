"""Find the types whose values cannot be saved: functions, and what belongs to the running program."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from savegen.build.adopt.definitions import GameScope, GameValue
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import (
    CALLABLE,
    MAPPINGS,
    NONE,
    InferredType,
    names,
    union,
)
from savegen.build.resolve.settings import Settings

# Modules whose types belong to the running program, and which have no preset
_RESOURCES = (
    "tcod.console", "tcod.context", "tcod.tileset", "tcod.sdl", "tcod.event", "socket",
    "threading", "multiprocessing", "subprocess", "asyncio", "concurrent", "logging", "sqlite3",
    "io", "tkinter", "curses", "queue", "selectors", "ssl", "http", "mmap", "ctypes",
    "contextlib", "functools", "argparse", "PIL",
)  # fmt: skip


class Unsavable:
    """The types of a game whose values cannot be saved."""

    def __init__(self, program: Program, settings: Settings) -> None:
        self._program = program
        self._settings = settings

    def reason(self, type_: InferredType | None) -> str:
        """Return why no value of a type can be saved; `""` if one may be."""
        members = [m for m in type_.members if m != NONE] if type_ is not None else []
        return _shared(self._reason_of_member(member) for member in members)

    def _reason_of_member(self, type_: InferredType) -> str:
        if type_ == CALLABLE:
            return "a function, which cannot be saved"
        if self._is_resource(type_.name):
            return f"`{type_.name}` belongs to the running program"
        # Only the values of a mapping decide here, not its keys.
        first = 1 if type_.name in MAPPINGS else 0
        parts = (a for a in type_.arguments[first:] if a.name != "...")
        return _shared(map(self.reason, parts))

    def doubt(self, type_: InferredType) -> str:
        """Return why a type may hold values that cannot be saved; `""` if it cannot.

        Call `reason` first: it returns why no value of the type can be saved.
        """
        for part in sorted(names(type_)):
            verb = "be" if InferredType(part) in type_.members else "contain"
            if part == CALLABLE.name:
                return f"it may {verb} a function, which cannot be saved"
            if self._is_resource(part):
                return f"it may {verb} a `{part}`, which belongs to the running program"
        return ""

    def rest(self, type_: InferredType) -> InferredType | None:
        """Return a type without the members that cannot be saved.

        Return `None` if no member remains, or if a part of one may be unsavable.
        """
        rest = union(m for m in type_.members if not self._reason_of_member(m))
        return None if rest is None or self.doubt(rest) else rest

    def are_resources(self, values: Iterable[GameValue]) -> bool:
        """Return whether all assigned values but None are resources of the running program."""
        made = [
            self._is_made(v.value, v.scope) for v in values if not _is_none(v.value)
        ]
        return bool(made) and all(made)

    def _is_made(self, node: ast.expr | None, scope: GameScope) -> bool:
        function = node.func if isinstance(node, ast.Call) else None
        full = self._program.named(function, scope)
        return full is not None and self._settings.is_transient(full)

    def _is_resource(self, name: str) -> bool:
        if self._program.class_named(name) is not None:
            return False
        prefixes = (
            name == place or name.startswith(f"{place}.") for place in _RESOURCES
        )
        return self._settings.is_transient(name) or any(prefixes)


def _shared(reasons: Iterable[str]) -> str:
    """Return the first reason if there are reasons and none is empty; else `""`."""
    reasons = [*reasons]
    return reasons[0] if reasons and all(reasons) else ""


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
