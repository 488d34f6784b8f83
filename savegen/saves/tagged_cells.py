"""Cells as tagged values, and tagged values or plain data as cells.

A mismatch is stored as a tagged value, which contains its type; a cell does not, since the
stored type of its field says how to read it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from itertools import chain
from typing import Any, is_typeddict

import msgspec

from savegen.runtime import arrays, standard_types
from savegen.runtime.cells import fields_in, parts_in
from savegen.runtime.components import NO_REFERENCES
from savegen.runtime.errors import SaveError, with_article, nearest, describe_error
from savegen.runtime.fits import Rules, find_mismatches
from savegen.runtime.checks import ordered
from savegen.runtime.stored import ARRAYS, MAPPINGS, NATIVE, RECORDS, Field, Stored
from savegen.runtime.tagged import (
    ABSENT,
    BROKEN,
    DEPTH,
    FACTORIES,
    PARTS_FROM,
    Lost,
    Opaque,
    Tag,
    Tagged,
    is_absent,
    pairs_of,
    tag_as_native,
    tag_of,
    tagged_text,
    untag_plain,
)
from savegen.runtime.values import Values
from savegen.saves.body import encode

_MOST_LEVELS = (
    2 * DEPTH
)  # the deepest nesting of arrays; each level of values takes two
_MOST_CALLS = 4 * DEPTH
_FLAVOURS = ("posix", "windows", "path")


# -- from a cell to a tagged value


class CellTagger:
    """Tags cells whose stored type is known, although they do not fit it.

    >>> from savegen.runtime.stored import parse
    >>> from savegen.runtime.values import NO_VALUES
    >>> tagger = CellTagger(NO_VALUES)
    >>> tagger.tag(parse("(float, list<ref<7>>)"), (1, [4, 0]))
    (4, (1, (3, ((25, 4), None))))
    """

    def __init__(self, values: Values) -> None:
        self._values = values

    def tag(self, stored: Stored, cell: Any) -> Tagged:
        """Return a cell as a tagged value. Raises `Lost` if that is impossible."""
        try:
            tagged = self._tag(stored, cell, _MOST_CALLS)
            if _levels(tagged) > _MOST_LEVELS:
                raise RecursionError
            encode(tagged)
            return tagged
        except (*BROKEN, msgspec.MsgspecError) as error:
            raise Lost(
                f"it was not packed as its type says: {describe_error(error)}"
            ) from None
        except RecursionError:
            raise Lost("it contains itself or is nested too deeply") from None

    def _tag(self, stored: Stored, cell: Any, calls: int) -> Tagged:
        if calls < 0:
            raise RecursionError
        name = stored.name
        if name == "any":
            return cell
        if cell is None and name != "codec":
            return None
        if name in NATIVE or name == "literal" or stored.is_native_union:
            return tag_as_native(cell, NO_REFERENCES, self._values)
        if name in RECORDS:
            return self._record(stored, cell, calls - 1)
        if name == "ref":
            return (int(Tag.KEY), cell) if cell else None
        if stored.parts and name != "weak":
            parts = [self._tag(*part, calls - 1) for part in parts_in(stored, cell)]
            return _with_parts(stored, cell, parts)
        if name == "path" and cell.partition(":")[0] not in _FLAVOURS:
            cell = f"path:{cell}"
        if name == "ndarray":
            cell = arrays.expand(cell, stored.label)
        if name in ("enum", "flag"):
            cell = stored.label, cell
        return int(tag_of(name)), tagged_text(cell) if type(cell) is str else cell

    def _record(self, stored: Stored, cell: Any, calls: int) -> Tagged:
        found = {
            f.number: self._tag(f.type, c, calls) for f, c in fields_in(stored, cell)
        }
        rows = zip(stored.numbers, stored.names)
        if self._is_typed_dict(stored.label):
            entries = ((name, found[n]) for n, name in rows if n in found)
            return int(Tag.DICT), (*chain.from_iterable(entries),)
        parts = ((number, name, found.get(number, ABSENT)) for number, name in rows)
        return int(Tag.RECORD), (stored.label, *chain.from_iterable(parts))

    def _is_typed_dict(self, name: str) -> bool:
        try:
            return is_typeddict(self._values[name].load())
        except SaveError:
            return False


def _with_parts(stored: Stored, cell: Any, parts: list[Tagged]) -> Tagged:
    """Return the tagged value of a cell with parts that are already tagged."""
    name = stored.name
    if name in ("optional", "union"):
        return parts[0] if parts else None
    if name == "codec":
        return int(Tag.FOREIGN), (stored.label, parts[0])
    if name == "deque":
        parts.insert(0, cell[0])
    if name == "defaultdict":
        # A cell does not have the factory; the type of the values suggests one.
        value = stored.parts[1].name
        factory = "tuple" if value == "fixed" else value
        parts.insert(0, factory if factory in FACTORIES else None)
    if name in ("set", "frozenset"):
        parts.sort(key=encode)
    return int(tag_of(name)), (*parts,)


def _levels(tagged: Tagged) -> int:
    """Return the depth of nested arrays in a tagged value."""
    if type(tagged) is not tuple and type(tagged) is not list:
        return 0
    return 1 + max(map(_levels, tagged), default=0)


# -- from a tagged value to a cell


class TypeMismatch(ValueError):
    """A value does not fit its type; the error needs no message."""


def untagged(stored: Stored, tagged: Tagged) -> Any:
    """Return the cell of a stored type for a tagged value; perhaps it cannot be encoded.

    That happens to values that are tagged only because they contain a long int, for example. Raises
    `ValueError` if the value is of another type.

    >>> from savegen.runtime.stored import parse
    >>> untagged(parse("(int, optional<ref<7>>)"), (4, (1, (25, 12))))
    (1, 12)
    """
    try:
        return fitting(stored, tagged, is_exact=True)
    except (SaveError, *BROKEN, RecursionError) as error:
        raise ValueError(str(error)) from None


def fitting(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    """Return the cell for a tagged value: of exactly its stored type, or of its plain form."""
    cell = _cell(stored, tagged, is_exact)
    if find_mismatches(stored, [cell], Rules(dangling=True)):
        raise TypeMismatch
    return cell


def _cell(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    return _READERS.get(stored.name, _leaf)(stored, tagged, is_exact)


def _opened(tagged: Tagged) -> tuple[int | None, Any]:
    """Return the tag and the payload of a tagged value; the tag is `None` for a plain value."""
    return tagged if type(tagged) in (tuple, list) else (None, tagged)


def _refused(tagged: Tagged, what: str) -> TypeError:
    number, payload = _opened(tagged)
    name = type(payload).__name__ if number is None else Tag(number).name.lower()
    return TypeError(f"{with_article(name)} is not {with_article(what)}")


def _scalar(stored: Stored, tagged: Tagged, is_exact: bool = True) -> Any:
    """Return the cell of a scalar, plain or tagged."""
    number, payload = _opened(tagged)
    if number not in (None, Tag.INT, Tag.STR):
        raise TypeMismatch
    return untag_plain(tagged, Opaque) if number else payload


def _leaf(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    name = stored.name
    number, payload = _opened(tagged)
    if number == tag_of(name):
        if name in ("enum", "flag"):
            return _of_class(stored, payload)
        if name == "ndarray":
            return arrays.shorten(payload, stored.label)
        return _scalar(stored, payload) if name in _TEXTS else payload
    if name == "date" and number == Tag.DATETIME and not is_exact:
        return _scalar(stored, payload)
    if is_exact:
        raise _refused(tagged, name)
    value = untag_plain(tagged, Opaque)
    cell = _FROM_PLAIN[name](value) if name in _FROM_PLAIN else value
    if name in standard_types.STANDARD_TYPES:
        standard_types.STANDARD_TYPES[name].unpack(cell)
    return arrays.shorten(cell, stored.label) if name == "ndarray" else cell


def _of_class(stored: Stored, payload: Any) -> Any:
    """Return the content of a tagged value of a class."""
    if payload[0] != stored.label:
        raise TypeMismatch
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
    """Return the tag and the members of a container; plain data may use other tags."""
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
    if stored.name in ("set", "frozenset"):
        return ordered(made)
    return (*made,) if stored.name == "tuple" else made


def _fixed(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    _, members = _members(stored, tagged, is_exact, Tag.LIST, Tag.TUPLE)
    pairs = zip(stored.parts, members, strict=True)
    return tuple(_cell(part, each, is_exact) for part, each in pairs)


def _mapping(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    key, value = (*stored.parts, _INT)[:2]
    if (
        not is_exact and _opened(tagged)[0] == Tag.KEY
    ):  # a plain dict that looks like a reference
        tagged = int(Tag.DICT), ("$ref", tagged[1])
    number, members = _members(stored, tagged, is_exact, *_DICTS, *_ITEMS)
    is_list = number in _ITEMS
    pairs = (_opened(each)[1] for each in members) if is_list else pairs_of(members)
    made = [(_cell(key, k, is_exact), _cell(value, v, is_exact)) for k, v in pairs]
    return dict(made) if stored.is_map else made


_INT = Stored("int")  # the type of the counts of a `Counter`


def _record(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _opened(tagged)
    keys: tuple[Any, ...]
    if number == Tag.RECORD:
        if payload[0] != stored.label:
            raise TypeMismatch
        saved, keys = dict(zip(payload[1::3], payload[3::3])), stored.numbers
    elif number == Tag.DICT:  # a `TypedDict`, or plain data
        saved, keys = dict(pairs_of(payload)), stored.names
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
    own, members = _shape_of(tagged), [*enumerate(stored.parts)]
    alike = [each for each in members if shape(each[1]) == own]
    ways = [*((each, True) for each in alike)]  # in plain data, a tuple is a list, too
    ways += [(each, is_exact) for each in [*alike, *members]]
    for (index, part), must_be_exact in ways:
        try:
            return _chosen(stored, index, fitting(part, tagged, must_be_exact))
        except (SaveError, *BROKEN):
            continue
    raise TypeMismatch


def _chosen(stored: Stored, index: int, cell: Any) -> tuple[Any, ...]:
    return (index, *(cell if n == index else None for n in range(len(stored.parts))))


def _codec(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _opened(tagged)
    if number == Tag.FOREIGN:
        tagged = _of_class(stored, payload)
    elif is_exact:
        raise _refused(tagged, stored.name)
    return _cell(stored.parts[0], tagged, is_exact)


def _any(stored: Stored, tagged: Tagged, is_exact: bool) -> Any:
    untag_plain(tagged, Opaque)  # raises if the value is nested too deeply
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


# -- kinds of plain data, which distinguish the members of a union


def shape(stored: Stored) -> str:
    """Return the kind of the plain data of a stored type; "" if there are several."""
    if stored.name == "codec":
        return shape(stored.parts[0])
    if stored.name in MAPPINGS and stored.parts[0].name != "str":
        return "list"
    return _SHAPES.get(stored.name, "")


def _shape_of(tagged: Tagged) -> str:
    number, payload = _opened(tagged)
    if number is None:
        return "none" if payload is None else type(payload).__name__
    return _TAG_SHAPES.get(number, "")


_OF_SHAPE = {
    "str": "decimal fraction date time datetime uuid path asset enum flag",
    "list": "list tuple set frozenset deque fixed complex timedelta array ndarray numpy",
    "int": "class prefab random generator",
    "dict": " ".join([*RECORDS, *MAPPINGS]),
    "ref": "ref weak",
    "bytes": "bytearray",
}
_SHAPES: dict[str, str] = {name: name for name in NATIVE} | {
    name: shape for shape, names in _OF_SHAPE.items() for name in names.split()
}
_TAG_SHAPES: dict[int, str] = {
    tag_of(name): _SHAPES[name] for name in _SHAPES.keys() - NATIVE - {"value"}
}
