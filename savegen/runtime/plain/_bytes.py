"""Exact comparison, and bytes that stand for a value."""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import struct
import uuid
import zoneinfo
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, Flag
from typing import Any, TypeAlias

from savegen.runtime.errors import SaveError, a
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.named import name_of
from savegen.runtime.plain._known import (
    is_array,
    is_saveable_class,
    is_scalar,
    is_tame,
    learnt,
    record_fields,
)

Name: TypeAlias = Callable[[Any], bytes]  # what stands for an object

UNSET = object()


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
    if is_tame(cls) and cls in EXACT:
        return bool(left == right)
    if cls is tuple or cls is list:
        return len(left) == len(right) and all(map(same, left, right))
    return write(left, identity) == write(right, identity)


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


def write(value: Any, name: Name | None = None) -> bytes:
    """Return bytes that stand for a plain value: no other value has the same.

    What is not plain is written by `name`; without one it raises `SaveError`.
    """
    cls = type(value)
    if issubclass(cls, Enum):
        return framed(name_of(cls), [member(value)])
    if is_tame(cls):
        if leaf := _LEAVES.get(cls):
            return framed(cls.__name__, [leaf(value)])
        if cls in CONTAINERS:
            return CONTAINERS[cls](value, name)
        if issubclass(cls, pathlib.PurePath):
            return framed(cls.__name__, [_text(str(value))])
    if found := _written(value, name):
        return found
    if name is not None:
        return name(value)
    raise SaveError(f"{a(cls.__qualname__)} is not plain data")


def _written(value: Any, name: Name | None) -> bytes | None:
    """Return bytes for what is plain, though no type of Python's; `None` if it is not."""
    cls = type(value)
    if known := learnt(value):
        return framed(known.name, [write(known.encoded(value), name)])
    if is_array(value) or is_scalar(value):
        return _array(value)
    if is_saveable_class(value):
        return framed("class", [b"%d" % value.save_type])
    names = record_fields(cls)
    if names is None:
        return None
    parts = (getattr(value, field, UNSET) for field in names)
    found = (b"" if part is UNSET else write(part, name) for part in parts)
    return framed(name_of(cls), found)


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


def _array(value: Any) -> bytes:
    if value.dtype.hasobject:
        raise SaveError("an array of Python's objects is not plain data")
    kind, shape = _text(repr(value.dtype)), _text(repr(value.shape))
    return framed(type(value).__name__, [kind, shape, *_items(value)])


def _items(value: Any) -> Iterator[bytes]:
    """Yield the bytes of an array; what lies between the fields of a structure is none."""
    if value.dtype.names is None:
        yield value.tobytes()
    for name in value.dtype.names or ():
        yield from _items(value[name])


def _sequence(value: Any, name: Name | None) -> bytes:
    parts = (write(member, name) for member in value)
    return framed(type(value).__name__, parts)


def _queue(value: deque[Any], name: Name | None) -> bytes:
    parts = (write(each, name) for each in value)
    return framed("deque", [limit(value.maxlen), *parts])


def _members(value: Any, name: Name | None) -> bytes:
    return framed(type(value).__name__, sorted(write(each, name) for each in value))


def _entries(value: Any, name: Name | None) -> bytes:
    parts = [write(part, name) for entry in value.items() for part in entry]
    if type(value) is defaultdict:
        parts.append(factory(value.default_factory))
    return framed(type(value).__name__, parts)


def _generator(value: GeneratorState, name: Name | None) -> bytes:
    return framed("generator", [value.text])


KEYS = (SlotKey, SaveLoadKey)
CHANGING = (bytearray, array)
CONTAINERS: dict[type, Callable[[Any, Name | None], bytes]] = {
    **dict.fromkeys([list, tuple, *KEYS], _sequence),
    deque: _queue,
    **dict.fromkeys([set, frozenset], _members),
    **dict.fromkeys([dict, defaultdict, OrderedDict, Counter], _entries),
    GeneratorState: _generator,
}
