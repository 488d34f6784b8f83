"""Replaces parts of a value that is made already, and lets containers hash their members anew."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from operator import is_not
from typing import Any

from savegen.runtime.values import mismatches
from savegen.runtime.values.libraries.caches import HASH_CACHES
from savegen.runtime.values.libraries.fields import fields_of
from savegen.runtime.values.libraries.sprites import sprite_group

_DICTS = (dict, defaultdict, OrderedDict, Counter)
_CONTAINERS = (*_DICTS, set, frozenset, list, deque, tuple)
_SINGLE = frozenset([bool, int, float, str, bytes, type(None)])
_Change = Callable[[Any], Any]
_MayBeLost = Callable[[Iterable[Any]], bool]


def _never(members: Iterable[Any]) -> bool:
    return False


def refilled(
    value: Any,
    change: _Change,
    may_be_lost: _MayBeLost = _never,
    seen: dict[int, Any] | None = None,
) -> Any:
    """Return a value in which `change` returns each part, at any depth; objects have no parts.

    What can be changed stays the same object. A container that hashes members which `may_be_lost`
    in it is filled again. No code of subclasses runs.

    >>> refilled([1, (2, [3])], lambda part: 4 if part == 2 else part)
    [1, (4, [3])]
    """
    value = change(value)
    cls = type(value)
    seen = {} if seen is None else seen
    if cls in _SINGLE or id(value) in seen:
        return value
    base = _base_of(cls)
    seen[id(value)] = (
        value  # the value itself, which keeps its `id` from being used again
    )
    inner = partial(refilled, change=change, may_be_lost=may_be_lost, seen=seen)
    if base in _DICTS:
        _refill_dict(value, base, inner, may_be_lost)
    elif base is set or base is frozenset:
        old = [*base.__iter__(value)]
        members = [*map(inner, old)]
        if any(map(is_not, members, old)) or may_be_lost(members):
            if base is frozenset:
                return base.__new__(cls, members)
            set.clear(value)
            set.update(value, members)
    elif base is list or base is deque:
        for place, member in enumerate(base.__iter__(value)):
            if (new := inner(member)) is not member:
                base.__setitem__(value, place, new)
    elif base is tuple:
        old = [*tuple.__iter__(value)]
        members = [*map(inner, old)]
        return tuple.__new__(cls, members) if any(map(is_not, members, old)) else value
    elif (group := sprite_group(value)) is not None:
        group.rehash()
    elif (names := fields_of(cls)) is not None and not hasattr(cls, "save_type"):
        return _refilled_record(value, names, inner)
    return value


def _base_of(cls: type) -> Any:
    """Return the builtin container that a class is, or that it derives from; else the class."""
    if cls in _CONTAINERS or hasattr(cls, "save_type") or fields_of(cls) is not None:
        return cls
    return next((base for base in cls.__mro__ if base in _CONTAINERS), cls)


def _refill_dict(
    value: dict[Any, Any], base: Any, inner: _Change, may_be_lost: _MayBeLost
) -> None:
    members = {id(key): inner(member) for key, member in dict.items(value)}
    try:
        keys = [*base.__iter__(value)]
    except KeyError:
        # An `OrderedDict` looks them up; their order was that of `dict.keys`.
        keys = [*dict.keys(value)]
    entries = [(inner(key), members[id(key)]) for key in keys]
    is_same = all(id(key) in members for key, _ in entries)
    if is_same and not may_be_lost(keys):
        for key, member in entries:
            if base.__getitem__(value, key) is not member:
                base.__setitem__(value, key, member)
        return
    base.clear(value)
    for key, member in entries:
        base.__setitem__(value, key, member)


def _refilled_record(value: Any, names: tuple[str, ...], inner: _Change) -> Any:
    parts = {name: mismatches.value_of(value, name) for name in names}
    changed = {n: new for n, part in parts.items() if (new := inner(part)) is not part}
    if isinstance(value, tuple):
        return value._replace(**changed) if changed else value  # type: ignore[attr-defined]
    for name, part in {**changed, **HASH_CACHES[type(value)]}.items():
        mismatches.set_value(value, name, part)
    return value
