"""Mismatches of an older save: how much of each today's game can hold."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from savegen.runtime.cells import GONE
from savegen.runtime.components import References
from savegen.runtime.errors import SaveError
from savegen.runtime.rows import Key
from savegen.runtime.stored import ARRAYS, MAPPINGS, Stored
from savegen.runtime.tagged import (
    Opaque,
    Tag,
    is_absent,
    keys_of,
    replace_keys,
    tag,
    untag,
)
from savegen.runtime.tagged import PARTS_FROM
from savegen.runtime.values import Values


class StandIns(References):
    """Lets something stand for all that belongs to a world.

    >>> stand_ins = StandIns()
    >>> stand_ins.key_of(stand_ins.get_component(7))
    7
    """

    def __init__(self) -> None:
        self._made: dict[Key, Opaque] = {}  # a weak reference needs something alive

    def get_component(self, key: Key, /) -> Any:
        return self._made.setdefault(key, Opaque((int(Tag.KEY), key))) if key else None

    def key_of(self, component: Any, /) -> Key:
        if type(component) is not Opaque:
            return super().key_of(component)
        key: Key = component.tagged[1]
        return key

    def asset(self, id: str, /) -> Any:
        return Opaque((int(Tag.ASSET), id))

    def generator(self, key: int, /) -> Any:
        return Opaque((int(Tag.GENERATOR), key))

    def class_at(self, number: int, /) -> Any:
        return Opaque((int(Tag.CLASS), number))


def readable(
    tagged: Any, stored: Stored, values: Values, absent: Container[Key]
) -> Any:
    """Return a tagged value as today's game will tag it, once it was loaded.

    References to objects that are `absent` lead to nothing; `stored` is the type that the
    field declares. Raises `SaveError` for a value that today's game cannot hold.
    """
    if is_absent(tagged):
        return tagged
    cut = _cut(tagged, stored, absent)
    stand_ins = StandIns()
    return tag(
        untag(None if cut is GONE else cut, stand_ins, values), stand_ins, values
    )


def _cut(tagged: Any, stored: Stored, absent: Container[Key]) -> Any:
    """Take what is absent out of a tagged value, as `cells.without` does of a cell."""
    if type(tagged) not in (tuple, list):
        return tagged
    if stored.name == "optional":
        found = _cut(tagged, stored.parts[0], absent)
        return None if found is GONE else found
    number, payload = tagged
    if number == Tag.KEY and stored.name == "ref":
        return GONE if payload in absent else tagged
    if number in _ITEMS and stored.name in _CONTAINERS:
        start = PARTS_FROM[number]
        made = [_cut(each, stored.parts[0], absent) for each in payload[start:]]
        return number, (*payload[:start], *(each for each in made if each is not GONE))
    if number in _DICTS and stored.name in MAPPINGS:
        return number, (*_cut_entries(number, payload, stored, absent),)
    return replace_keys(tagged, lambda key: 0 if key in absent else key)


def _cut_entries(
    number: int, payload: Any, stored: Stored, absent: Container[Key]
) -> Iterator[Any]:
    start = PARTS_FROM[number]
    yield from payload[:start]
    key, value = (*stored.parts, Stored("int"))[:2]
    found = iter(payload[start:])
    for pair in zip(found, found, strict=True):
        made = _cut(pair[0], key, absent), _cut(pair[1], value, absent)
        if made[0] is not GONE is not made[1]:
            yield from made


_ITEMS = (Tag.LIST, Tag.TUPLE, Tag.SET, Tag.FROZENSET, Tag.DEQUE)
_CONTAINERS = ARRAYS | {"deque"}
_DICTS = (Tag.DICT, Tag.DEFAULTDICT, Tag.ORDEREDDICT, Tag.COUNTER)


def loses(tagged: Any, values: Values, absent: Container[Key]) -> bool:
    """Return whether something of a tagged value is not in what today's game makes of it."""
    if any(key in absent for key in keys_of(tagged)):
        return True
    for name, numbers in _records(tagged):
        try:
            known = values[name].type.numbers
        except SaveError:
            return True
        if not known or not numbers <= {*known}:
            return True
    return False


def _records(tagged: Any) -> Iterator[tuple[str, set[int]]]:
    """Yield the class and the field numbers of each record in a tagged value."""
    if type(tagged) not in (tuple, list):
        return
    number, payload = tagged
    if number == Tag.RECORD:
        yield payload[0], {*payload[1::3]}
    for part in payload[PARTS_FROM[number] :] if number in PARTS_FROM else ():
        yield from _records(part)
