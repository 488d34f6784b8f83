"""Plain values: when two are exactly the same, and the bytes that stand for one.

`==` will not do: it takes 0 for False, 0.0 for -0.0 and Decimal("1.0") for Decimal("1.00"),
finds no NaN like any other, and would run the game's own code.

Plain are the types of the standard library that fields can have, classes that are nothing but
their fields, arrays of numpy's, and what a codec knows.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import struct
import sys
import uuid
import zoneinfo
from abc import ABCMeta
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, Flag
from typing import Any, NamedTuple, Protocol, TypeAlias

from savegen.runtime.components import SaveLoadable
from savegen.runtime.copying import fields_of, remade
from savegen.runtime.errors import SaveError, a
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey, SlotKey

Name: TypeAlias = Callable[[Any], bytes]  # what stands for an object

_UNSET = object()


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
        return framed(_full_name(cls), [member(value)])
    if _is_tame(cls):
        if leaf := _LEAVES.get(cls):
            return framed(cls.__name__, [leaf(value)])
        if cls in _CONTAINERS:
            return _CONTAINERS[cls](value, name)
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
    if known := _learnt.get(cls):
        return framed(known.name, [write(known.codec.encode(value), name)])
    if is_array(value) or is_scalar(value):
        return _array(value)
    if is_saveable_class(value):
        return framed("class", [b"%d" % value.save_type])
    names = record_fields(cls)
    if names is None:
        return None
    parts = (getattr(value, field, _UNSET) for field in names)
    found = (b"" if part is _UNSET else write(part, name) for part in parts)
    return framed(_full_name(cls), found)


def _is_tame(cls: type) -> bool:
    """Tell whether nothing of the game's is asked when a class is looked up."""
    return type(cls) is type or type(cls) is ABCMeta


def record_fields(cls: type) -> tuple[str, ...] | None:
    """Return the fields of a class that is nothing but plain data."""
    if issubclass(cls, (Enum, SaveLoadable)):
        return None
    return fields_of(cls)


def _full_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


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
    return framed("generator", [repr(value.state).encode()])  # numbers and names


_KEYS = (SlotKey, SaveLoadKey)
_CHANGING = (bytearray, array)
_CONTAINERS: dict[type, Callable[[Any, Name | None], bytes]] = {
    **dict.fromkeys([list, tuple, *_KEYS], _sequence),
    deque: _queue,
    **dict.fromkeys([set, frozenset], _members),
    **dict.fromkeys([dict, defaultdict, OrderedDict, Counter], _entries),
    GeneratorState: _generator,
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
    return _Copying().copy(value)


def renewed(value: Any, renew: Callable[[Any], Any]) -> Any:
    """Return a copy with what `renew` gives for each random generator in it.

    What is not plain is kept as it is.
    """
    return _Renewing(renew).copy(value)


class _Copying:
    """One copy of plain data."""

    def copy(self, value: Any) -> Any:
        cls = type(value)
        new: Any = cls
        if not _is_tame(cls) or cls not in _CONTAINERS and cls not in _CHANGING:
            return self._other(value)
        if cls in _CHANGING:
            return value[:]
        if cls is GeneratorState:
            return self.state(value)
        if cls is deque:
            return deque(map(self.copy, value), value.maxlen)
        if cls is defaultdict:
            return defaultdict(value.default_factory, self._entries(value))
        if issubclass(cls, dict):
            return new(self._entries(value))
        return value if cls in _KEYS else new([self.copy(each) for each in value])

    def state(self, value: GeneratorState) -> GeneratorState:
        return value

    def unknown(self, value: Any) -> Any:
        write(value)  # raises what it is
        return value

    def _entries(self, value: Any) -> dict[Any, Any]:
        return {self.copy(key): self.copy(member) for key, member in value.items()}

    def _other(self, value: Any) -> Any:
        """Return a copy of what is no container of Python's."""
        if known := _learnt.get(type(value)):
            return known.codec.copy(value)
        if is_array(value):
            return value.copy("K")
        names = record_fields(type(value))
        if names is None:
            return self.unknown(value)
        parts = ((name, getattr(value, name, _UNSET)) for name in names)
        made = {name: self.copy(part) for name, part in parts if part is not _UNSET}
        return remade(value, made)


class _Renewing(_Copying):
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
    elif type(value) in _CONTAINERS:
        if type(value) is GeneratorState:
            return
        mapping = hasattr(type(value), "items")
        members = [p for e in value.items() for p in e] if mapping else value
        for each in members:
            yield from keys_in(each)
    elif names := record_fields(type(value)):
        for name in names:
            yield from keys_in(getattr(value, name, None))


# -- what codecs know


class Codec(Protocol):
    """Copies values of one type, and takes them apart into plain data and together again."""

    def copy(self, value: Any, /) -> Any:
        """Return a copy that shares nothing mutable with `value`."""

    def encode(self, value: Any, /) -> Any:
        """Return plain data: numbers, texts, lists, tuples and dicts of them."""

    def decode(self, data: Any, /) -> Any:
        """Return the value that `data` was made of."""


CODEC = ("copy", "encode", "decode")


class _Known(NamedTuple):
    name: str
    codec: Codec


_learnt: dict[type, _Known] = {}


def learn(cls: type, name: str, codec: Codec) -> None:
    """Take note of a class whose values a codec knows; `name` stands for it in bytes."""
    if cls not in _learnt:
        _learnt[cls] = _Known(name, codec)


# -- numpy, if the game uses it


def is_array(value: Any) -> bool:
    """Tell whether a value is an array of numpy's, and no subclass of it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.ndarray


def is_scalar(value: Any) -> bool:
    """Tell whether a value is one number of numpy's."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _array(value: Any) -> bytes:
    if value.dtype.hasobject:
        raise SaveError("an array of Python's objects is not plain data")
    kind, shape = _text(repr(value.dtype.descr)), _text(repr(value.shape))
    return framed(type(value).__name__, [kind, shape, value.tobytes()])


def is_saveable_class(value: Any) -> bool:
    """Tell whether a value is a class with a number of its own."""
    if not isinstance(value, type) or not issubclass(value, SaveLoadable):
        return False
    return any("save_type" in vars(base) for base in value.__bases__)
