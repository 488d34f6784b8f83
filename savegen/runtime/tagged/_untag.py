"""From tagged data to the value."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from enum import Flag
from typing import Any

from savegen.runtime import arrays, leaves
from savegen.runtime.errors import SaveCorruptError, SaveError, told
from savegen.runtime.fields import default_of
from savegen.runtime.rows import Key
from savegen.runtime.tagged._forms import (
    ABSENT,
    BROKEN,
    DEPTH,
    FACTORIES,
    Opaque,
    Tag,
    Tagged,
    is_absent,
)
from savegen.runtime.unpack import weak
from savegen.runtime.values import NO_VALUES, Values, made_of


def untag(tagged: Tagged, references: Any, values: Values = NO_VALUES) -> Any:
    """Return the value of tagged data.

    The data may come from a file. Raises `SaveCorruptError` if it is no tagged value, and
    `SaveError` if it names what the game does not have. The hash of an object may depend on its
    fields, so those must be set before sets and dicts of objects are untagged.
    """
    return _read(tagged, Untagger(references, values))


def untag_plain(tagged: Tagged, reference: Callable[[Key], Any]) -> Any:
    """Return a tagged value as far as it can be made without the game.

    What `reference` returns for a key stands for an object, and an `Opaque` for everything
    else that belongs to a game. Raises `SaveCorruptError` if it is no tagged value.

    >>> untag_plain((3, ((25, 7), (31, ("mygame.Colour", "RED")))), "object {}".format)
    ['object 7', Colour.RED]
    """
    return _read(tagged, _PlainUntagger(reference))


def _read(tagged: Tagged, untagger: Untagger) -> Any:
    try:
        return untagger.value(tagged, DEPTH + 1)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(f"invalid tagged value in save: {told(error)}") from None


class Untagger:
    def __init__(self, references: Any, values: Values) -> None:
        self.references = references
        self.values = values

    def value(self, tagged: Tagged, depth: int) -> Any:
        if type(tagged) not in (tuple, list):
            return _native(tagged)
        if not depth:
            raise SaveCorruptError(
                f"a value in the save is nested more than {DEPTH} deep"
            )
        number, payload = tagged
        return self.read(number, payload, depth - 1)

    def read(self, number: int, payload: Any, depth: int) -> Any:
        return READERS[number](self, payload, depth)

    def each(self, members: Any, depth: int) -> list[Any]:
        return [self.value(each, depth) for each in members]

    def entries(self, parts: Any, depth: int) -> dict[Any, Any]:
        found = iter(self.each(parts, depth))
        return dict(zip(found, found, strict=True))

    def text(self, payload: Any) -> str:
        found = self.value(payload, 1)
        if type(found) is not str:
            raise TypeError("a text is missing")
        return found

    def enum(self, payload: Any, depth: int) -> Any:
        name, member = payload
        cls = self.values[name].load()
        if member not in cls.__members__:
            raise SaveError(
                f"the save has `{cls.__qualname__}.{member}`, which is gone"
            )
        return cls.__members__[member]

    def flag(self, payload: Any, depth: int) -> Any:
        name, members = payload
        cls = self.values[name].load()
        if not (isinstance(cls, type) and issubclass(cls, Flag)):
            raise SaveError(f"`{name}` is not a flag any more")
        return leaves.unpack_flag(cls, members)

    def prefab(self, payload: Any, depth: int) -> Any:
        entry = self.values.prefabs
        try:
            return entry.load()(payload) if entry else None
        except ValueError:
            raise SaveError(f"the save has an unknown prefab {payload}") from None

    def record(self, payload: Any, depth: int) -> Any:
        name, *parts = payload
        entry, found = self.values[name], iter(parts)
        saved = {n: part for n, _, part in zip(found, found, found, strict=True)}
        cls = entry.load()
        fields = {}
        for number, name, *_ in entry.type.fields:
            if number not in saved:
                fields[name] = _default(cls, name)
            elif not is_absent(saved[number]):
                fields[name] = self.value(saved[number], depth)
        return made_of(cls, fields)

    def foreign(self, payload: Any, depth: int) -> Any:
        name, packed = payload
        entry = self.values[name]
        if entry.unpack is None:
            raise SaveError(f"`{name}` has no codec any more")
        plain = self.value(packed, depth)
        try:
            return entry.unpack(plain, self.references)
        except SaveError:
            raise
        except Exception as error:
            raise SaveError(f"the codec of `{name}` raised {told(error)}") from error


_NATIVES = frozenset([type(None), bool, int, float, str, bytes])


def _native(tagged: Tagged) -> Any:
    """Return a value that stands for itself; MessagePack has others, such as timestamps."""
    if type(tagged) in _NATIVES:
        return tagged
    raise TypeError(f"a {type(tagged).__name__} has no tag")


def _default(cls: Any, name: str) -> Any:
    make = default_of(cls, name)
    if make is None:
        raise SaveError(
            f"`{cls.__qualname__}` has a new field `{name}` without a default"
        )
    return make(cls)


_Read = Callable[[Untagger, Any, int], Any]


def _unpacked(unpack: Callable[[Any], Any]) -> _Read:
    return lambda untagger, payload, depth: unpack(payload)


def _of_text(unpack: Callable[[str], Any]) -> _Read:
    return lambda untagger, payload, depth: unpack(untagger.text(payload))


def _members(cls: Callable[[Any], Any]) -> _Read:
    return lambda untagger, payload, depth: cls(untagger.each(payload, depth))


def _entries(cls: Callable[[Any], Any]) -> _Read:
    return lambda untagger, payload, depth: cls(untagger.entries(payload, depth))


def _read_defaultdict(untagger: Untagger, payload: Any, depth: int) -> Any:
    factory, *parts = payload
    made = None if factory is None else FACTORIES[factory]
    return defaultdict(made, untagger.entries(parts, depth))


def _read_deque(untagger: Untagger, payload: Any, depth: int) -> Any:
    maxlen, *members = payload
    return deque(untagger.each(members, depth), maxlen)


READERS: dict[int, _Read] = {
    Tag.ABSENT: lambda untagger, payload, depth: ABSENT,
    Tag.INT: lambda u, payload, depth: int.from_bytes(payload, "big", signed=True),
    Tag.STR: lambda u, payload, depth: str(payload, "utf-8", "surrogatepass"),
    Tag.LIST: Untagger.each,
    Tag.TUPLE: _members(tuple),
    Tag.SET: _members(set),
    Tag.FROZENSET: _members(frozenset),
    Tag.DICT: Untagger.entries,
    Tag.DEFAULTDICT: _read_defaultdict,
    Tag.ORDEREDDICT: _entries(OrderedDict),
    Tag.COUNTER: _entries(Counter),
    Tag.DEQUE: _read_deque,
    Tag.COMPLEX: _unpacked(leaves.unpack_complex),
    Tag.DECIMAL: _unpacked(leaves.unpack_decimal),
    Tag.FRACTION: _unpacked(leaves.unpack_fraction),
    Tag.DATE: _unpacked(leaves.unpack_date),
    Tag.TIME: _of_text(leaves.unpack_time),
    Tag.DATETIME: _of_text(leaves.unpack_datetime),
    Tag.TIMEDELTA: _unpacked(leaves.unpack_timedelta),
    Tag.UUID: _unpacked(leaves.unpack_uuid),
    Tag.PATH: _of_text(leaves.unpack_path),
    Tag.BYTEARRAY: _unpacked(bytearray),
    Tag.ARRAY: _unpacked(leaves.unpack_array),
    Tag.NDARRAY: _unpacked(arrays.unpack_ndarray),
    Tag.NUMPY: _unpacked(arrays.unpack_number),
    Tag.KEY: lambda u, payload, depth: u.references.get_component(payload),
    Tag.WEAK: lambda u, payload, depth: weak(u.references.get_component(payload)),
    Tag.CLASS: lambda u, payload, depth: u.references.class_at(payload),
    Tag.PREFAB: Untagger.prefab,
    Tag.ASSET: lambda u, payload, depth: u.references.asset(u.text(payload)),
    Tag.GENERATOR: lambda u, payload, depth: u.references.generator(payload),
    Tag.ENUM: Untagger.enum,
    Tag.FLAG: Untagger.flag,
    Tag.RECORD: Untagger.record,
    Tag.FOREIGN: Untagger.foreign,
}


class _PlainUntagger(Untagger):
    def __init__(self, reference: Callable[[Key], Any]) -> None:
        super().__init__(None, NO_VALUES)
        self._reference = reference

    def read(self, number: int, payload: Any, depth: int) -> Any:
        if number == Tag.KEY:
            return self._reference(payload) if payload else None
        if number >= Tag.WEAK:
            return Opaque((number, payload))
        return super().read(number, payload, depth)
