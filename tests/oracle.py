"""Two graphs of objects, walked in lock-step: where do they differ, and what do they share?

It is the judge of every round trip, so it trusts nothing that a value says of itself: no
`__eq__`, `__hash__`, `__len__` or `__getattr__` of a game's is called. A type that it cannot
look into is a `TypeError`, never equal.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import functools
import pathlib
import random
import struct
import types
import uuid
import weakref
import zoneinfo
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy
import panda3d.core
import pygame

from savegen.runtime import SaveLoadable

Counterpart = Callable[[Any], Any]
_T = TypeVar("_T")


def _once(function: Callable[[Any], _T]) -> Callable[[Any], _T]:
    """Cache by class, without asking the class's own class for a hash."""
    known: dict[int, tuple[type, _T]] = {}

    def once(cls: Any) -> _T:
        try:
            return known[id(cls)][1]
        except KeyError:
            known[id(cls)] = cls, function(cls)
            return known[id(cls)][1]

    return once


def _derives(cls: type, bases: Any) -> bool:
    """Return what `issubclass` returns, without asking a metaclass."""
    wanted = bases if isinstance(bases, tuple) else (bases,)
    return any(each is base for each in cls.__mro__ for base in wanted)


def difference(
    left: Any, right: Any, counterpart: Counterpart | None = None
) -> str | None:
    """Return where the two graphs first differ, or `None` if nobody could tell them apart.

    With `counterpart` a saveable object below the top is not walked into: on the right there
    must be the one that `counterpart` returns for the one on the left.

    >>> difference({"trail": [1, 2.0]}, {"trail": [1, 2]})
    "['trail'][1]: 2.0 on one side, 2 on the other"
    """
    return _Comparison(counterpart).run(left, right)


def shares_mutable(left: Any, right: Any) -> str | None:
    """Return the paths to something that can change and is part of both, or `None`.

    Saveable objects below the top are references: they may be shared, and are not walked into;
    so may random generators.

    >>> trail = [1]
    >>> shares_mutable({"trail": trail}, (trail, 2))
    "['trail'] and [0] are one list"
    """
    seen = {id(value): path for path, value in _owned(left)}
    for path, value in _owned(right):
        if id(value) in seen:
            name = type(value).__name__
            return f"{_written(seen[id(value)])} and {_written(path)} are one {name}"
    return None


def changeable(top: Any) -> list[Any]:
    """Return all that can change and is part of `top`; references are no parts.

    >>> changeable(([1], "a"))
    [[1]]
    """
    return [value for _, value in _owned(top)]


def referred(top: Any) -> list[Any]:
    """Return the saveable objects that `top` refers to, each once.

    They are not walked into.

    >>> referred([1, {"a": (2,)}])
    []
    """
    seen: dict[int, Any] = {}
    found: list[Any] = []
    waiting = [top]
    while waiting:
        value = waiting.pop()
        for part in [*(part for _, part in _parts(value)), *_members(value)]:
            if id(part) not in seen:
                seen[id(part)] = part
                (found if _is_saveable(type(part)) else waiting).append(part)
    return found


# -- paths: a graph may be a chain of thousands, so that they are only joined when told


class _Path(NamedTuple):
    before: _Path | None
    step: str


def _written(path: _Path | None) -> str:
    steps: list[str] = []
    while path is not None:
        steps.append(path.step)
        path = path.before
    return "".join(reversed(steps)) or "the top"


# -- what a value is apart from its parts


def _zone(zone: datetime.tzinfo | None) -> object:
    if type(zone) is datetime.timezone:
        return zone.__reduce__()[1]  # the offset, and the name if it was given one
    return zone.key if type(zone) is zoneinfo.ZoneInfo else id(zone)


def _clock(value: datetime.time | datetime.datetime) -> tuple[object, ...]:
    parts = (value.hour, value.minute, value.second, value.microsecond, value.fold)
    return (*parts, _zone(value.tzinfo))


_CALLABLES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    functools.partial,
)
# Values of other libraries that are nothing but their members.
_OF_MEMBERS: tuple[type, ...] = (
    *(pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color),
    *(panda3d.core.LVecBase3f, panda3d.core.LVecBase2i, panda3d.core.LVecBase4f),
)
_MATRICES: tuple[type, ...] = (panda3d.core.LMatrix4f,)


def _dtype(value: Any) -> str:
    return str(value.dtype.descr)


_SINGLE = (type, type(None), type(...), types.ModuleType, enum.Enum, *_CALLABLES)

# The first that fits counts: a bool is an int, a datetime is a date.
_TOKENS: tuple[tuple[type | tuple[type, ...], Callable[[Any], object]], ...] = (
    (_SINGLE, id),
    (types.MethodType, lambda v: id(v.__func__)),
    (int, int.__pos__),
    (float, lambda v: struct.pack(">d", v)),
    (complex, lambda v: struct.pack(">dd", v.real, v.imag)),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (bytearray, bytes),
    (array, lambda v: (v.typecode, v.tobytes())),
    (decimal.Decimal, decimal.Decimal.as_tuple),
    (fractions.Fraction, lambda v: (v.numerator, v.denominator)),
    (datetime.datetime, lambda v: (v.toordinal(), *_clock(v))),
    (datetime.date, datetime.date.toordinal),
    (datetime.time, _clock),
    (datetime.timedelta, lambda v: (v.days, v.seconds, v.microseconds)),
    (uuid.UUID, lambda v: (v.int, v.is_safe.value)),
    (pathlib.PurePath, str),
    (random.Random, random.Random.getstate),
    (numpy.random.Generator, lambda v: repr(v.bit_generator.state)),
    (numpy.ndarray, lambda v: (_dtype(v), v.shape, v.tobytes())),
    (numpy.generic, lambda v: (_dtype(v), v.tobytes())),
    *((cls, lambda v: struct.pack(f">{len(v)}d", *v)) for cls in _OF_MEMBERS),
    *((cls, lambda v: [cell for row in v for cell in row]) for cls in _MATRICES),
)
_CONTAINERS = (list, tuple, deque, dict, set, frozenset)
_GENERATORS = (random.Random, numpy.random.Generator)  # they may be shared
_CHANGING = (
    *(list, deque, dict, set, bytearray, array, numpy.ndarray),
    *(*_OF_MEMBERS, *_MATRICES, *_GENERATORS),
)
_UNCHANGING = (tuple, frozenset, weakref.ref)


@_once
def _token_of(cls: type) -> Callable[[Any], object] | None:
    return next((token for base, token in _TOKENS if _derives(cls, base)), None)


def _token(value: Any) -> object:
    token = _token_of(type(value))
    return token(value) if token else None


@_once
def _is_whole(cls: type) -> bool:
    """Return whether a token says all of a value: nothing of a user's can hang on it."""
    if _derives(cls, types.MethodType):
        return False  # its object is a part of it
    known = any(_package(cls) == _package(base) for base, _ in _TOKENS)
    return _derives(cls, _SINGLE) or (known and _token_of(cls) is not None)


def _package(cls: object) -> str:
    # In some versions of Python the paths come from `pathlib._local`.
    return getattr(cls, "__module__", "").partition(".")[0]


@_once
def _is_weak(cls: type) -> bool:
    return _derives(cls, weakref.ref)


@_once
def _is_saveable(cls: type) -> bool:
    return _derives(cls, SaveLoadable)


@_once
def _is_shared(cls: type) -> bool:
    return _is_saveable(cls) or _is_weak(cls) or _derives(cls, _GENERATORS)


@_once
def _container(cls: type) -> Any:
    return next((base for base in _CONTAINERS if _derives(cls, base)), None)


@_once
def _can_change(cls: Any) -> bool:
    """Return whether it matters which object of a class this is, and not only what it holds."""
    if _derives(cls, _CHANGING) or _derives(cls, _UNCHANGING) or _token_of(cls):
        return _derives(cls, _CHANGING)
    config = getattr(cls, "__dataclass_params__", None) or getattr(cls, _STRUCT, None)
    if config is not None:
        return not config.frozen
    return getattr(cls.__setattr__, "__name__", "") != "_frozen_setattrs"  # of attrs


_STRUCT = "__struct_config__"  # of msgspec


# -- the parts of a value


@_once
def _slots(cls: type) -> list[tuple[str, types.MemberDescriptorType]]:
    return [
        (name, member)
        for base in cls.__mro__
        for name, member in vars(base).items()
        if type(member) is types.MemberDescriptorType
    ]


def _attributes(value: Any) -> dict[str, Any]:
    """Return what an object itself holds: its `__dict__` and its slots."""
    found: dict[str, Any] = {}
    for name, slot in _slots(type(value)):
        try:
            found[name] = slot.__get__(value)
        except AttributeError:  # it is empty
            pass
    if type(value).__dictoffset__:
        found |= object.__getattribute__(value, "__dict__")
    return found


def _parts(value: Any) -> list[tuple[str, Any]]:
    """Return the parts of a value in their order, but not the members of a set."""
    cls = type(value)
    if _is_whole(cls):
        return []
    if _is_weak(cls):
        return [("()", weakref.ref.__call__(value))]
    if not (_container(cls) or _token_of(cls) or _is_open(cls)):
        raise TypeError(f"the oracle cannot look into a {cls.__qualname__}")
    attributes = [(f".{name}", part) for name, part in _attributes(value).items()]
    return [*_items(value), *attributes]


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    base = _container(type(value))
    if base is dict:
        for place, (key, item) in enumerate(dict.items(value)):
            yield f" key {place}", key
            shown = _shown(key) if _token_of(type(key)) else f"key {place}"
            yield f"[{shown}]", item
    elif base in (list, tuple, deque):
        for place, item in enumerate(base.__iter__(value)):
            yield f"[{place}]", item


def _members(value: Any) -> list[Any]:
    base = _container(type(value))
    return list(base.__iter__(value)) if base in (set, frozenset) else []


@_once
def _is_open(cls: type) -> bool:
    """Return whether all that objects of a class hold can be seen: it is written in Python."""
    return hasattr(cls, _STRUCT) or any(
        "__dict__" in vars(base) or "__slots__" in vars(base) for base in cls.__mro__
    )


def _owned(top: Any) -> Iterator[tuple[_Path | None, Any]]:
    """Yield all that can change and is part of `top`, with its path."""
    waiting: list[tuple[_Path | None, Any]] = [(None, top)]
    seen: dict[int, Any] = {}
    while waiting:
        path, value = waiting.pop()
        cls = type(value)
        reference = path is not None and _is_shared(cls)
        if reference or id(value) in seen:
            continue
        seen[id(value)] = value
        if _can_change(cls):
            yield path, value
        parts = [*_parts(value), *(("{}", member) for member in _members(value))]
        waiting += [
            (_Path(path, step), part)
            for step, part in reversed(parts)
            if not _is_whole(type(part)) or _can_change(type(part))
        ]


# -- words


def _shown(value: Any) -> str:
    cls = type(value)
    if _derives(cls, enum.Enum):
        return f"{cls.__qualname__}.{value.name}"
    if not _is_whole(cls) or _derives(cls, random.Random):
        return f"a {cls.__qualname__}"
    text = hex(value) if _derives(cls, int) and abs(value) > 2**64 else ascii(value)
    return text if len(text) < 80 else f"{text[:70]}… ({len(text)} characters)"


def _told_apart(left: Any, right: Any) -> str:
    shown = [_shown(left), _shown(right)]
    if shown[0] == shown[1]:  # NaNs of different bits, two classes of one name
        shown = [
            f"{_shown(v)} {type(v).__module__} {_token(v)!r}" for v in (left, right)
        ]
    return f"{shown[0]} on one side, {shown[1]} on the other"


# -- the comparison


class _Pair(NamedTuple):
    path: _Path | None
    left: Any
    right: Any


class _Comparison:
    """One walk: what was met, and which object on the right each one on the left became."""

    def __init__(self, counterpart: Counterpart | None) -> None:
        self._counterpart = counterpart
        self._right_of: dict[int, Any] = {}
        self._left_of: dict[int, Any] = {}
        self._met: dict[tuple[int, int], _Pair] = {}  # keeps alive what the ids are of
        self._waiting: list[_Pair] = []
        self._sets: list[_Pair] = []  # last, when most objects have found each other

    def run(self, left: Any, right: Any, path: _Path | None = None) -> str | None:
        self._waiting.append(_Pair(path, left, right))
        while self._waiting or self._sets:
            ordered = bool(self._waiting)
            pair = self._waiting.pop() if ordered else self._sets.pop(0)
            words = self._compare(pair) if ordered else self._match(pair)
            if words:
                return f"{_written(pair.path)}: {words}"
        return None

    def _compare(self, pair: _Pair) -> str | None:
        path, left, right = pair
        if path and self._counterpart and _is_saveable(type(left)):
            same = self._counterpart(left) is right
            return None if same else "a reference to another object"
        if words := _own_difference(left, right) or self._identity_lost(left, right):
            return words
        if not _is_whole(type(left)) and (id(left), id(right)) not in self._met:
            self._met[id(left), id(right)] = pair
            self._push_parts(pair)
        return None

    def _identity_lost(self, left: Any, right: Any) -> str | None:
        """Pair two objects that can change; tell if either is part of another pair."""
        cls = type(left)
        if not _can_change(cls):
            return None
        if self._right_of.setdefault(id(left), right) is not right:
            return f"one {cls.__qualname__} on one side is two on the other"
        if self._left_of.setdefault(id(right), left) is not left:
            return f"two {cls.__qualname__}s on one side are one on the other"
        return None

    def _push_parts(self, pair: _Pair) -> None:
        path, left, right = pair
        if _container(type(left)) in (set, frozenset):
            self._sets.append(pair)
        # By place where there is an order: two keys may look alike in a path.
        others = _parts(right)
        by_name = dict(others)
        for place, (step, part) in reversed([*enumerate(_parts(left))]):
            other = by_name[step] if step[0] == "." else others[place][1]
            self._waiting.append(_Pair(_Path(path, step), part, other))

    def _match(self, pair: _Pair) -> str | None:
        """Find for each member of one set its like in the other."""
        left, right = _members(pair.left), _members(pair.right)
        if all(_is_whole(type(member)) for member in (*left, *right)):
            lost = Counter(map(_own, left)) - Counter(map(_own, right))
            return f"only one set has {next(iter(lost))}" if lost else None
        for member in left:
            place = self._like(member, right)
            if place is None:
                return f"nothing in the other set is like {_shown(member)}"
            del right[place]
        return None

    def _like(self, member: Any, others: list[Any]) -> int | None:
        for place, other in enumerate(others):
            if not self._counterpart and _own_difference(member, other):
                continue
            attempt = self._copy()
            if attempt.run(member, other, _Path(None, "{}")) is None:
                self._right_of, self._left_of = attempt._right_of, attempt._left_of
                self._met = attempt._met
                return place
        return None

    def _copy(self) -> _Comparison:
        copied = _Comparison(self._counterpart)
        copied._right_of, copied._left_of = {**self._right_of}, {**self._left_of}
        copied._met = {**self._met}
        return copied


def _own(value: Any) -> tuple[type, object]:
    return type(value), _token(value)


def _own_difference(left: Any, right: Any) -> str | None:
    """Return how two values differ, their parts not looked at."""
    cls = type(left)
    if cls is not type(right) or _token(left) != _token(right):
        return _told_apart(left, right)
    if base := _container(cls):
        sizes = base.__len__(left), base.__len__(right)
        if sizes[0] != sizes[1]:
            return f"{sizes[0]} members on one side, {sizes[1]} on the other"
    if _derives(cls, deque) and left.maxlen != right.maxlen:
        return f"a maxlen of {left.maxlen} on one side, {right.maxlen} on the other"
    if _is_whole(cls):
        return None
    unequal = _attributes(left).keys() ^ _attributes(right).keys()
    return f"`{min(unequal)}` is set on one side only" if unequal else None
