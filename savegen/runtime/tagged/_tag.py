"""From a value to plain data that says what it is."""

from __future__ import annotations

import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

from msgspec import msgpack

from savegen.runtime import arrays, leaves
from savegen.runtime.errors import SaveError, a, told
from savegen.runtime.generators import is_generator
from savegen.runtime.tagged._forms import (
    ABSENT,
    DEPTH,
    FACTORIES,
    Lost,
    Opaque,
    Tag,
    Tagged,
)
from savegen.runtime.values import NO_VALUES, ValueEntry, Values

_MOST_REPEATS = 10_000  # containers that are met once more within one value


def tag(value: Any, references: Any, values: Values = NO_VALUES) -> Tagged:
    """Return a value as plain data that says what it is.

    Raises `Lost` if no kind holds it, or something in it.

    >>> from savegen.runtime.components import NO_REFERENCES
    >>> from savegen.runtime.tagged import untag
    >>> tag([1.5, {"a"}], NO_REFERENCES)
    (3, (1.5, (5, ('a',))))
    >>> untag([3, [1.5, [5, ["a"]]]], NO_REFERENCES)
    [1.5, {'a'}]
    """
    return _Tagger(references, values).tag(value)


class _Tagger:
    def __init__(self, references: Any, values: Values) -> None:
        self.references = references
        self.values = values
        self._around: set[int] = set()  # the containers that are being tagged, by `id`
        self._met: dict[int, Any] = {}  # every container, kept alive
        self._repeats = 0

    def tag(self, value: Any) -> Tagged:
        # By `id`: the hash of a class is its metaclass's affair.
        make = _MAKERS.get(id(type(value)))
        if make is not None:
            return make(self, value)
        return self._other(value)

    def _entered(self, value: Any, make: Callable[[Any], Tagged]) -> Tagged:
        """Tag what has parts; refuse what is one of its own parts."""
        place = id(value)
        if place in self._around or len(self._around) >= DEPTH:
            raise Lost("it holds itself or is nested too deep")
        self._repeats += place in self._met
        if self._repeats > _MOST_REPEATS:
            raise Lost("it holds the same parts too often")
        self._met[place] = value
        self._around.add(place)
        try:
            return make(value)
        finally:
            self._around.discard(place)

    def each(self, members: Iterable[Any]) -> tuple[Tagged, ...]:
        return (*map(self.tag, members),)

    def container(self, number: Tag, value: Any, *first: Any) -> Tagged:
        return self._entered(value, lambda v: (int(number), (*first, *self.each(v))))

    def set(self, number: Tag, value: Any) -> Tagged:
        return self._entered(
            value,
            lambda v: (int(number), (*sorted(self.each(v), key=msgpack.encode),)),
        )

    def mapping(self, number: Tag, value: Any, *first: Any) -> Tagged:
        def make(value: Any) -> Tagged:
            parts = (part for entry in dict.items(value) for part in entry)
            return int(number), (*first, *self.each(parts))

        return self._entered(value, make)

    def _other(self, value: Any) -> Tagged:
        cls = type(value)
        if entry := self.values.of(cls):
            return self._of_game(entry, value)
        if arrays.is_array(value):
            return int(Tag.NDARRAY), _unless_lost(arrays.pack_ndarray, value)
        if arrays.is_number(value):
            return int(Tag.NUMPY), _unless_lost(arrays.pack_number, value)
        if leaves.is_path(value):
            return int(Tag.PATH), tagged_text(leaves.pack_path(value))
        if is_generator(value):
            return int(Tag.GENERATOR), self.references.generator_key(value)
        if cls is weakref.ref:
            target = value()
            key = _unless_lost(self.references.key_of, target) if target else 0
            return int(Tag.WEAK), key
        if isinstance(value, type):
            return int(Tag.CLASS), self._number(value)
        return self._object(value)

    def _number(self, cls: type) -> int:
        try:
            return int(self.references.class_number(cls))
        except SaveError:
            raise Lost(f"the class `{cls.__qualname__}` is not saveable") from None

    def _object(self, value: Any) -> Tagged:
        """Tag an object of the world, or an asset."""
        try:
            return int(Tag.KEY), self.references.key_of(value)
        except SaveError as error:
            reason = error
        try:
            return int(Tag.ASSET), tagged_text(self.references.id_of(value))
        except SaveError:
            raise Lost(_reason(value, reason)) from None

    def _of_game(self, entry: ValueEntry, value: Any) -> Tagged:
        kind = entry.type.name
        if kind == "prefab":
            return int(Tag.PREFAB), int(value)
        if kind == "flag":
            return int(Tag.FLAG), (entry.name, leaves.pack_flag(value))
        if kind == "enum":
            return int(Tag.ENUM), (entry.name, value._name_)
        make = self._foreign if kind == "codec" else self._record
        return self._entered(value, lambda value: make(entry, value))

    def _foreign(self, entry: ValueEntry, value: Any) -> Tagged:
        assert entry.pack is not None
        packed = _unless_lost(entry.pack, value, self.references)
        return int(Tag.FOREIGN), (entry.name, self.tag(packed))

    def _record(self, entry: ValueEntry, value: Any) -> Tagged:
        made: list[Any] = [entry.name]
        for number, name, *_ in entry.type.fields:
            part = getattr(value, name, ABSENT)
            made += [number, name, part if part is ABSENT else self.tag(part)]
        return int(Tag.RECORD), (*made,)


def _unless_lost(pack: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a pack function returns; if it refuses, its reason is why a value is lost."""
    try:
        return pack(*arguments)
    except Lost:
        raise
    except SaveError as error:
        raise Lost(str(error)) from error
    except Exception as error:  # a codec of the game's
        raise Lost(f"its codec raised {told(error)}") from error


def _reason(value: Any, error: SaveError) -> str:
    found = a(type(value).__qualname__)
    if isinstance(value, Enum):
        return f"no saved field is declared to hold {found}"
    return f"{found} is not a value that can be saved"


def _int(tagger: _Tagger, value: int) -> Tagged:
    if -(2**63) <= value < 2**64:
        return value
    size = value.bit_length() // 8 + 1
    return int(Tag.INT), value.to_bytes(size, "big", signed=True)


def tagged_text(value: str) -> Tagged:
    """Return a text, tagged if it has lone surrogates."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return int(Tag.STR), value.encode("utf-8", "surrogatepass")
    return value


def _itself(tagger: _Tagger, value: Any) -> Tagged:
    return value


def _leaf(number: Tag, pack: Callable[[Any], Any]) -> Callable[[_Tagger, Any], Tagged]:
    return lambda tagger, value: (int(number), _unless_lost(pack, value))


def _moment(
    number: Tag, pack: Callable[[Any], str]
) -> Callable[[_Tagger, Any], Tagged]:
    return lambda tagger, value: (int(number), tagged_text(_unless_lost(pack, value)))


_FACTORY_NAMES: dict[int, str | None] = {
    id(factory): name for name, factory in FACTORIES.items()
} | {id(None): None}


def _defaultdict(tagger: _Tagger, value: defaultdict[Any, Any]) -> Tagged:
    factory = value.default_factory
    if id(factory) not in _FACTORY_NAMES:
        raise Lost(f"the default factory of a defaultdict is {factory!r}")
    return tagger.mapping(Tag.DEFAULTDICT, value, _FACTORY_NAMES[id(factory)])


_MAKERS: dict[int, Callable[[_Tagger, Any], Tagged]] = {
    id(cls): make
    for cls, make in {
        type(None): _itself,
        bool: _itself,
        float: _itself,
        bytes: _itself,
        int: _int,
        str: lambda tagger, value: tagged_text(value),
        list: lambda tagger, value: tagger.container(Tag.LIST, value),
        tuple: lambda tagger, value: tagger.container(Tag.TUPLE, value),
        set: lambda tagger, value: tagger.set(Tag.SET, value),
        frozenset: lambda tagger, value: tagger.set(Tag.FROZENSET, value),
        deque: lambda tagger, value: tagger.container(Tag.DEQUE, value, value.maxlen),
        dict: lambda tagger, value: tagger.mapping(Tag.DICT, value),
        OrderedDict: lambda tagger, value: tagger.mapping(Tag.ORDEREDDICT, value),
        Counter: lambda tagger, value: tagger.mapping(Tag.COUNTER, value),
        defaultdict: _defaultdict,
        complex: _leaf(Tag.COMPLEX, leaves.pack_complex),
        Decimal: _leaf(Tag.DECIMAL, leaves.pack_decimal),
        Fraction: _leaf(Tag.FRACTION, leaves.pack_fraction),
        date: _leaf(Tag.DATE, leaves.pack_date),
        time: _moment(Tag.TIME, leaves.pack_time),
        datetime: _moment(Tag.DATETIME, leaves.pack_datetime),
        timedelta: _leaf(Tag.TIMEDELTA, leaves.pack_timedelta),
        UUID: _leaf(Tag.UUID, leaves.pack_uuid),
        bytearray: _leaf(Tag.BYTEARRAY, bytes),
        Opaque: lambda tagger, value: value.tagged,
        array: _leaf(Tag.ARRAY, leaves.pack_array),
    }.items()
}
