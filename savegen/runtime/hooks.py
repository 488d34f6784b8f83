"""Calls the hook methods of components; the registry lists the methods of each class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.marks import Activation
from savegen.runtime.registry import Registry


class HookError(SaveError):
    """A hook of the game raised an error, which is the `__cause__`."""


def before_save(registry: Registry, components: Iterable[Any]) -> None:
    """Call the methods marked `@before_save`. Raises `HookError` if one raises."""
    for component in components:
        _call(registry, component, "before_save")


def activate(registry: Registry, components: Iterable[Any], reason: Activation) -> None:
    """Call the methods marked `@on_activate`. Raises `HookError` if one raises."""
    for component in components:
        _call(registry, component, "on_activate", reason)


def deactivate(registry: Registry, components: Iterable[Any]) -> None:
    """Call the methods marked `@on_deactivate`. Raises `HookError` if one raises."""
    for component in components:
        _call(registry, component, "on_deactivate")


def _call(registry: Registry, component: Any, hook: str, *arguments: Any) -> None:
    for method in getattr(registry.entry_of(type(component)), hook):
        cls = _owner(registry, type(component), method)
        try:
            if cls is type(component):
                getattr(component, method)(*arguments)
            else:
                getattr(cls, method)(component, *arguments)
        except Exception as error:
            name = f"{cls.__qualname__}.{method}"
            raise HookError(f"`{name}` raised {describe_error(error)}") from error


def _owner(registry: Registry, cls: type, method: str) -> Any:
    """Return the class itself, or the stand-in for one of its bases that has the method."""
    for base in cls.__mro__ if registry.stand_ins else ():
        stand_in = registry.stand_ins.get(base)
        if stand_in is not None and hasattr(stand_in.marked_class(), method):
            return stand_in.marked_class()
        if method in vars(base):
            break
    return cls
