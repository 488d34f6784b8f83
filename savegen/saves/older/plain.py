"""Convert cells to the plain data that migrations and converters work with, and back.

====================================  ========================================================
bool int float str bytes none         the value itself
bytearray                             bytes
other types without parts             as they are stored: "1.50", "1/3", "2026-01-31T18:05:00"; several
                                      numbers as a list; a few have a form of their own, see
                                      `STANDARD_TYPES`
enum                                  the name of the member; of a flag, names joined by "|"
a sequence, a set, a tuple            a list
a mapping, its keys are str           a dict
a mapping, other keys                 a list of [key, value]
a record                              a dict by field name, without absent fields
a wrapper, optional                   the value in it, or None
ref weak                              {"$ref": key}, or None
union                                 the value; {"$is": index, "value": …} if several of the types
                                      have such values
any                                   the value itself; objects in it are {"$ref": key}, and
                                      values of the game's own classes are opaque
====================================  ========================================================

Migrations may also write Python values: a date, an enum member, an object. The families of types
are those of `FORMS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import (
    SaveError,
    describe_error,
    nearest,
    with_article,
)
from savegen.runtime.values.references import References
from savegen.runtime.values.libraries import arrays
from savegen.runtime.values.libraries.standard_types import STANDARD_TYPES
from savegen.runtime.values.folds import (
    BROKEN,
    filler,
    of_a_save,
    parts_in,
    typed,
    unpack,
    wrong,
)
from savegen.runtime.values.kinds.choices import union_cell
from savegen.runtime.values.kinds.kind import (
    BY_CLASS,
    KINDS,
    EnteredClass,
    Opaque,
    Packing,
    Rules,
    Typed,
    enter,
    library_of,
)
from savegen.runtime.values.kinds.named import ANY_OBJECT
from savegen.runtime.values.libraries.methods import MissingMethod
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import (
    FORMS,
    GENERATORS,
    NATIVE,
    RECORDS,
    RESERVED,
    StoredField,
    StoredType,
    shortened,
)
from savegen.runtime.values.values import NO_VALUES, Values
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


@of_a_save
def to_plain(stored: StoredType, cell: Any) -> Any:
    """Return a cell as plain data.

    >>> from savegen.runtime.values.stored import parse
    >>> to_plain(parse("(optional<ref<7>>, value V{1 x: float})"), (12, (0.5,)))
    [{'$ref': 12}, {'x': 0.5}]
    """
    return _plain(stored, cell)


def _plain(stored: StoredType, cell: Any) -> Any:
    name, family = stored.name, stored.family
    if name == "any":
        return python_value(cell)
    if name in ("ref", "weak"):
        return Ref(cell) if cell else None
    if not family:
        return _plain_leaf(stored, cell)
    parts = [_plain(*part) for part in parts_in(stored, cell)]
    if name == "union":
        return _plain_union(stored, cell[0], parts[0])
    if family in ("choice", "wrapper"):
        return parts[0] if parts else None
    if family == "record":
        steps = KINDS[name].steps(stored, cell)
        return {step.removeprefix("."): each for step, each in zip(steps, parts)}
    if family == "mapping":
        pairs = zip(parts[::2], parts[1::2])
        return dict(pairs) if plain_shape(stored) == "dict" else [*map(list, pairs)]
    return parts


def _plain_leaf(stored: StoredType, cell: Any) -> Any:
    if stored.name in STANDARD_TYPES:
        return STANDARD_TYPES[stored.name].plain(cell)
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
    if stored.family == "wrapper":
        return plain_shape(stored.parts[0])
    if stored.family == "mapping" and stored.parts[0].name != "str":
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
    if not stored.family:
        return unpack(stored, cell, None)
    parts = [python_value(part) for part in parts_in(stored, cell)]
    return KINDS[name].of_parts(stored, cell, parts)


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
    >>> from datetime import date
    >>> cell_of(parse("date"), date(2026, 1, 31))
    '2026-01-31'
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
    kind = BY_CLASS.get(id(type(value)))
    if kind is None or not kind.is_container:
        return value
    return kind.refilled(kind.content(value), _with_references, lambda members: False)


class _Misfit(Exception):
    """The error for plain data that does not fit its type, with a reason or without."""


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
        if not is_plain and (stored.family not in _BY_PART or stored.name == "any"):
            try:
                return self._of_today(stored, value)
            except (SaveError, *BROKEN) as error:
                if stored.name == "any":
                    raise _Misfit(str(error)) from None
        if stored.name in ("ref", "weak"):
            return self._reference(stored, value)
        return _READERS[stored.family](self, stored, value)

    def _leaf(self, stored: StoredType, value: Any) -> Any:
        name = stored.name
        if name in NATIVE or name in ("literal", "union"):
            raise _Misfit
        if name in STANDARD_TYPES:
            row = STANDARD_TYPES[name]
            if row.of_int and type(value) is int:
                return row.of_int(value)
            value = row.of_plain(value)
            row.unpack(value)
        return arrays.shorten(value, stored.label) if name == "ndarray" else value

    def _reference(self, stored: StoredType, value: Any) -> Any:
        key = 0 if value is None else key_in(value)
        if key is None:
            raise TypeError('a reference must be {"$ref": key} or None')
        return key

    def _choice(self, stored: StoredType, value: Any) -> Any:
        if stored.name == "union":
            return self._union(stored, value)
        return filler(stored) if value is None else self._cell(stored.parts[0], value)

    def _items(self, stored: StoredType, value: Any) -> Any:
        if not _is_items(value):
            raise _type_error(value, stored.name)
        cells = [self._cell(stored.parts[0], each) for each in value]
        container: Any = KINDS[stored.name]
        return container.cell_of(value, cells)

    def _fixed(self, stored: StoredType, value: Any) -> Any:
        if type(value) not in (list, tuple):
            raise _type_error(value, "tuple")
        pairs = zip(stored.parts, value, strict=True)
        return [self._cell(part, each) for part, each in pairs]

    def _mapping(self, stored: StoredType, value: Any) -> Any:
        if not (isinstance(value, dict) or _is_items(value)):
            raise _type_error(value, "dict")
        pairs = value.items() if isinstance(value, dict) else value
        kind = KINDS[stored.name]
        types = kind.part_types(stored)
        cells = [
            self._cell(types[n], each) for pair in pairs for n, each in _halves(pair)
        ]
        return kind.rebuilt(stored, kind.filler(stored), cells)

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
        if type(value) is dict and [*value] == ["$is", "value"]:
            index = value["$is"]
            return union_cell(
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
                return union_cell(stored, index, read(part, value))
            except (_Misfit, SaveError, *BROKEN):
                continue
        raise _Misfit

    def _content(self, stored: StoredType, value: Any) -> Any:
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


def _is_items(value: Any) -> bool:
    kind = BY_CLASS.get(id(type(value)))
    return kind is not None and FORMS[kind.name].family in ("sequence", "set")


_READERS: dict[str, Callable[[_Reader, StoredType, Any], Any]] = {
    "": _Reader._leaf,
    **dict.fromkeys(["sequence", "set"], _Reader._items),
    "tuple": _Reader._fixed,
    "mapping": _Reader._mapping,
    "choice": _Reader._choice,
    "record": _Reader._record,
    "wrapper": _Reader._content,
}
# The families whose values are read part by part, since a part may be plain data.
_BY_PART = _READERS.keys() - {"", "record", "wrapper"}
