"""Mismatches of an older save: how much of each today's game can hold."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from savegen.runtime.cells import GONE
from savegen.runtime.components import References
from savegen.runtime.errors import SaveError
from savegen.runtime.rows import Key
from savegen.runtime.stored import ARRAYS, MAPPINGS, NATIVE, RECORDS, Stored
from savegen.runtime.tagged import (
    Opaque,
    Tag,
    is_absent,
    keys_of,
    replace_keys,
    tag,
    tag_of,
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


# -- from a tagged value to the cell that would say the same
#
# The inverse of `savegen.saves.tagging`: a value became a mismatch perhaps only because an int in
# it is too long for a cell, and is converted like a cell all the same.

Around = Mapping[str, Stored]


def untagged(stored: Stored, tagged: Any) -> Any:
    """Return the cell of a stored type for a tagged value; it may not be possible to encode it.

    Raises `ValueError` if the value is of another type.

    >>> from savegen.runtime.stored import parse
    >>> untagged(parse("(int, optional<ref<7>>)"), (4, (1, (25, 12))))
    (1, 12)
    """
    try:
        return _cell(stored, tagged, {})
    except (TypeError, LookupError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _cell(stored: Stored, tagged: Any, around: Around) -> Any:
    name = stored.name
    if name in NATIVE or name == "literal" or stored.is_native_union:
        return _scalar(tagged)
    if name in _SPECIAL:
        return _SPECIAL[name](stored, tagged, around)
    if type(tagged) not in (tuple, list):
        raise ValueError(f"{tagged!r} is no `{stored}`")
    number, payload = tagged
    if name in RECORDS:
        return _record(stored, number, payload, {**around, stored.label: stored})
    if number != tag_of(name):
        raise ValueError(f"{Tag(number).name} is no `{stored}`")
    if name in ("enum", "flag"):
        return payload[1]
    if name == "fixed":
        pairs = zip(stored.parts, payload, strict=True)
        return tuple(_cell(part, each, around) for part, each in pairs)
    if name == "deque":
        return payload[0], _each(stored.parts[0], payload[1:], around)
    if name in MAPPINGS:
        return _mapping(stored, payload, around)
    if stored.parts and name != "weak":
        return _each(stored.parts[0], payload, around)
    return _scalar(payload)


def _scalar(tagged: Any) -> Any:
    """Return a value that stands for itself, or a text or an int that does not."""
    if type(tagged) not in (tuple, list) or tagged[0] not in (Tag.INT, Tag.STR):
        return tagged
    number, payload = tagged
    if number == Tag.INT:
        return int.from_bytes(payload, "big", signed=True)
    return str(payload, "utf-8", "surrogatepass")


def _each(part: Stored, members: Any, around: Around) -> list[Any]:
    return [_cell(part, each, around) for each in members]


def _mapping(stored: Stored, payload: Any, around: Around) -> Any:
    key, value = (*stored.parts, Stored("int"))[:2]
    found = iter(payload[1:] if stored.name == "defaultdict" else payload)
    made = [
        (_cell(key, one, around), _cell(value, other, around))
        for one, other in zip(found, found, strict=True)
    ]
    return dict(made) if stored.is_map else made


def _record(stored: Stored, number: int, payload: Any, around: Around) -> Any:
    if number == Tag.DICT:  # a `TypedDict`
        found = iter(payload)
        saved = dict(zip(found, found, strict=True))
        keys: tuple[Any, ...] = stored.names
    elif number == Tag.RECORD:
        _, *parts = payload
        found = iter(parts)
        saved = {n: each for n, _, each in zip(found, found, found, strict=True)}
        keys = stored.numbers
    else:
        raise ValueError(f"{Tag(number).name} is no `{stored}`")
    made = []
    for key, field in zip(keys, stored.fields):
        if not field.may_be_absent:
            made.append(_cell(field.type, saved[key], around))
        else:
            there = [saved[key]] if key in saved else []
            made.append((*_each(field.type, there, around),))
    return tuple(made)


def _optional(stored: Stored, tagged: Any, around: Around) -> Any:
    (part,) = stored.parts
    if tagged is None:
        return 0 if part.name == "ref" else None
    return _cell(part, tagged, around)


def _ref(stored: Stored, tagged: Any, around: Around) -> Any:
    number, payload = tagged
    if number != Tag.KEY:
        raise ValueError(f"{Tag(number).name} is no reference")
    return payload


def _union(stored: Stored, tagged: Any, around: Around) -> Any:
    cells: list[Any] = [None] * len(stored.parts)
    for index, part in enumerate(stored.parts):
        try:
            cells[index] = _cell(part, tagged, around)
        except (ValueError, TypeError, LookupError):
            continue
        return [index, *cells]
    raise ValueError(f"no `{stored}`")


def _codec(stored: Stored, tagged: Any, around: Around) -> Any:
    number, payload = tagged
    if number != Tag.FOREIGN:
        raise ValueError(f"{Tag(number).name} is no `{stored}`")
    return _cell(stored.parts[0], payload[1], around)


_SPECIAL: dict[str, Callable[[Stored, Any, Around], Any]] = {
    "optional": _optional,
    "ref": _ref,
    "union": _union,
    "codec": _codec,
    "any": lambda stored, tagged, around: tagged,
    "rec": lambda stored, tagged, around: _cell(around[stored.label], tagged, around),
}
