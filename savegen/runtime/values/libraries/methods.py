"""Bound methods as data: the object, and the name of one of its class's saved methods.

The registry names these methods, so a save cannot call anything else.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import mixin_of

LABEL = "builtins.method"
"""The label of the stored type."""


class MissingMethod:
    """A placeholder for a method that a save names, but that its object does not have.

    Calling it does nothing. It is saved under its name again.

    >>> never_called = MissingMethod("a goblin", "roar")
    >>> never_called(7), never_called
    (None, <missing method roar of 'a goblin'>)
    """

    __slots__ = ("__name__", "__self__")

    def __init__(self, obj: Any, name: str) -> None:
        self.__self__ = obj
        self.__name__ = name

    def __call__(self, *arguments: object, **keywords: object) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        if type(other) is not MissingMethod or self.__name__ != other.__name__:
            return False
        return self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__name__))

    def __repr__(self) -> str:
        return f"<missing method {self.__name__} of {self.__self__!r}>"


def is_method(value: Any) -> bool:
    """Return whether a value is a bound method."""
    return type(value) is MethodType or type(value) is MissingMethod


def saved_name(method: Any) -> str | None:
    """Return the name under which a bound method is saved; `None` if it cannot be saved.

    >>> class Goblin:
    ...     SaveLoadMethods = ("roar",)
    ...     def roar(self): ...
    ...     def whisper(self): ...
    >>> saved_name(Goblin().roar), saved_name(Goblin().whisper), saved_name(print)
    ('roar', None, None)
    """
    if type(method) is MissingMethod:
        return method.__name__
    if type(method) is not MethodType:
        return None
    cls, function = type(method.__self__), method.__func__
    names = _names_of(cls)
    name = getattr(function, "__name__", "")
    if name in names and getattr(cls, name, None) is function:
        return str(name)
    # A private or decorated method has another name in its class.
    return next((n for n in names if getattr(cls, n, None) is function), None)


def method_of(obj: Any, name: str, references: References) -> Any:
    """Return a method of an object by its saved name; `None` if the object is `None`."""
    if obj is None:
        return None
    function = getattr(type(obj), name, None)
    if name in _names_of(type(obj)) and callable(function):
        # Not `getattr(obj, name)`: an attribute of the object may hide the method.
        return MethodType(function, obj)
    return references._missing_method(obj, name)


def _names_of(cls: type) -> tuple[str, ...]:
    names: tuple[str, ...] = getattr(mixin_of(cls), "SaveLoadMethods", ())
    return names


def hint(value: Any) -> str:
    """Return what can be saved instead of a function or method; "" for another value."""
    if type(value) is MethodType:
        return (
            "; only the methods that your project defines for saveable classes are, in a field"
            " declared `Method[…]`"
        )
    if isinstance(value, FunctionType):
        return (
            "; only a method of a saveable object is, in a field declared `Method[…]`"
        )
    return ""
