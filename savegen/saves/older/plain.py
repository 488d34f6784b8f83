"""Cells as plain data, the way migrations and converters see and write them.

====================================  ========================================================
bool int float str bytes none         the value itself; of a `bytearray` its bytes
decimal fraction date time datetime   a str, as it is stored: "1.50", "1/3", "2026-01-31T18:05:00"
uuid                                  a str
complex timedelta                     a list of its numbers
enum                                  the name of the member; of a flag, names by "|"
list tuple set frozenset deque        a list
dict, its keys are str                a dict
dict, other keys                      a list of [key, value]
value record                          a dict by field name; a key that is absent is not in it
ref weak                              {"$ref": key}, or None
union                                 the value; {"$is": index, "value": …} if that does not show
                                      of which type it is
any                                   the value itself; objects in it are {"$ref": key}, and
                                      values of the game's own classes are opaque
====================================  ========================================================

What is written may also be the value of today: a `Decimal`, a member, an object of a class.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from msgspec import msgpack
from msgspec.structs import astuple

from savegen.runtime import arrays, leaves
from savegen.runtime.components import References
from savegen.runtime.errors import SaveError, a, nearest, told
from savegen.runtime.fits import misfits
from savegen.runtime.packing import ordered
from savegen.runtime.rows import Key, Row
from savegen.runtime.stored import ARRAYS, MAPPINGS, NATIVE, RECORDS, Field, Stored
from savegen.runtime.tagged import (
    BROKEN,
    DEPTH,
    PARTS_FROM,
    Tag,
    Tagged,
    is_absent,
    tag,
    tag_of,
    untag_plain,
)
from savegen.runtime.values import NO_VALUES, Values


class Ref(dict[str, Key]):
    """A reference in plain data: `{"$ref": key}`. Unlike other dicts it can be in a set.

    >>> Ref(7), {Ref(7)} == {Ref(7)}
    ({'$ref': 7}, True)
    """

    __slots__ = ()

    def __init__(self, key: Key) -> None:
        super().__init__({"$ref": key})

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self["$ref"])


def key_in(value: Any) -> Key | None:
    """Return the key of a reference in plain data; `None` if it is something else."""
    is_one = isinstance(value, dict) and [*value] == ["$ref"]
    return value["$ref"] if is_one and _is_key(value["$ref"]) else None


def _is_key(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def is_same(left: Any, right: Any) -> bool:
    """Return whether two values of plain data are the same, in type and to the last bit.

    >>> is_same([1, 0.0], [1, 0.0]), is_same([1], [True]), is_same([0.0], [-0.0])
    (True, False, False)
    """
    try:
        return msgpack.encode(_tagged(left)) == msgpack.encode(_tagged(right))
    except (SaveError, RecursionError):  # a value of today: no cell was read as that
        return False


# -- from cells


def to_plain(stored: Stored, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.stored import parse
    >>> to_plain(parse("(optional<ref<7>>, value V{1 x: float})"), (12, (0.5,)))
    [{'$ref': 12}, {'x': 0.5}]
    """
    name, parts = stored.name, stored.parts
    if name in ("ref", "weak"):
        return Ref(cell) if cell else None
    if name == "optional":
        is_none = cell is None or (not cell and parts[0].name == "ref")
        return None if is_none else to_plain(parts[0], cell)
    if name in RECORDS:
        return _plain_record(stored, cell)
    if name in MAPPINGS:
        return _plain_dict(stored, cell)
    if name == "fixed":
        return [*map(to_plain, parts, cell)]
    if name in ARRAYS or name == "deque":
        return [
            to_plain(parts[0], each) for each in (cell if name in ARRAYS else cell[1])
        ]
    if name == "union":
        return _plain_union(stored, cell)
    if name == "codec":
        return to_plain(parts[0], cell)
    if name == "any":
        return untag_plain(cell, Ref)
    if name == "uuid":
        return str(leaves.unpack_uuid(cell))
    if name == "ndarray":
        cell = arrays.in_full(cell, stored.label)
    return [*cell] if type(cell) is tuple else cell


_INT = Stored("int")  # what a `Counter` counts with


def _plain_record(stored: Stored, cell: Any) -> dict[str, Any]:
    cells = astuple(cell) if isinstance(cell, Row) else cell  # of a recursive record
    found = {}
    for field, each in zip(stored.inner_fields, cells, strict=True):
        for there in (each if field.may_be_absent else (each,)):
            found[field.name] = to_plain(field.type, there)
    return found


def _plain_dict(stored: Stored, cell: Any) -> Any:
    key, value = (*stored.parts, _INT)[:2]
    pairs = cell.items() if isinstance(cell, dict) else cell
    made = [[to_plain(key, k), to_plain(value, v)] for k, v in pairs]
    return dict(made) if key.name == "str" else made


def _plain_union(stored: Stored, cell: Any) -> Any:
    if stored.is_native_union:
        return cell
    index, *cells = cell
    plain = to_plain(stored.parts[index], cells[index])
    shapes = [*map(_shape, stored.parts)]
    if shapes[index] and shapes.count(shapes[index]) == 1:
        return plain
    return {"$is": index, "value": plain}


def _shape(stored: Stored) -> str:
    """Return of which kind the plain data of a stored type are; "" if of several."""
    if stored.name in MAPPINGS and stored.parts[0].name != "str":
        return "list"
    return (
        _shape(stored.parts[0])
        if stored.name == "codec"
        else _SHAPES.get(stored.name, "")
    )


_SHAPES: dict[str, str] = {
    **{name: name for name in NATIVE},
    **dict.fromkeys(
        "decimal fraction date time datetime uuid path asset".split(), "str"
    ),
    **dict.fromkeys(["enum", "flag"], "str"),
    **dict.fromkeys("list tuple set frozenset deque fixed complex".split(), "list"),
    **dict.fromkeys("timedelta array ndarray numpy".split(), "list"),
    **dict.fromkeys("class prefab random generator".split(), "int"),
    **dict.fromkeys([*RECORDS, *MAPPINGS], "dict"),
    **dict.fromkeys(["ref", "weak"], "ref"),
    "bytearray": "bytes",
}


# -- to cells


def from_plain(stored: Stored, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the cell for plain data, or for a value of today.

    Raises `SaveError` if it does not fit the stored type.

    >>> from savegen.runtime.stored import parse
    >>> from_plain(parse("list<optional<ref<7>>>"), [{"$ref": 12}, None])
    [12, 0]
    >>> from decimal import Decimal
    >>> from_plain(parse("decimal"), Decimal("1.50"))
    '1.50'
    """
    cell = unencoded(stored, value, values)
    try:
        msgpack.encode(cell)
    except (OverflowError, UnicodeEncodeError, RecursionError) as error:
        raise _unfit(stored, value, told(error)) from None
    return cell


def unencoded(stored: Stored, value: Any, values: Values = NO_VALUES) -> Any:
    """Return what `from_plain` does, or a cell that cannot be encoded.

    Only an int beyond 64 bits or a lone surrogate may be the reason.
    """
    try:
        return _fitting(stored, _tagged(value, values), is_exact=False)
    except SaveError:
        raise
    except (*BROKEN, RecursionError) as error:
        raise _unfit(
            stored, value, "" if type(error) is _Unfit else told(error)
        ) from None


def untagged(stored: Stored, tagged: Tagged) -> Any:
    """Return the cell of a stored type for a tagged value; it may not be possible to encode it.

    A value became a mismatch perhaps only because an int in it is too long for a cell. Raises
    `ValueError` if the value is of another type.

    >>> from savegen.runtime.stored import parse
    >>> untagged(parse("(int, optional<ref<7>>)"), (4, (1, (25, 12))))
    [1, 12]
    """
    try:
        return _fitting(stored, tagged, is_exact=True)
    except (SaveError, *BROKEN, RecursionError) as error:
        raise ValueError(str(error)) from None


_SHOWN = 60  # characters of a value that an error shows


def _unfit(stored: Stored, value: Any, reason: str) -> SaveError:
    shown, text = (
        each if len(each) <= _SHOWN else f"{each[:_SHOWN]}…"
        for each in (repr(value), str(stored))
    )
    return SaveError(f"{shown} does not fit `{text}`{': ' * bool(reason)}{reason}")


class _Unfit(ValueError):
    """There is no more to say than that a value does not fit."""


class _Refs(References):
    """Knows the keys of references in plain data, and the numbers of classes."""

    def key_of(self, component: Any, /) -> Key:
        is_ref = type(component) is Ref
        return component["$ref"] if is_ref else super().key_of(component)

    def class_number(self, cls: Any, /) -> int:
        return int(getattr(cls, "save_type", None) or super().class_number(cls))


def _tagged(value: Any, values: Values = NO_VALUES) -> Tagged:
    """Return plain data or a value of today as a tagged value."""
    # A record takes two levels there: itself, and the list or dict that leads to the next.
    return _with_keys(tag(value, _Refs(), values, 2 * DEPTH))


def _with_keys(tagged: Tagged) -> Tagged:
    """Return a tagged value in which each dict `{"$ref": key}` is a reference."""
    if type(tagged) is not tuple or tagged[0] not in PARTS_FROM:
        return tagged
    number, payload = tagged
    if number == Tag.DICT and payload[:1] == ("$ref",) and _is_key(payload[-1]):
        return (int(Tag.KEY), payload[1]) if len(payload) == 2 else tagged
    first = PARTS_FROM[number]
    return number, (*payload[:first], *map(_with_keys, payload[first:]))


def _fitting(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    cell = _cell(stored, tagged, is_exact)
    if misfits(stored, [cell], dangling=True):
        raise _Unfit
    return cell


def _cell(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    """Return the cell for a tagged value: of exactly the stored type, or of its plain form."""
    return _READERS.get(stored.name, _leaf)(stored, tagged, is_exact)


def _opened(tagged: Tagged) -> tuple[int | None, Any]:
    """Return the tag and the payload of a tagged value; no tag if it stands for itself."""
    return tagged if type(tagged) in (tuple, list) else (None, tagged)


def _refused(tagged: Tagged, what: str) -> TypeError:
    number, payload = _opened(tagged)
    name = type(payload).__name__ if number is None else Tag(number).name.lower()
    return TypeError(f"{a(name)} is not {a(what)}")


def _scalar(stored: Stored, tagged: Tagged, is_exact: bool = True) -> Any:
    """Return a value that stands for itself, or a text or an int that does not."""
    number, payload = _opened(tagged)
    if number == Tag.INT:
        return int.from_bytes(payload, "big", signed=True)
    if number == Tag.STR:
        return str(payload, "utf-8", "surrogatepass")
    if number is not None:
        raise _Unfit
    return payload


def _leaf(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    name = stored.name
    number, payload = _opened(tagged)
    if number == tag_of(name):
        if name in ("enum", "flag"):
            return _of_class(stored, payload)
        if name == "ndarray":
            return arrays.short(payload, stored.label)
        return _scalar(stored, payload) if name in _TEXTS else payload
    if name == "date" and number == Tag.DATETIME and not is_exact:
        return _scalar(stored, payload)
    if is_exact:
        raise _refused(tagged, name)
    value = untag_plain(tagged, Ref)
    cell = _FROM_PLAIN[name](value) if name in _FROM_PLAIN else value
    if name in leaves.LEAVES:
        leaves.LEAVES[name].unpack(cell)
    return arrays.short(cell, stored.label) if name == "ndarray" else cell


def _of_class(stored: Stored, payload: Any) -> Any:
    """Return the second of a class's name and what is in a value of it."""
    if payload[0] != stored.label:
        raise _Unfit
    return payload[1]


def _float(value: Any) -> Any:
    is_exact = type(value) is int and int(float(value)) == value
    return float(value) if is_exact else value


_TEXTS = ("time", "datetime", "path", "asset")
_FROM_PLAIN: dict[str, Callable[[Any], Any]] = {
    "complex": lambda value: (*map(_float, value),),
    "decimal": lambda value: str(value) if type(value) is int else value,
    "fraction": lambda value: f"{value}/1" if type(value) is int else value,
    "uuid": lambda value: uuid.UUID(value).bytes if type(value) is str else value,
}


def _ref(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _opened(tagged)
    if number == tag_of(stored.name) or (number == Tag.KEY and not is_exact):
        return payload
    if tagged is None and not is_exact:
        return 0
    raise TypeError('a reference is {"$ref": …} or None')


def _optional(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    (part,) = stored.parts
    if tagged is None:
        return 0 if part.name == "ref" else None
    return _cell(part, tagged, is_exact)


def _members(
    stored: Stored, tagged: Tagged, is_exact: bool, *others: Tag
) -> tuple[int, Any]:
    """Return the tag of a container and its members. Plain data may have `others` of tags."""
    number, payload = _opened(tagged)
    own = tag_of(stored.name)
    if number is None or (number != own and (is_exact or number not in others)):
        raise _refused(tagged, own.name.lower() if is_exact else others[0].name.lower())
    return number, payload[PARTS_FROM[number] :]


_ITEMS = (Tag.LIST, Tag.TUPLE, Tag.SET, Tag.FROZENSET, Tag.DEQUE)
_DICTS = (Tag.DICT, Tag.DEFAULTDICT, Tag.ORDEREDDICT, Tag.COUNTER)


def _items(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, members = _members(stored, tagged, is_exact, *_ITEMS)
    made = [_cell(stored.parts[0], each, is_exact) for each in members]
    if stored.name == "deque":
        return tagged[1][0] if number == Tag.DEQUE else None, made
    return ordered(made) if stored.name in ("set", "frozenset") else made


def _fixed(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    _, members = _members(stored, tagged, is_exact, Tag.LIST, Tag.TUPLE)
    return [_cell(*each, is_exact) for each in zip(stored.parts, members, strict=True)]


def _mapping(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    key, value = (*stored.parts, _INT)[:2]
    if not is_exact and _opened(tagged)[0] == Tag.KEY:  # it only looks like a reference
        tagged = int(Tag.DICT), ("$ref", tagged[1])
    number, members = _members(stored, tagged, is_exact, *_DICTS, *_ITEMS)
    is_list = number in _ITEMS
    pairs = (_opened(each)[1] for each in members) if is_list else _pairs(members)
    made = [(_cell(key, k, is_exact), _cell(value, v, is_exact)) for k, v in pairs]
    return dict(made) if stored.is_map else made


def _pairs(members: Any) -> Any:
    found = iter(members)
    return zip(found, found, strict=True)


def _record(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _opened(tagged)
    keys: tuple[Any, ...]
    if number == Tag.RECORD:
        if payload[0] != stored.label:
            raise _Unfit
        saved, keys = dict(zip(payload[1::3], payload[3::3])), stored.numbers
    elif number == Tag.DICT:  # a `TypedDict`, or plain data
        saved, keys = dict(_pairs(payload)), stored.names
    else:
        raise _refused(tagged, "dict")
    if unknown := saved.keys() - {*keys}:
        label = stored.label.rpartition(".")[2]
        raise SaveError(
            f"`{label}` has no field {nearest(str(min(unknown)), [*map(str, keys)])}"
        )
    there = {key: each for key, each in saved.items() if not is_absent(each)}
    fields = zip(keys, stored.inner_fields)
    return tuple(_field(field, there, key, is_exact) for key, field in fields)


def _field(field: Field, saved: dict[Any, Tagged], key: Any, is_exact: bool) -> Any:
    if field.may_be_absent and key not in saved:
        return ()
    cell = _cell(field.type, saved[key], is_exact)
    return (cell,) if field.may_be_absent else cell


def _union(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    if stored.is_native_union:
        return _scalar(stored, tagged)
    number, payload = _opened(tagged)
    if number == Tag.DICT and payload[::2] == ("$is", "value") and not is_exact:
        index, value = payload[1::2]
        return _chosen(stored, index, _cell(stored.parts[index], value, is_exact))
    shape = _shape_of(tagged)
    members = [*enumerate(stored.parts)]
    for index, part in sorted(members, key=lambda each: _shape(each[1]) != shape):
        try:
            return _chosen(stored, index, _fitting(part, tagged, is_exact))
        except (SaveError, *BROKEN):
            continue
    raise _Unfit


def _chosen(stored: Stored, index: int, cell: Any) -> list[Any]:
    return [index, *(cell if n == index else None for n in range(len(stored.parts)))]


def _shape_of(tagged: Tagged) -> str:
    number, payload = _opened(tagged)
    if number is None:
        return "none" if payload is None else type(payload).__name__
    return _TAG_SHAPES.get(number, "")


_TAG_SHAPES: dict[int, str] = {
    tag_of(name): shape
    for name, shape in _SHAPES.items()
    if name not in NATIVE and name != "value"
}


def _codec(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _opened(tagged)
    if number == Tag.FOREIGN:
        return _cell(stored.parts[0], _of_class(stored, payload), is_exact)
    if is_exact:
        raise _refused(tagged, stored.name)
    return _cell(stored.parts[0], tagged, is_exact)


def _any(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    untag_plain(tagged, Ref)  # raises for what is nested too deep
    return tagged


_READERS: dict[str, Callable[[Stored, Tagged, bool], Any]] = {
    **dict.fromkeys([*NATIVE, "literal"], _scalar),
    **dict.fromkeys(["ref", "weak"], _ref),
    **dict.fromkeys([*ARRAYS, "deque"], _items),
    **dict.fromkeys(MAPPINGS, _mapping),
    **dict.fromkeys(RECORDS, _record),
    "optional": _optional,
    "fixed": _fixed,
    "union": _union,
    "codec": _codec,
    "any": _any,
}
