"""Mismatches of an older save: how much of each today's game can hold."""

from __future__ import annotations

from typing import Any

from savegen.runtime.components import References
from savegen.runtime.rows import Key
from savegen.runtime.tagged import (
    Opaque,
    Tag,
    Tagged,
    is_absent,
    parts_of,
    tag,
    untag,
)
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


def readable(tagged: Tagged, values: Values) -> Tagged:
    """Return a tagged value as today's game will tag it, once it was loaded.

    Raises `SaveError` for a value that today's game cannot hold.
    """
    if is_absent(tagged):
        return tagged
    stand_ins = StandIns()
    return tag(untag(tagged, stand_ins, values), stand_ins, values)


def loses(tagged: Tagged, values: Values) -> bool:
    """Return whether a record in a readable value has fields that its class has not."""
    if type(tagged) in (tuple, list) and tagged[0] == Tag.RECORD:
        name, *parts = tagged[1]
        if not {*parts[::3]} <= {*values[name].type.numbers}:
            return True
    return any(loses(part, values) for part in parts_of(tagged))
