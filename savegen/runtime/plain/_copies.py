"""Copies of plain data, and the keys in it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from savegen.runtime.copying import remade
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.plain._bytes import CHANGING, CONTAINERS, KEYS, UNSET, write
from savegen.runtime.plain._known import (
    copied_array,
    is_array,
    is_tame,
    learnt,
    record_fields,
)


def copy(value: Any) -> Any:
    """Return plain data that shares nothing mutable with `value`.

    Raises `SaveError` if there is something in it that is not plain.

    >>> data = {1: [2, 3]}
    >>> copied = copy(data)
    >>> data[1].append(4)
    >>> copied
    {1: [2, 3]}
    """
    return Copying().copy(value)


def renewed(value: Any, renew: Callable[[Any], Any]) -> Any:
    """Return a copy with what `renew` gives for each random generator in it.

    What is not plain is kept as it is.
    """
    return _Renewing(renew).copy(value)


# What most data is made of, and what it stands in: nothing in it need be looked at.
_SCALARS = frozenset([type(None), bool, int, float, str, bytes])
_ROWS = frozenset([list, tuple])


class Copying:
    """One copy of plain data."""

    def copy(self, value: Any) -> Any:
        cls = type(value)
        new: Any = cls
        if cls in _SCALARS:
            return value
        if cls in _ROWS and _SCALARS.issuperset(map(type, value)):
            return value[:]
        if not is_tame(cls) or cls not in CONTAINERS and cls not in CHANGING:
            return self.other(value)
        if cls in CHANGING:
            return value[:]
        if cls is GeneratorState:
            return self.state(value)
        if cls is deque:
            return deque(map(self.copy, value), value.maxlen)
        if cls is defaultdict:
            return defaultdict(value.default_factory, self._entries(value))
        if issubclass(cls, dict):
            return new(self._entries(value))
        return value if cls in KEYS else new([self.copy(each) for each in value])

    def state(self, value: GeneratorState) -> GeneratorState:
        return value

    def unknown(self, value: Any) -> Any:
        write(value)  # raises what it is
        return value

    def _entries(self, value: Any) -> dict[Any, Any]:
        return {self.copy(key): self.copy(member) for key, member in value.items()}

    def other(self, value: Any) -> Any:
        """Return a copy of what is no container of Python's."""
        if known := learnt(value):
            return known.codec.copy(value)
        if is_array(value):
            return copied_array(value)
        names = record_fields(type(value))
        if names is None:
            return self.unknown(value)
        parts = ((name, getattr(value, name, UNSET)) for name in names)
        made = {name: self.copy(part) for name, part in parts if part is not UNSET}
        return remade(value, made)


class _Renewing(Copying):
    def __init__(self, renew: Callable[[Any], Any]) -> None:
        self._renew = renew

    def state(self, value: GeneratorState) -> GeneratorState:
        return GeneratorState(self._renew(value.generator), value.state)

    def unknown(self, value: Any) -> Any:
        return value


def keys_in(value: Any) -> Iterator[SaveLoadKey]:
    """Yield the keys in plain data, in its order."""
    if type(value) is SaveLoadKey:
        yield value
    elif type(value) in CONTAINERS:
        if type(value) is GeneratorState:
            return
        mapping = hasattr(type(value), "items")
        members = [p for e in value.items() for p in e] if mapping else value
        for each in members:
            yield from keys_in(each)
    elif names := record_fields(type(value)):
        for name in names:
            yield from keys_in(getattr(value, name, None))
