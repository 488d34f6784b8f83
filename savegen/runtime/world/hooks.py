"""Calls the hook methods of components; the registry lists the methods of each class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from savegen.runtime.errors import SaveError, describe_error, reason
from savegen.runtime.marks import Activation
from savegen.runtime.generated.registry import Registry


class HookError(SaveError):
    """A hook of the game raised an error, which is the `__cause__`."""


class Attempts:
    """Runs the steps of an undo: each of them, even if others raise."""

    def __init__(self) -> None:
        self.notes: list[str] = []  # what could not be undone, and why
        self._exit: BaseException | None = None  # such as `SystemExit`

    def run(self, what: str, step: Callable[[], object]) -> None:
        """Run a step; if it raises, add a message, which begins with `what` it did."""
        try:
            step()
        except BaseException as error:
            self.notes.append(f"while {what}: {reason(error)}")
            if not isinstance(error, Exception):
                self._exit = self._exit or error

    def report(self, error: BaseException) -> None:
        """Add the messages to the error whose effects were undone, which is then raised.

        If a step raised `KeyboardInterrupt` or the like, raise that instead.
        """
        for note in self.notes:
            error.add_note(note)
        if self._exit is not None:
            raise self._exit from error


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
