"""Attributes in which objects keep what they have computed; a load lets them be computed anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import chain
from opcode import opmap
from types import MemberDescriptorType
from typing import Any

from savegen.runtime.values.libraries.fields import fields_of
from savegen.runtime.values.mismatches import NOT_SET, set_value, value_of

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
    return _set_by(cls.__hash__)


def _set_by(method: object) -> list[str]:
    code = getattr(method, "__code__", None)
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


class _Renewals(dict[type, "Callable[[Any], None] | None"]):
    """By plain class: what lets an object whose fields are set compute its hash.

    `None` if its hash needs the fields alone. A hash that `__hash__` keeps in an attribute is
    computed anew; if `__post_init__` prepares it, this runs.
    """

    def __missing__(self, cls: type) -> Callable[[Any], None] | None:
        reset, prepare = HASH_CACHES[cls], _preparation(cls)
        is_needed = reset or prepare
        self[cls] = found = partial(_renew, reset, prepare) if is_needed else None
        return found


RENEWALS = _Renewals()


def renew(obj: Any) -> None:
    """Let a plain object compute its hash anew, after its fields have changed."""
    if (found := RENEWALS[type(obj)]) is not None:
        found(obj)


def _renew(
    reset: dict[str, Any], prepare: Callable[[Any], object] | None, obj: Any
) -> None:
    if prepare is not None:
        fields = {name: value_of(obj, name) for name in fields_of(type(obj)) or ()}
        try:
            prepare(obj)
        except AttributeError:
            pass  # of an object to which it refers, and which a load fills later
        for name, value in fields.items():  # it may change what the save has
            set_value(obj, name, value)
    for name, value in reset.items():
        set_value(obj, name, value)


def kept_for_hash(cls: Any) -> set[str]:
    """Return the attributes of a plain class, beside its fields, that a load sets for `__hash__`."""
    return {*HASH_CACHES[cls]} | (_prepared(cls) if _preparation(cls) else set())


def _preparation(cls: Any) -> Callable[[Any], object] | None:
    """Return the `__post_init__` that sets attributes which `__hash__` or `__eq__` reads."""
    for method in _after_init(cls):
        code = getattr(method, "__code__", None)
        # An argument is the value of an `InitVar`, which is unknown.
        if code is not None and code.co_argcount == 1 and _prepared(cls):
            return method
    return None


def _after_init(cls: Any) -> list[Callable[[Any], object]]:
    methods = (getattr(cls, n, None) for n in ("__post_init__", "__attrs_post_init__"))
    return [method for method in methods if method is not None]


def _prepared(cls: Any) -> set[str]:
    set_by_base = (_set_by(m) for base in cls.__mro__ for m in _after_init(base))
    codes = (getattr(m, "__code__", None) for m in (cls.__hash__, cls.__eq__))
    read = {name for code in codes if code for name in code.co_names}
    return {*chain.from_iterable(set_by_base)} & read - {*(fields_of(cls) or ())}


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
