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

import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    describe_error,
    nearest,
    with_article,
)
from savegen.runtime.values.references import References
from savegen.runtime.values.libraries import arrays, standard_types
from savegen.runtime.values.folds import (
    BROKEN,
    filler,
    parts_in,
    typed,
    unpack,
    wrong,
)
from savegen.runtime.values.kinds.kind import (
    KINDS,
    EnteredClass,
    Opaque,
    Packing,
    Rules,
    Typed,
    enter,
    library_of,
)
from savegen.runtime.values.kinds.mappings import factory_of
from savegen.runtime.values.kinds.named import ANY_OBJECT
from savegen.runtime.values.libraries.methods import MissingMethod
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import (
    ARRAYS,
    FORMS,
    GENERATORS,
    MAPPINGS,
    NATIVE,
    RECORDS,
    RESERVED,
    StoredField,
    StoredType,
    shortened,
)
from savegen.runtime.values.values import NO_VALUES, Values
from savegen.saves.layouts import cell_of_parts, types_of_parts
from savegen.saves.typed import is_same as is_same_typed


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


enter(EnteredClass(Ref, lambda ref: (ANY_OBJECT, ref["$ref"])))


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
        return is_same_typed(*(plain_typed(each) for each in (left, right)))
    except (SaveError, RecursionError):  # a Python value, which never equals plain data
        return False


# Types whose equal values are identical. Of floats, 0.0 and -0.0 are not.
_SCALARS = (bool, int, str, bytes, type(None))


class PlainReferences(References):
    """Has plain data in place of the objects, assets and generators of a world."""

    def get_component(self, key: Key, /) -> Any:
        return Ref(key) if key else None

    def key_of(self, component: Any, /) -> Key:
        key = key_in(component)
        return super().key_of(component) if key is None else key

    def asset(self, id: str, /) -> Any:
        return Opaque(StoredType("asset"), id)

    def _generator(self, key: int, /) -> Any:
        return Opaque(StoredType("generator"), key)

    def _class_at(self, number: int, /) -> Any:
        return Opaque(StoredType("class", numbers=(0,)), number)

    def _class_number(self, cls: Any, /) -> int:
        return int(getattr(cls, "save_type", None) or super()._class_number(cls))

    def _missing_method(self, obj: Any, name: str, /) -> Any:
        return MissingMethod(obj, name)


# -- from cells


def to_plain(stored: StoredType, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.values.stored import parse
    >>> to_plain(parse("(optional<ref<7>>, value V{1 x: float})"), (12, (0.5,)))
    [{'$ref': 12}, {'x': 0.5}]
    """
    try:
        return _plain(stored, cell)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(
            f"invalid value in save: {describe_error(error)}"
        ) from None


def _plain(stored: StoredType, cell: Any) -> Any:
    name = stored.name
    if name == "any":
        return python_value(cell)
    if name in ("ref", "weak"):
        return Ref(cell) if cell else None
    parts = [_plain(*part) for part in parts_in(stored, cell)]
    if name in RECORDS:
        steps = KINDS[name].steps(stored, cell)
        return {step.removeprefix("."): each for step, each in zip(steps, parts)}
    if not stored.parts or stored.is_native_union:
        return _plain_leaf(stored, cell)
    if name in ("optional", "codec", "subclass"):
        return parts[0] if parts else None
    if name == "union":
        return _plain_union(stored, cell[0], parts[0])
    if name in MAPPINGS:
        pairs = zip(parts[::2], parts[1::2])
        is_dict = stored.parts[0].name == "str"
        return dict(pairs) if is_dict else [*map(list, pairs)]
    return parts


def _plain_leaf(stored: StoredType, cell: Any) -> Any:
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


def plain_shape(stored: StoredType) -> str:
    """Return the type of the plain data of a stored type; "" if it can be several."""
    if stored.name in ("codec", "subclass"):
        return plain_shape(stored.parts[0])
    if stored.name in MAPPINGS and stored.parts[0].name != "str":
        return "list"
    return FORMS[stored.name].shape


def python_value(value: Typed) -> Any:
    """Return an undeclared value: with a `Ref` for each object, and `Opaque` for classes of the game."""
    stored, cell = value
    name = stored.name
    if name == "ref":
        return Ref(cell) if cell else None
    if name in _OF_GAMES or library_of(stored, cell):
        return Opaque(stored, cell)
    if name == "any":
        return python_value(cell)
    if not (stored.parts and name in _CLASSES):
        return unpack(stored, cell, None)
    parts = [python_value(part) for part in parts_in(stored, cell)]
    if name == "optional":
        return parts[0] if parts else None
    if name == "union":
        return parts[0]
    if name == "deque":
        return deque(parts, cell[0])
    made: Any = dict(zip(parts[::2], parts[1::2])) if name in MAPPINGS else parts
    if name == "defaultdict":
        return defaultdict(factory_of(stored), made)
    return _CLASSES[name](made)


_CLASSES: dict[str, Any] = {
    **{each.__name__: each for each in (list, tuple, set, frozenset, deque, dict)},
    **{each.__name__: each for each in (defaultdict, OrderedDict, Counter)},
    **dict.fromkeys(["optional", "union"]),
    "fixed": tuple,
}
_OF_GAMES = (
    RECORDS
    | RESERVED
    | frozenset(GENERATORS)
    | frozenset("weak class prefab asset enum flag codec subclass".split())
)


# -- to cells


def cell_of(stored: StoredType, value: Any, values: Values = NO_VALUES) -> Any:
    """Return the cell for plain data or a Python value.

    MessagePack cannot encode it if it contains an int beyond 64 bits or a lone surrogate. Raises
    `SaveError` if the value does not fit the stored type.

    >>> from savegen.runtime.values.stored import parse
    >>> cell_of(parse("list<optional<ref<7>>>"), [{"$ref": 12}, None])
    [12, 0]
    >>> from decimal import Decimal
    >>> cell_of(parse("decimal"), Decimal("1.50"))
    '1.50'
    """
    try:
        return _Reader(values).cell(stored, _with_references(value))
    except _Misfit as misfit:
        raise _does_not_fit(stored, value, str(misfit)) from None
    except SaveError as error:
        raise _does_not_fit(stored, value, str(error)) from None
    except (*BROKEN, RecursionError) as error:
        raise _does_not_fit(stored, value, describe_error(error)) from None


def plain_typed(value: Any, values: Values = NO_VALUES) -> Typed:
    """Return plain data or a Python value as one that no annotation declares.

    Raises `SaveError` if no kind can hold it.
    """
    return typed(_with_references(value), PlainReferences(values))


_MAX_SHOWN = 60  # characters of a value or a type in an error


def _does_not_fit(stored: StoredType, value: Any, reason: str) -> SaveError:
    explanation = f": {reason}" if reason else ""
    name = f"{_shortened(repr(value))} does not fit `{shortened(stored, _MAX_SHOWN)}`"
    return SaveError(name + explanation)


def _shortened(shown: str) -> str:
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"


def _with_references(value: Any) -> Any:
    """Return plain data in which each dict `{"$ref": key}` is a `Ref`."""
    if (key := key_in(value)) is not None:
        return Ref(key)
    cls = type(value)
    if cls is list or cls is tuple:
        return cls(map(_with_references, value))
    if cls is dict or cls is OrderedDict:
        return cls((key, _with_references(each)) for key, each in value.items())
    return value


class _Misfit(Exception):
    """The error for plain data that does not fit its type, with a reason or without."""


_ITEMS = (list, tuple, set, frozenset, deque)
_DICTS = (dict, defaultdict, OrderedDict, Counter)


class _Reader:
    """Reads plain data, in which there may be values of today, as cells."""

    def __init__(self, values: Values) -> None:
        self._references = PlainReferences(values)

    def cell(self, stored: StoredType, value: Any) -> Any:
        cell = self._cell(stored, value)
        if wrong(stored, [cell], Rules(dangling=True)):
            raise _Misfit
        return cell

    def _of_today(self, stored: StoredType, value: Any) -> Any:
        return Packing(self._references).cell(stored, value)

    def _cell(self, stored: StoredType, value: Any) -> Any:
        # The dict of a record is plain data, also where a `TypedDict` has such values: what it
        # holds is read by the types of the fields.
        is_plain = stored.name in RECORDS and type(value) is dict
        if not is_plain and (stored.name not in _CLASSES or stored.is_native_union):
            try:
                return self._of_today(stored, value)
            except (SaveError, *BROKEN) as error:
                if stored.name == "any":
                    raise _Misfit(str(error)) from None
        return _READERS.get(stored.name, _Reader._leaf)(self, stored, value)

    def _native(self, stored: StoredType, value: Any) -> Any:
        raise _Misfit

    def _leaf(self, stored: StoredType, value: Any) -> Any:
        name = stored.name
        cell = _FROM_PLAIN[name](value) if name in _FROM_PLAIN else value
        if name in standard_types.STANDARD_TYPES:
            standard_types.STANDARD_TYPES[name].unpack(cell)
        return arrays.shorten(cell, stored.label) if name == "ndarray" else cell

    def _reference(self, stored: StoredType, value: Any) -> Any:
        key = 0 if value is None else key_in(value)
        if key is None:
            raise TypeError('a reference must be {"$ref": key} or None')
        return key

    def _optional(self, stored: StoredType, value: Any) -> Any:
        return filler(stored) if value is None else self._cell(stored.parts[0], value)

    def _items(self, stored: StoredType, value: Any) -> Any:
        if type(value) not in _ITEMS:
            raise _type_error(value, stored.name)
        cells = [self._cell(stored.parts[0], each) for each in value]
        return cell_of_parts(stored, cells, getattr(value, "maxlen", None))

    def _fixed(self, stored: StoredType, value: Any) -> Any:
        if type(value) not in (list, tuple):
            raise _type_error(value, "tuple")
        pairs = zip(stored.parts, value, strict=True)
        return [self._cell(part, each) for part, each in pairs]

    def _mapping(self, stored: StoredType, value: Any) -> Any:
        if type(value) not in (*_DICTS, Ref, *_ITEMS):
            raise _type_error(value, "dict")
        pairs = value if type(value) in _ITEMS else value.items()
        types = types_of_parts(stored)
        cells = (
            self._cell(types[n], each) for pair in pairs for n, each in _halves(pair)
        )
        return cell_of_parts(stored, cells)

    def _record(self, stored: StoredType, value: Any) -> Any:
        if type(value) is not dict:
            raise _type_error(value, "dict")
        if unknown := value.keys() - {*stored.names}:
            label = stored.label.rpartition(".")[2]
            name = nearest(str(min(unknown, key=str)), stored.names)
            raise SaveError(f"`{label}` has no field {name}")
        return [self._field(field, value) for field in stored.inner_fields]

    def _field(self, field: StoredField, saved: dict[str, Any]) -> Any:
        if field.may_be_absent:
            return [
                self._cell(field.type, each) for each in _present(saved, field.name)
            ]
        return self._cell(field.type, saved[field.name])

    def _union(self, stored: StoredType, value: Any) -> Any:
        if stored.is_native_union:
            raise _Misfit
        if type(value) is dict and [*value] == ["$is", "value"]:
            index = value["$is"]
            return _union_cell(
                stored, index, self._cell(stored.parts[index], value["value"])
            )
        members = [*enumerate(stored.parts)]
        shape = _SHAPES.get(type(value), type(value).__name__)
        alike = [member for member in members if plain_shape(member[1]) == shape]
        # If one member alone has such plain data, this is it. Else values of today come first,
        # because in plain data a list may also stand for a tuple.
        attempts = [(member, self.cell) for member in alike if len(alike) == 1]
        attempts += [(member, self._of_today) for member in alike]
        attempts += [(member, self.cell) for member in alike]
        attempts += [(member, self._of_today) for member in members]
        attempts += [(member, self.cell) for member in members]
        for (index, part), read in attempts:
            try:
                return _union_cell(stored, index, read(part, value))
            except (_Misfit, SaveError, *BROKEN):
                continue
        raise _Misfit

    def _codec(self, stored: StoredType, value: Any) -> Any:
        return self._cell(stored.parts[0], value)


def _type_error(value: Any, expected: str) -> TypeError:
    kind = type(value).__name__
    return TypeError(f"{with_article(kind)} is not {with_article(expected)}")


def _halves(pair: Any) -> Any:
    key, value = pair
    return (0, key), (1, value)


def _present(saved: dict[str, Any], name: str) -> list[Any]:
    return [saved[name]] if name in saved else []


_SHAPES = {type(None): "none", Ref: "ref"}  # of plain data; others by their class


def _union_cell(stored: StoredType, index: int, cell: Any) -> list[Any]:
    return [index, *(cell if n == index else None for n in range(len(stored.parts)))]


def _float(value: Any) -> Any:
    is_exact = type(value) is int and int(float(value)) == value
    return float(value) if is_exact else value


_FROM_PLAIN: dict[str, Callable[[Any], Any]] = {
    "complex": lambda value: (*map(_float, value),),
    "decimal": lambda value: str(value) if type(value) is int else value,
    "fraction": lambda value: f"{value}/1" if type(value) is int else value,
    "uuid": lambda value: uuid.UUID(value).bytes if type(value) is str else value,
}
_READERS: dict[str, Callable[[_Reader, StoredType, Any], Any]] = {
    **dict.fromkeys([*NATIVE, "literal"], _Reader._native),
    **dict.fromkeys(["ref", "weak"], _Reader._reference),
    **dict.fromkeys([*ARRAYS, "deque"], _Reader._items),
    **dict.fromkeys(MAPPINGS, _Reader._mapping),
    **dict.fromkeys(RECORDS, _Reader._record),
    **dict.fromkeys(["codec", "subclass"], _Reader._codec),
    "optional": _Reader._optional,
    "fixed": _Reader._fixed,
    "union": _Reader._union,
}
