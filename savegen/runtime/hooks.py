"""Calls the hook methods of components; the registry lists the methods of each class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.marks import Activation
from savegen.runtime.world import World


class HookError(SaveError):
    """A hook of the game raised an error, which is the `__cause__`."""


def before_save(world: World, components: Iterable[Any]) -> None:
    """Call the methods marked `@before_save`. Raises `HookError` if one raises."""
    for component in components:
        _call(world, component, "before_save")


def activate(world: World, components: Iterable[Any], reason: Activation) -> None:
    """Call the methods marked `@on_activate`. Raises `HookError` if one raises."""
    for component in components:
        _call(world, component, "on_activate", reason)


def deactivate(world: World, components: Iterable[Any]) -> None:
    """Call the methods marked `@on_deactivate`. Raises `HookError` if one raises."""
    for component in components:
        _call(world, component, "on_deactivate")


def _call(world: World, component: Any, hook: str, *arguments: Any) -> None:
    for method in getattr(world.entry_of(type(component)), hook):
        cls = _owner(world, type(component), method)
        try:
            if cls is type(component):
                getattr(component, method)(*arguments)
            else:
                getattr(cls, method)(component, *arguments)
        except Exception as error:
            name = f"{cls.__qualname__}.{method}"
            raise HookError(f"`{name}` raised {describe_error(error)}") from error


def _owner(world: World, cls: type, method: str) -> Any:
    """Return the class itself, or the stand-in for one of its bases that has the method."""
    for base in cls.__mro__ if world.stand_ins else ():
        stand_in = world.stand_ins.get(base)
        if stand_in is not None and hasattr(stand_in.marked_class(), method):
            return stand_in.marked_class()
        if method in vars(base):
            break
    return cls
