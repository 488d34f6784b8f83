"""From a tagged value to the cell that would say the same, if a stored type has one.

The inverse of `savegen.saves.tagging`: a value became a mismatch perhaps only because an int in
it is too long for a cell, and is converted like a cell all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from savegen.runtime.stored import MAPPINGS, NATIVE, RECORDS, Stored
from savegen.runtime.tagged import Tag, tag_of

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
