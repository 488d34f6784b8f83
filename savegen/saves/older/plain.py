"""Convert cells to the plain data that migrations and converters work with, and back.

====================================  ========================================================
bool int float str bytes none         the value itself
bytearray                             bytes
decimal fraction date time datetime   a str, as it is stored: "1.50", "1/3", "2026-01-31T18:05:00"
uuid                                  a str
complex timedelta                     a list of its numbers
enum                                  the name of the member; of a flag, names joined by "|"
list tuple set frozenset deque        a list
dict, its keys are str                a dict
dict, other keys                      a list of [key, value]
value record                          a dict by field name, without absent fields
ref weak                              {"$ref": key}, or None
union                                 the value; {"$is": index, "value": …} if several of the types
                                      have such values
any                                   the value itself; objects in it are {"$ref": key}, and
                                      values of the game's own classes are opaque
====================================  ========================================================

Migrations may also write Python values: a `Decimal`, an enum member, an object.
"""

from __future__ import annotations

from typing import Any

from msgspec import msgpack

from savegen.runtime.values import arrays, standard_types
from savegen.runtime.values.cells import fields_in, parts_in
from savegen.runtime.values.references import References
from savegen.runtime.errors import SaveError, describe_error
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import MAPPINGS, RECORDS, StoredType, shortened
from savegen.runtime.values.tagged import (
    BROKEN,
    DEPTH,
    Tag,
    Tagged,
    tag,
    untag_plain,
    with_parts,
)
from savegen.runtime.values.values import NO_VALUES, Values
from savegen.saves.tagged_cells import TypeMismatch, checked_cell, plain_shape


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
    is_reference = isinstance(value, dict) and [*value] == ["$ref"]
    return value["$ref"] if is_reference and _is_key(value["$ref"]) else None


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


# Types whose equal values are identical. Of floats, 0.0 and -0.0 are not.
_SCALARS = (bool, int, str, bytes, type(None))


# -- from cells


def to_plain(stored: StoredType, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.values.stored import parse
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
    parts = [to_plain(*part) for part in parts_in(stored, cell)]
    if name in ("optional", "codec"):
        return parts[0] if parts else None
    if name == "union":
        return _plain_union(stored, cell[0], parts[0])
    if name in MAPPINGS:
        pairs = zip(parts[::2], parts[1::2])
        is_dict = stored.parts[0].name == "str"
        return dict(pairs) if is_dict else [*map(list, pairs)]
    return parts


def _plain_leaf(stored: StoredType, cell: Any) -> Any:
    if stored.name == "any":
        return untag_plain(cell, Ref)
    if stored.name == "uuid":
        return str(standard_types.unpack_uuid(cell))
    if stored.name == "ndarray":
        cell = arrays.expand(cell, stored.label)
    return [*cell] if type(cell) is tuple else cell


def _plain_union(stored: StoredType, index: int, plain: Any) -> Any:
    shapes = [*map(plain_shape, stored.parts)]
    if shapes[index] and shapes.count(shapes[index]) == 1:
        return plain
    return {"$is": index, "value": plain}


# -- to cells


def from_plain(stored: StoredType, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the cell for plain data or a Python value.

    Raises `SaveError` if it does not fit the stored type.

    >>> from savegen.runtime.values.stored import parse
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
        raise _does_not_fit(stored, value, describe_error(error)) from None
    return cell


def cell_of(stored: StoredType, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the cell for plain data or a Python value, like `from_plain`.

    MessagePack cannot encode it if it contains an int beyond 64 bits or a lone surrogate.
    """
    try:
        return checked_cell(stored, _tagged(value, values), is_exact=False)
    except SaveError:
        raise
    except (*BROKEN, RecursionError) as error:
        reason = "" if type(error) is TypeMismatch else describe_error(error)
        raise _does_not_fit(stored, value, reason) from None


_MAX_SHOWN = 60  # characters of a value or a type in an error


def _does_not_fit(stored: StoredType, value: Any, reason: str) -> SaveError:
    explanation = f": {reason}" if reason else ""
    text = f"{_shortened(repr(value))} does not fit `{shortened(stored, _MAX_SHOWN)}`"
    return SaveError(text + explanation)


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


class _PlainReferences(References):
    """Finds the keys of references in plain data, and the numbers of classes."""

    def key_of(self, component: Any, /) -> Key:
        is_ref = type(component) is Ref
        return component["$ref"] if is_ref else super().key_of(component)

    def _class_number(self, cls: Any, /) -> int:
        return int(getattr(cls, "save_type", None) or super()._class_number(cls))


def _tagged(value: Any, values: Values = NO_VALUES) -> Tagged:
    # Each nested record takes two levels: itself, and the list or dict that contains it.
    return _with_references(tag(value, _PlainReferences(), values, 2 * DEPTH))


def _with_references(tagged: Tagged) -> Tagged:
    """Return a tagged value in which each dict `{"$ref": key}` is a reference."""
    if type(tagged) is tuple and tagged[0] == Tag.DICT:
        name, key = tagged[1] if len(tagged[1]) == 2 else (None, None)
        if name == "$ref" and _is_key(key):
            return int(Tag.KEY), key
    return with_parts(tagged, _with_references)
