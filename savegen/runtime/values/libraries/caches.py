"""Attributes in which objects keep what they have computed; a load lets them be computed anew."""

from __future__ import annotations

from functools import cached_property
from opcode import opmap
from types import MemberDescriptorType
from typing import Any

from savegen.runtime.values.mismatches import NOT_SET

_STORE_ATTR = opmap["STORE_ATTR"]
_ASKING = {"hasattr", "getattr", "AttributeError", "__dict__"}


class _HashCaches(dict[type, dict[str, Any]]):
    """By class: the attributes that its `__hash__` sets, each with the value that it has before.

    >>> class Tile:
    ...     _hash = None
    ...     def __hash__(self):
    ...         if self._hash is None:
    ...             self._hash = hash(self.x)
    ...         return self._hash
    >>> HASH_CACHES[Tile], HASH_CACHES[int]
    ({'_hash': <not set>}, {})
    """

    def __missing__(self, cls: type) -> dict[str, Any]:
        self[cls] = found = {name: _before(cls, name) for name in _set_by_hash(cls)}
        return found


HASH_CACHES = _HashCaches()


def _set_by_hash(cls: type) -> list[str]:
    """Return the attributes that the `__hash__` of a class sets."""
    code = getattr(cls.__hash__, "__code__", None)
    if code is None:
        return []
    names = [
        code.co_names[number]
        for operation, number in zip(code.co_code[::2], code.co_code[1::2])
        if operation == _STORE_ATTR
    ]
    if "__setattr__" in code.co_names:  # as in a frozen class
        names += [each for each in code.co_consts if _is_name(each)]
    return [*dict.fromkeys(names)]


def _is_name(constant: object) -> bool:
    return isinstance(constant, str) and constant.isidentifier()


def _before(cls: Any, name: str) -> Any:
    """Return the value of a kept hash in a new object; `NOT_SET` if the class has it, or none."""
    declared = getattr(cls, "__dataclass_fields__", {}).get(name)
    if declared is not None:
        from dataclasses import MISSING  # its users have imported it already

        return NOT_SET if declared.default is MISSING else declared.default
    # Most `__hash__` ask whether the attribute is `None`; some, whether it is set.
    asks = {*cls.__hash__.__code__.co_names} & _ASKING
    is_slot = type(getattr(cls, name, None)) is MemberDescriptorType
    return NOT_SET if asks or (hasattr(cls, name) and not is_slot) else None


def cached_properties(cls: type) -> list[str]:
    """Return the names of the `functools.cached_property` attributes of a class.

    A class of attrs with slots has slots for them, and its `__getattr__` computes the values.
    """
    names: dict[str, bool] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            names[name] = isinstance(value, cached_property)
        names |= dict.fromkeys(_cached_by_attrs(base), True)
    return [name for name, is_cached in names.items() if is_cached]


def _cached_by_attrs(cls: type) -> list[str]:
    getter = vars(cls).get("__getattr__")
    arguments = getattr(getattr(getter, "__code__", None), "co_varnames", ())
    if not (hasattr(cls, "__attrs_attrs__") and "cached_properties" in arguments):
        return []
    cached, *_ = getattr(getter, "__defaults__", None) or ({},)
    return [*cached]


def kept_value(obj: Any, name: str) -> Any:
    """Return what an object keeps in an attribute, without computing it; `NOT_SET` for nothing."""
    attributes = getattr(obj, "__dict__", {})
    if name in attributes:
        return attributes[name]
    if type(getattr(type(obj), name, None)) is not MemberDescriptorType:
        return NOT_SET
    try:
        return object.__getattribute__(obj, name)
    except AttributeError:  # the slot is empty
        return NOT_SET
