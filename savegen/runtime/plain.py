"""Plain values: when two are exactly the same, and the bytes that stand for one.

`==` will not do: it takes 0 for False, 0.0 for -0.0 and Decimal("1.0") for Decimal("1.00"),
finds no NaN like any other, and would run the game's own code.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import struct
import uuid
import zoneinfo
from abc import ABCMeta
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, Flag
from typing import Any, TypeAlias

from savegen.runtime.errors import SaveError, a
from savegen.runtime.keys import SaveLoadKey, SlotKey

Name: TypeAlias = Callable[[Any], bytes]  # what stands for an object


def same(left: Any, right: Any) -> bool:
    """Tell whether two plain values are the same to everybody: in type and in every bit.

    >>> same(0.0, -0.0), same(1, True), same(float("nan"), float("nan"))
    (False, False, True)
    """
    if left is right:
        return True
    cls = type(left)
    if cls is not type(right):
        return False
    if cls is float:
        return same_float(left, right)
    if _is_tame(cls) and cls in EXACT:
        return bool(left == right)
    return write(left) == write(right)


def same_float(left: float, right: float) -> bool:
    """Tell whether two floats are the same to the last bit."""
    if left != right and left == left:  # and no NaN
        return False
    return left == right != 0.0 or _float(left) == _float(right)


def framed(tag: str, parts: Iterable[bytes]) -> bytes:
    """Return several parts as one, in a way that shows where each begins."""
    found = [b"%d:%b" % (len(part), part) for part in parts]
    return b"%b%d(%b)" % (tag.encode(), len(found), b"".join(found))


def identity(value: Any) -> bytes:
    """Return what stands for an object while it is alive: a `Name`."""
    return b"%d" % id(value)


def write(value: Any) -> bytes:
    """Return bytes that stand for a plain value: no other value has the same.

    Raises `SaveError` if there is something in it that is not plain.
    """
    cls = type(value)
    if issubclass(cls, Enum):
        return framed(f"{cls.__module__}:{cls.__qualname__}", [member(value)])
    if _is_tame(cls):
        if leaf := _LEAVES.get(cls):
            return framed(cls.__name__, [leaf(value)])
        if cls in _CONTAINERS:
            return _CONTAINERS[cls](value)
        if issubclass(cls, pathlib.PurePath):
            return framed(cls.__name__, [_text(str(value))])
    raise SaveError(f"{a(cls.__qualname__)} is not plain data")


def _is_tame(cls: type) -> bool:
    """Tell whether nothing of the game's is asked when a class is looked up."""
    return type(cls) is type or type(cls) is ABCMeta


def _text(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _float(value: float) -> bytes:
    return struct.pack("<d", value)


def member(value: Enum) -> bytes:
    """Return what tells a member of an enumeration from the others."""
    if isinstance(value, Flag):
        return b"%d" % value.value
    return _text(value.name)


def factory(value: Any) -> bytes:
    """Return what stands for the factory of a `defaultdict`: the name that it has."""
    module, name = (getattr(value, n, "") for n in ("__module__", "__qualname__"))
    return b"" if value is None else _text(f"{module}:{name}")


def limit(value: int | None) -> bytes:
    """Return what stands for the `maxlen` of a deque."""
    return b"" if value is None else b"%d" % value


def _zone(zone: datetime.tzinfo | None) -> bytes:
    if isinstance(zone, zoneinfo.ZoneInfo) and zone.key:
        return _text(zone.key)
    if zone is None or type(zone) is datetime.timezone:
        return _text(repr(zone))
    return identity(zone)


def _clock(value: datetime.datetime | datetime.time) -> bytes:
    bare = value.replace(tzinfo=None, fold=0)
    return framed(
        "", [_text(bare.isoformat()), b"%d" % value.fold, _zone(value.tzinfo)]
    )


_LEAVES: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"",
    bool: lambda v: b"%d" % v,
    int: lambda v: b"%x" % v,  # in base ten Python refuses long ones
    float: _float,
    complex: lambda v: _float(v.real) + _float(v.imag),
    str: _text,
    bytes: bytes,
    bytearray: bytes,
    array: lambda v: v.typecode.encode() + v.tobytes(),
    decimal.Decimal: lambda v: _text(repr(v.as_tuple())),  # `str` asks the context
    fractions.Fraction: lambda v: b"%x/%x" % (v.numerator, v.denominator),
    datetime.datetime: _clock,
    datetime.date: lambda v: _text(v.isoformat()),
    datetime.time: _clock,
    datetime.timedelta: lambda v: b"%d,%d,%d" % (v.days, v.seconds, v.microseconds),
    uuid.UUID: lambda v: v.bytes + _text(v.is_safe.name),
}
# Of these `==` says it all, where both are of one type.
EXACT = frozenset([type(None), bool, int, str, bytes, bytearray, datetime.timedelta])


def _sequence(value: Any) -> bytes:
    parts = (write(member) for member in value)
    return framed(type(value).__name__, parts)


def _queue(value: deque[Any]) -> bytes:
    parts = (write(each) for each in value)
    return framed("deque", [limit(value.maxlen), *parts])


def _members(value: Any) -> bytes:
    return framed(type(value).__name__, sorted(write(each) for each in value))


def _entries(value: Any) -> bytes:
    parts = [write(part) for entry in value.items() for part in entry]
    if type(value) is defaultdict:
        parts.append(factory(value.default_factory))
    return framed(type(value).__name__, parts)


_KEYS = (SlotKey, SaveLoadKey)
_CHANGING = (bytearray, array)
_CONTAINERS: dict[type, Callable[[Any], bytes]] = {
    **dict.fromkeys([list, tuple, *_KEYS], _sequence),
    deque: _queue,
    **dict.fromkeys([set, frozenset], _members),
    **dict.fromkeys([dict, defaultdict, OrderedDict, Counter], _entries),
}


def copy(value: Any) -> Any:
    """Return plain data that shares nothing mutable with `value`.

    Raises `SaveError` if there is something in it that is not plain.

    >>> data = {1: [2, 3]}
    >>> copied = copy(data)
    >>> data[1].append(4)
    >>> copied
    {1: [2, 3]}
    """
    cls = type(value)
    new: Any = cls
    if not _is_tame(cls) or cls not in _CONTAINERS and cls not in _CHANGING:
        write(value)  # raises
        return value
    if cls in _CHANGING:
        return value[:]
    if cls is deque:
        return deque(map(copy, value), value.maxlen)
    if cls is defaultdict:
        return defaultdict(value.default_factory, _copied(value))
    if issubclass(cls, dict):
        return new(_copied(value))
    if cls in _KEYS:
        return value
    return new([copy(member) for member in value])


def _copied(value: Any) -> dict[Any, Any]:
    return {copy(key): copy(member) for key, member in value.items()}


def keys_in(value: Any) -> Iterator[SaveLoadKey]:
    """Yield the keys in plain data, in its order."""
    if type(value) is SaveLoadKey:
        yield value
    elif type(value) in _CONTAINERS:
        mapping = hasattr(type(value), "items")
        members = [p for e in value.items() for p in e] if mapping else value
        for each in members:
            yield from keys_in(each)
