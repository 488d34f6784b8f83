"""Convert cells to the plain data that migrations and converters read and write, and back.

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

Migrations may also write Python values: a `Decimal`, an enum member, an object.
"""

from __future__ import annotations

from typing import Any

from msgspec import msgpack

from savegen.runtime import arrays, standard_types
from savegen.runtime.cells import fields_in, parts_in
from savegen.runtime.components import References
from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.rows import Key
from savegen.runtime.stored import MAPPINGS, RECORDS, Stored
from savegen.runtime.tagged import (
    BROKEN,
    DEPTH,
    Tag,
    Tagged,
    tag,
    untag_plain,
    with_parts,
)
from savegen.runtime.values import NO_VALUES, Values
from savegen.saves.tagged_cells import TypeMismatch, fitting, shape


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
    """Return the key of a reference in plain data; `None` for other values."""
    is_one = isinstance(value, dict) and [*value] == ["$ref"]
    return value["$ref"] if is_one and _is_key(value["$ref"]) else None


def _is_key(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def is_same(left: Any, right: Any) -> bool:
    """Return whether two values of plain data are identical in type and value.

    >>> is_same([1, 0.0], [1, 0.0]), is_same([1], [True]), is_same([0.0], [-0.0])
    (True, False, False)
    """
    cls = type(left)
    if cls is not type(right):
        return False
    if cls in _SCALARS:
        return bool(left == right)
    if cls in (list, tuple):
        return len(left) == len(right) and all(map(is_same, left, right))
    if cls in (dict, Ref):
        return is_same([*left.items()], [*right.items()])
    try:
        return msgpack.encode(_tagged(left)) == msgpack.encode(_tagged(right))
    except (SaveError, RecursionError):  # a Python value, which never equals plain data
        return False


_SCALARS = (
    bool,
    int,
    str,
    bytes,
    type(None),
)  # types of which equal values are identical


# -- from cells


def to_plain(stored: Stored, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.stored import parse
    >>> to_plain(parse("(optional<ref<7>>, value V{1 x: float})"), (12, (0.5,)))
    [{'$ref': 12}, {'x': 0.5}]
    """
    name = stored.name
    if name in ("ref", "weak"):
        return Ref(cell) if cell else None
    if name in RECORDS:
        fields = fields_in(stored, cell)
        return {field.name: to_plain(field.type, each) for field, each in fields}
    if not stored.parts or stored.is_native_union:
        return _plain_leaf(stored, cell)
    found = [to_plain(*part) for part in parts_in(stored, cell)]
    if name in ("optional", "codec"):
        return found[0] if found else None
    if name == "union":
        return _plain_union(stored, cell[0], found[0])
    if name in MAPPINGS:
        pairs = zip(found[::2], found[1::2])
        is_dict = stored.parts[0].name == "str"
        return dict(pairs) if is_dict else [*map(list, pairs)]
    return found


def _plain_leaf(stored: Stored, cell: Any) -> Any:
    if stored.name == "any":
        return untag_plain(cell, Ref)
    if stored.name == "uuid":
        return str(standard_types.unpack_uuid(cell))
    if stored.name == "ndarray":
        cell = arrays.expand(cell, stored.label)
    return [*cell] if type(cell) is tuple else cell


def _plain_union(stored: Stored, index: int, plain: Any) -> Any:
    shapes = [*map(shape, stored.parts)]
    if shapes[index] and shapes.count(shapes[index]) == 1:
        return plain
    return {"$is": index, "value": plain}


# -- to cells


def from_plain(stored: Stored, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the cell for plain data or a Python value.

    Raises `SaveError` if it does not fit the stored type.

    >>> from savegen.runtime.stored import parse
    >>> from_plain(parse("list<optional<ref<7>>>"), [{"$ref": 12}, None])
    [12, 0]
    >>> from decimal import Decimal
    >>> from_plain(parse("decimal"), Decimal("1.50"))
    '1.50'
    """
    cell = cell_of(stored, value, values)
    try:
        msgpack.encode(cell)
    except (OverflowError, UnicodeEncodeError, RecursionError) as error:
        raise _unfit(stored, value, describe_error(error)) from None
    return cell


def cell_of(stored: Stored, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the same as `from_plain`, or a cell that cannot be encoded.

    Cells with an int beyond 64 bits or a lone surrogate cannot.
    """
    try:
        return fitting(stored, _tagged(value, values), is_exact=False)
    except SaveError:
        raise
    except (*BROKEN, RecursionError) as error:
        raise _unfit(
            stored, value, "" if type(error) is TypeMismatch else describe_error(error)
        ) from None


_SHOWN = 60  # the most characters of a value in an error


def _unfit(stored: Stored, value: Any, reason: str) -> SaveError:
    shown, text = (
        each if len(each) <= _SHOWN else f"{each[:_SHOWN]}…"
        for each in (repr(value), str(stored))
    )
    return SaveError(f"{shown} does not fit `{text}`{': ' * bool(reason)}{reason}")


class _Refs(References):
    """Returns the keys of references in plain data, and the numbers of classes."""

    def key_of(self, component: Any, /) -> Key:
        is_ref = type(component) is Ref
        return component["$ref"] if is_ref else super().key_of(component)

    def class_number(self, cls: Any, /) -> int:
        return int(getattr(cls, "save_type", None) or super().class_number(cls))


def _tagged(value: Any, values: Values = NO_VALUES) -> Tagged:
    """Return plain data or a Python value as a tagged value."""
    # A record takes two levels: itself, and the list or dict that contains the next record.
    return _with_keys(tag(value, _Refs(), values, 2 * DEPTH))


def _with_keys(tagged: Tagged) -> Tagged:
    """Return a tagged value in which each dict `{"$ref": key}` is a reference."""
    if type(tagged) is tuple and tagged[0] == Tag.DICT:
        name, key = tagged[1] if len(tagged[1]) == 2 else (None, None)
        if name == "$ref" and _is_key(key):
            return int(Tag.KEY), key
    return with_parts(tagged, _with_keys)
