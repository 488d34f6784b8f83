"""Find the classes of libraries whose objects a load could not make, or would make without a part."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from inspect import getattr_static, signature
from typing import Any

_IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset)
_CONTAINERS = (list, dict, set, bytearray, deque)


def stand_in_faults(
    cls: Any, name: str, attributes: Iterable[str], has_hook: bool
) -> Iterator[str]:
    """Yield why a stand-in with the given attributes cannot be used for a class of a library.

    `has_hook` says whether a method marked `@before_save` may copy the contents of a container.

    >>> [*stand_in_faults(object, "builtins.object", (), False)]
    []
    """
    for attribute in attributes:
        if fault := _fault_of(cls, name, attribute):
            yield f"has the field `{attribute}`, but {fault}"
    if not _can_be_made(cls):
        yield (
            f"is for `{name}`, but a load could not make its objects, because `__new__` needs"
            " arguments; write a codec for the class instead"
        )
    if base := _base_of(cls, _IMMUTABLE):
        yield (
            f"is for `{name}`, but what its objects contain as a `{base}` is in no field; write"
            " a codec for the class instead"
        )
    if (base := _base_of(cls, _CONTAINERS)) and not has_hook:
        yield (
            f"is for `{name}`, but what its objects contain as a `{base}` is in no field; copy"
            " it to a field in a method marked `@before_save`, and back in one marked"
            " `@on_activate`"
        )


def _fault_of(cls: Any, name: str, attribute: str) -> str:
    """Return why a load could not set an attribute, or ""."""
    declared = getattr_static(cls, attribute, None)
    if isinstance(declared, property) and declared.fset is None:
        return (
            f"`{name}.{attribute}` is a property that cannot be set; list the attributes that"
            " it is computed from"
        )
    if not cls.__dictoffset__ and not hasattr(type(declared), "__set__"):
        return (
            f"objects of `{name}` have no such attribute: its class has no `__dict__`"
        )
    return ""


def _can_be_made(cls: Any) -> bool:
    """Return whether `__new__` accepts the class alone, as far as its signature is known."""
    try:
        signature(cls.__new__).bind(cls)
    except TypeError:
        return False
    except ValueError:  # written in C, without a signature
        pass
    return True


def _base_of(cls: type, bases: tuple[type, ...]) -> str:
    """Return the name of the first of the given classes that a class inherits from, or ""."""
    return next((base.__name__ for base in bases if issubclass(cls, base)), "")
