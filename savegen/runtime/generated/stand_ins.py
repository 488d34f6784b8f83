"""Find the classes of libraries whose objects a load could not make, or would make without a part."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from inspect import getattr_static, signature
from types import BuiltinFunctionType, MemberDescriptorType
from typing import Any

from savegen.runtime.errors import with_article
from savegen.runtime.values.kinds.kind import kind_of

_POINTER = tuple.__itemsize__
_CANNOT_BE_MADE = 1 << 7  # `Py_TPFLAGS_DISALLOW_INSTANTIATION`


def stand_in_faults(
    cls: Any,
    name: str,
    attributes: Collection[str],
    has_hook: bool,
    rebuilds: bool = False,
) -> Iterator[str]:
    """Yield why a stand-in with the given attributes cannot be used for a class of a library.

    `has_hook` says whether a method marked `@before_save` may copy the contents of a container,
    and `rebuilds` whether one marked `@on_activate` may make again what is not saved.

    >>> [*stand_in_faults(object, "builtins.object", (), False)]
    []
    """
    if not isinstance(cls, type):
        yield f"is for `{name}`, which is {with_article(type(cls).__name__)}, not a class"
        return
    for attribute in attributes:
        if fault := _fault_of(cls, name, attribute):
            yield f"has the field `{attribute}`, but {fault}"
    kind = kind_of(cls)
    has_content = kind is not None and kind.has_content
    if not _can_be_made(cls):
        yield (
            f"is for `{name}`, but a load could not make its objects, because `__new__` needs"
            " arguments; write a codec for the class instead"
        )
    elif _has_hidden_state(cls) and not has_content:
        if not cls.__dictoffset__ and not any(map(_can_be_set, _descriptors(cls))):
            yield (
                f"is for `{name}`, whose objects have no attribute that a field could hold, so"
                " nothing of them would be saved; write a codec for the class instead"
            )
        elif not (has_hook or rebuilds or any(_is_hidden(cls, n) for n in attributes)):
            yield (
                f"is for `{name}`, which is not written in Python, and whose state is in none of"
                " its fields; copy it to a field in a method marked `@before_save`, and back in"
                " one marked `@on_activate`, or write a codec for the class instead"
            )
    if kind is not None and has_content and not (kind.is_mutable and has_hook):
        way_out = (
            "copy it to a field in a method marked `@before_save`, and back in one marked"
            " `@on_activate`"
            if kind.is_mutable
            else "write a codec for the class instead"
        )
        yield (
            f"is for `{name}`, but what its objects contain as a `{kind.cls.__name__}` is in no"
            f" field; {way_out}"
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


def _has_hidden_state(cls: type) -> bool:
    """Return whether objects have state that is in no `__dict__` and no slot, but in C.

    Each class adds the size of its own state to that of its base.
    """
    while cls is not object:
        base = cls.__base__
        assert base is not None
        size = cls.__basicsize__ - base.__basicsize__
        if "__slots__" in vars(cls):
            size -= _POINTER * sum(map(_is_slot, vars(cls).values()))
        for offset in ("__dictoffset__", "__weakrefoffset__"):
            if getattr(cls, offset) > 0 and not getattr(base, offset) > 0:
                size -= _POINTER
        if size > 0:
            return True
        cls = base
    return False


def _is_slot(descriptor: object) -> bool:
    return type(descriptor) is MemberDescriptorType


def _descriptors(cls: type) -> Iterator[Any]:
    """Yield the attributes of a class that are not special ones."""
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if not name.startswith("__"):
                yield value


def _can_be_set(descriptor: Any) -> bool:
    return hasattr(type(descriptor), "__set__")


def _is_hidden(cls: type, attribute: str) -> bool:
    """Return whether an attribute belongs to the state of a class that is not in a `__dict__`."""
    return _can_be_set(getattr_static(cls, attribute, None))


def _can_be_made(cls: Any) -> bool:
    """Return whether `__new__` accepts the class alone, as far as its signature is known."""
    if cls.__flags__ & _CANNOT_BE_MADE:
        return False
    if isinstance(cls.__new__, BuiltinFunctionType):
        return _makes(cls)
    try:
        signature(cls.__new__).bind(cls)
    except TypeError:
        return False
    except ValueError:  # written in C, without a signature
        pass
    return True


def _makes(cls: Any) -> bool:
    """Return whether a `__new__` that is written in C makes an object without arguments."""
    try:
        cls.__new__(cls)
    except TypeError:
        return False
    return True
