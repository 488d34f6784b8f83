"""Calls the hook methods of components; the registry lists the methods of each class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.marks import Activation
from savegen.runtime.registry import ClassEntry
from savegen.runtime.world import World


class HookError(SaveError):
    """A hook of the game raised an error, which is the `__cause__`."""


def before_save(world: World, components: Iterable[Any]) -> None:
    """Call the methods marked `@before_save`. Raises `HookError` if one raises."""
    for component in components:
        _call(component, world.entry_of(type(component)), "before_save")


def activate(world: World, components: Iterable[Any], reason: Activation) -> None:
    """Call the methods marked `@on_activate`. Raises `HookError` if one raises."""
    for component in components:
        _call(component, world.entry_of(type(component)), "on_activate", reason)


def deactivate(world: World, components: Iterable[Any]) -> None:
    """Call the methods marked `@on_deactivate`. Raises `HookError` if one raises."""
    for component in components:
        _call(component, world.entry_of(type(component)), "on_deactivate")


def _call(component: Any, entry: ClassEntry, hook: str, *arguments: Any) -> None:
    for method in getattr(entry, hook):
        try:
            if entry.of:
                getattr(entry.marked_class(), method)(component, *arguments)
            else:
                getattr(component, method)(*arguments)
        except Exception as error:
            cls = entry.marked_class() if entry.of else type(component)
            name = f"{cls.__qualname__}.{method}"
            raise HookError(f"`{name}` raised {describe_error(error)}") from error
