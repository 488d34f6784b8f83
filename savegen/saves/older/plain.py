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
from array import array
from collections import deque
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import Enum, Flag, IntEnum
from typing import Any

from msgspec import msgpack
from msgspec.structs import astuple

from savegen.runtime import arrays, leaves, packing
from savegen.runtime.components import NO_REFERENCES, References
from savegen.runtime.errors import SaveError, a, nearest, told
from savegen.runtime.fits import misfits
from savegen.runtime.rows import Key, Row
from savegen.runtime.stored import ARRAYS, MAPPINGS, NATIVE, Field, Stored
from savegen.runtime.tagged import BROKEN, tag, untag_plain
from savegen.runtime.values import NO_VALUES, Values

Around = Mapping[str, Stored]


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
    if not isinstance(value, dict) or [*value] != ["$ref"]:
        return None
    key = value["$ref"]
    return key if type(key) is int and -(2**63) <= key < 2**63 else None


def is_same(left: Any, right: Any) -> bool:
    """Return whether two values of plain data are the same, in type and to the last bit.

    >>> is_same([1, 0.0], [1, 0.0]), is_same([1], [True]), is_same([0.0], [-0.0])
    (True, False, False)
    """
    try:
        return _bytes(left) == _bytes(right)
    except (SaveError, RecursionError):  # a value of today: no cell was read as that
        return False


def _bytes(value: Any) -> bytes:
    return msgpack.encode(tag(_with_refs(value), _Refs()))


# -- from cells


def to_plain(stored: Stored, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.stored import parse
    >>> to_plain(parse("(optional<ref<7>>, value V{1 x: float})"), (12, (0.5,)))
    [{'$ref': 12}, {'x': 0.5}]
    """
    return _plain(stored, cell, {})


def _plain(stored: Stored, cell: Any, around: Around) -> Any:
    name, parts = stored.name, stored.parts
    if name in ("ref", "weak"):
        return Ref(cell) if cell else None
    if name == "optional":
        if cell is None or (not cell and parts[0].name == "ref"):
            return None
        return _plain(parts[0], cell, around)
    if name in ("value", "record"):
        return _plain_record(stored, cell, {**around, stored.label: stored})
    if name == "rec":
        return _plain(around[stored.label], cell, around)
    if name in MAPPINGS:
        return _plain_dict(stored, cell, around)
    if name == "fixed":
        return [_plain(part, each, around) for part, each in zip(parts, cell)]
    if name == "deque":
        return [_plain(parts[0], each, around) for each in cell[1]]
    if name in _LISTS:
        return [_plain(parts[0], each, around) for each in cell]
    if name == "union":
        return _plain_union(stored, cell, around)
    if name == "codec":
        return _plain(parts[0], cell, around)
    if name == "any":
        return untag_plain(cell, Ref)
    if name == "uuid":
        return str(leaves.unpack_uuid(cell))
    if name == "ndarray":
        cell = arrays.in_full(cell, stored.label)
    return [*cell] if type(cell) is tuple else cell


_LISTS = frozenset(["list", "tuple", "set", "frozenset"])
_INT = Stored("int")


def _plain_record(stored: Stored, cell: Any, around: Around) -> dict[str, Any]:
    found = {}
    for field, each in zip(stored.fields, _cells(cell), strict=True):
        if not field.may_be_absent:
            found[field.name] = _plain(field.type, each, around)
        elif each:
            found[field.name] = _plain(field.type, each[0], around)
    return found


def _cells(cell: Any) -> Any:
    return astuple(cell) if isinstance(cell, Row) else cell  # of a recursive record


def _plain_dict(stored: Stored, cell: Any, around: Around) -> Any:
    key, value = (*stored.parts, _INT)[:2]
    pairs = cell.items() if isinstance(cell, dict) else cell
    made = [[_plain(key, k, around), _plain(value, v, around)] for k, v in pairs]
    return dict(made) if key.name == "str" else made


def _plain_union(stored: Stored, cell: Any, around: Around) -> Any:
    if stored.is_native_union:
        return cell
    index, *cells = cell
    plain = _plain(stored.parts[index], cells[index], around)
    shapes = [_shape(part) for part in stored.parts]
    if shapes[index] and shapes.count(shapes[index]) == 1:
        return plain
    return {"$is": index, "value": plain}


def _shape(stored: Stored) -> str:
    """Return of which kind the plain data of a stored type are; "" if of several."""
    if stored.name in MAPPINGS:
        is_dict = stored.parts[0].name == "str"
        return "dict" if is_dict else "list"
    if stored.name == "codec":
        return _shape(stored.parts[0])
    return _SHAPES.get(stored.name, "")


_SHAPES: dict[str, str] = {
    **{name: name for name in NATIVE},
    **dict.fromkeys(
        "decimal fraction date time datetime uuid path asset".split(), "str"
    ),
    **dict.fromkeys(["enum", "flag"], "str"),
    **dict.fromkeys("list tuple set frozenset deque fixed complex".split(), "list"),
    **dict.fromkeys("timedelta array ndarray numpy".split(), "list"),
    **dict.fromkeys("class prefab random generator".split(), "int"),
    **dict.fromkeys(["value", "record", "rec"], "dict"),
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
        cell = _Reader(values).cell(stored, value, {})
    except SaveError:
        raise
    except (*BROKEN, RecursionError) as error:
        raise _unfit(stored, value, told(error)) from None
    if misfits(stored, [cell], dangling=True):
        raise _unfit(stored, value)
    return cell


_SHOWN = 60  # characters of a value that an error shows


def _unfit(stored: Stored, value: Any, reason: str = "") -> SaveError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    text = str(stored)
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return SaveError(f"{shown} does not fit `{text}`{': ' * bool(reason)}{reason}")


class _Reader:
    def __init__(self, values: Values) -> None:
        self._values = values

    def cell(self, stored: Stored, value: Any, around: Around) -> Any:
        name = stored.name
        if name in _CELLS:
            return _CELLS[name](value)
        if name in ("value", "record"):
            return self._record(stored, value, {**around, stored.label: stored})
        if name == "rec":
            return self.cell(around[stored.label], value, around)
        return getattr(self, f"_{_METHODS.get(name, 'itself')}")(stored, value, around)

    def _itself(self, stored: Stored, value: Any, around: Around) -> Any:
        return value

    def _optional(self, stored: Stored, value: Any, around: Around) -> Any:
        (part,) = stored.parts
        if value is None and part.name != "ref":
            return None
        return self.cell(part, value, around)

    def _items(self, stored: Stored, value: Any, around: Around) -> Any:
        _check_type(value, list, tuple, set, frozenset, deque)
        made = [self.cell(stored.parts[0], each, around) for each in value]
        if stored.name == "deque":
            return getattr(value, "maxlen", None), made
        return packing.ordered(made) if stored.name in ("set", "frozenset") else made

    def _fixed(self, stored: Stored, value: Any, around: Around) -> Any:
        _check_type(value, list, tuple)
        pairs = zip(stored.parts, value, strict=True)
        return tuple(self.cell(part, each, around) for part, each in pairs)

    def _dict(self, stored: Stored, value: Any, around: Around) -> Any:
        key, item = (*stored.parts, _INT)[:2]
        pairs = value.items() if isinstance(value, dict) else value
        made = [
            (self.cell(key, one, around), self.cell(item, other, around))
            for one, other in pairs
        ]
        return dict(made) if stored.is_map else made

    def _record(self, stored: Stored, value: Any, around: Around) -> Any:
        if not isinstance(value, dict):
            value = {name: getattr(value, name) for name in stored.names}
        unknown = value.keys() - {*stored.names}
        if unknown:
            label = stored.label.rpartition(".")[2]
            raise SaveError(
                f"`{label}` has no field {nearest(min(unknown), stored.names)}"
            )
        return tuple(self._field(field, value, around) for field in stored.fields)

    def _field(self, field: Field, value: dict[str, Any], around: Around) -> Any:
        if not field.may_be_absent:
            return self.cell(field.type, value[field.name], around)
        if field.name not in value:
            return ()
        return (self.cell(field.type, value[field.name], around),)

    def _union(self, stored: Stored, value: Any, around: Around) -> Any:
        if stored.is_native_union:
            return value
        cells: list[Any] = [None] * len(stored.parts)
        if isinstance(value, dict) and value.keys() == {"$is", "value"}:
            index, value = value["$is"], value["value"]
            cells[index] = self.cell(stored.parts[index], value, around)
        else:
            index, cells[index] = self._of_member(stored, value, around)
        return [index, *cells]

    def _of_member(self, stored: Stored, value: Any, around: Around) -> tuple[int, Any]:
        shape = _shape_of(value)
        members = [*enumerate(stored.parts)]
        for index, part in sorted(members, key=lambda each: _shape(each[1]) != shape):
            try:
                cell = self.cell(part, value, around)
            except (SaveError, *BROKEN):
                continue
            # What is in itself is checked with the whole.
            is_inside = any(each.name == "rec" for each in part.walk())
            if is_inside or not misfits(part, [cell], dangling=True):
                return index, cell
        raise _unfit(stored, value)

    def _codec(self, stored: Stored, value: Any, around: Around) -> Any:
        entry, (part,) = self._values.of(type(value)), stored.parts
        if entry is None or entry.pack is None or entry.name != stored.label:
            return self.cell(part, value, around)
        taken = entry.pack(value, NO_REFERENCES)
        return tag(taken, NO_REFERENCES) if part.name == "any" else taken

    def _ndarray(self, stored: Stored, value: Any, around: Around) -> Any:
        cell = arrays.pack_ndarray(value) if arrays.is_array(value) else value
        return arrays.short(cell, stored.label)

    def _any(self, stored: Stored, value: Any, around: Around) -> Any:
        return tag(_with_refs(value), _Refs(), self._values)


def _shape_of(value: Any) -> str:
    if value is None or key_in(value) is not None:
        return "none" if value is None else "ref"
    name = type(value).__name__
    return {"tuple": "list", "bytearray": "bytes"}.get(name, name)


class _Refs(References):
    """Knows the keys of references in plain data."""

    def key_of(self, component: Any, /) -> Key:
        return (
            component["$ref"] if type(component) is Ref else super().key_of(component)
        )


def _with_refs(value: Any) -> Any:
    """Return plain data in which a `Ref` stands for each reference."""
    key = key_in(value)
    if key is not None:
        return Ref(key)
    if type(value) is dict:
        return {_with_refs(k): _with_refs(v) for k, v in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(map(_with_refs, value))
    return value


def _check_type(value: Any, *types: type) -> None:
    if type(value) not in types:
        raise TypeError(f"{a(type(value).__qualname__)} is not a {types[0].__name__}")


def _float(value: Any) -> Any:
    is_exact = type(value) is int and int(float(value)) == value
    return float(value) if is_exact else value


def _numbers(value: Any) -> Any:
    if type(value) is complex:
        return leaves.pack_complex(value)
    return tuple(map(_float, value))


def _text(
    unpack: Callable[[str], Any], **packs: Callable[[Any], str]
) -> Callable[[Any], Any]:
    """Return what takes values of some types, by name, and texts that stand for one."""

    def cell(value: Any) -> Any:
        pack = packs.get(type(value).__name__)
        if pack is not None:
            return pack(value)
        if type(value) is str:
            unpack(value)
        return value

    return cell


def _uuid(value: Any) -> Any:
    value = uuid.UUID(value) if type(value) is str else value
    return leaves.pack_uuid(value) if type(value) is uuid.UUID else value


def _member(value: Any) -> Any:
    if isinstance(value, Flag):
        return leaves.pack_flag(value)
    return value._name_ if isinstance(value, Enum) else value


def _key(value: Any) -> Any:
    if value is None:
        return 0
    key = key_in(value)
    if key is None:
        raise TypeError('a reference is {"$ref": …} or None')
    return key


_CELLS: dict[str, Callable[[Any], Any]] = {
    "complex": _numbers,
    "decimal": _text(leaves.unpack_decimal, Decimal=leaves.pack_decimal, int=str),
    "fraction": _text(
        leaves.unpack_fraction, Fraction=leaves.pack_fraction, int="{}/1".format
    ),
    "date": _text(
        leaves.unpack_date, date=leaves.pack_date, datetime=leaves.pack_datetime
    ),
    "time": _text(leaves.unpack_time, time=leaves.pack_time),
    "datetime": _text(leaves.unpack_datetime, datetime=leaves.pack_datetime),
    "timedelta": lambda value: (
        leaves.pack_timedelta(value) if type(value) is timedelta else tuple(value)
    ),
    "uuid": _uuid,
    "path": lambda value: leaves.pack_path(value) if leaves.is_path(value) else value,
    "bytearray": lambda value: bytes(value) if type(value) is bytearray else value,
    "array": lambda value: leaves.pack_array(value) if type(value) is array else value,
    "numpy": lambda value: (
        arrays.pack_number(value) if arrays.is_number(value) else value
    ),
    "prefab": lambda value: int(value) if isinstance(value, IntEnum) else value,
    "class": lambda value: int(getattr(value, "save_type", value)),
    "enum": _member,
    "flag": _member,
    "ref": _key,
    "weak": _key,
}
_METHODS: dict[str, str] = {
    "optional": "optional",
    **dict.fromkeys([*ARRAYS, "deque"], "items"),
    **dict.fromkeys(MAPPINGS, "dict"),
    **{name: name for name in ("fixed", "union", "codec", "any", "ndarray")},
}
