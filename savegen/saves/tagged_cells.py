"""Convert cells to tagged values, and tagged values or plain data to cells.

A cell can only be read with the stored type of its field. A tagged value contains its own type,
so mismatches are stored as tagged values.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from itertools import chain
from typing import Any, is_typeddict

import msgspec

from savegen.runtime.values import arrays, standard_types
from savegen.runtime.values.cells import fields_in, parts_in
from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.errors import SaveError, describe_error, nearest, with_article
from savegen.runtime.values.fits import Rules, find_mismatches
from savegen.runtime.values.checks import ordered
from savegen.runtime.values.stored import (
    ARRAYS,
    FORMS,
    MAPPINGS,
    NATIVE,
    RECORDS,
    Field,
    StoredType,
)
from savegen.runtime.values.tagged import (
    ABSENT,
    BROKEN,
    DEPTH,
    FACTORIES,
    PARTS_FROM,
    CannotTag,
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
from savegen.runtime.values.values import Values
from savegen.saves.body import encode

_MAX_LEVELS = 2 * DEPTH  # of nested arrays; each level of values takes two
_MAX_CALLS = 4 * DEPTH
_TOO_DEEP = "it contains itself or is nested too deeply"
_FLAVOURS = ("posix", "windows", "path")


# -- from a cell to a tagged value


class CellTagger:
    """Turns cells into tagged values by their stored type, which they need not fit.

    >>> from savegen.runtime.values.stored import parse
    >>> from savegen.runtime.values.values import NO_VALUES
    >>> tagger = CellTagger(NO_VALUES)
    >>> tagger.tag(parse("(float, list<ref<7>>)"), (1, [4, 0]))
    (4, (1, (3, ((25, 4), None))))
    """

    def __init__(self, values: Values) -> None:
        self._values = values

    def tag(self, stored: StoredType, cell: Any) -> Tagged:
        """Return a cell as a tagged value. Raises `CannotTag` if that is impossible."""
        try:
            tagged = self._tag(stored, cell, _MAX_CALLS)
            _check_levels(tagged, _MAX_LEVELS)
            encode(tagged)
            return tagged
        except (*BROKEN, msgspec.MsgspecError) as error:
            raise CannotTag(
                f"its saved form does not match its declared type: {describe_error(error)}"
            ) from None

    def _tag(self, stored: StoredType, cell: Any, calls: int) -> Tagged:
        if calls < 0:
            raise CannotTag(_TOO_DEEP)
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

    def _record(self, stored: StoredType, cell: Any, calls: int) -> Tagged:
        tagged = {
            field.number: self._tag(field.type, part, calls)
            for field, part in fields_in(stored, cell)
        }
        names = zip(stored.numbers, stored.names)
        if self._is_typed_dict(stored.label):
            entries = ((name, tagged[n]) for n, name in names if n in tagged)
            return int(Tag.DICT), (*chain.from_iterable(entries),)
        parts = ((number, name, tagged.get(number, ABSENT)) for number, name in names)
        return int(Tag.RECORD), (stored.label, *chain.from_iterable(parts))

    def _is_typed_dict(self, name: str) -> bool:
        try:
            return is_typeddict(self._values[name].load())
        except SaveError:
            return False


def _with_parts(stored: StoredType, cell: Any, parts: list[Tagged]) -> Tagged:
    """Return the tagged value of a cell, the parts of which are already tagged."""
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


def _check_levels(tagged: Tagged, most: int) -> None:
    """Raise `CannotTag` if a tagged value has more than `most` levels of arrays."""
    if type(tagged) is not tuple and type(tagged) is not list:
        return
    if not most:
        raise CannotTag(_TOO_DEEP)
    for part in tagged:
        _check_levels(part, most - 1)


# -- from a tagged value to a cell


class TypeMismatch(ValueError):
    """The error for a value that does not fit its type, without further explanation."""


def untag_cell(stored: StoredType, tagged: Tagged) -> Any:
    """Return the cell of a stored type for a tagged value of that type.

    MessagePack may be unable to encode the cell: if it contains a long int, for example. Raises
    `ValueError` if the value is of another type.

    >>> from savegen.runtime.values.stored import parse
    >>> untag_cell(parse("(int, optional<ref<7>>)"), (4, (1, (25, 12))))
    (1, 12)
    """
    try:
        return checked_cell(stored, tagged, is_exact=True)
    except (SaveError, *BROKEN, RecursionError) as error:
        raise ValueError(str(error)) from None


def checked_cell(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    """Return the cell for a tagged value.

    With `is_exact`, the value must have the stored type; otherwise plain data will do. Raises
    `TypeMismatch` and other errors if it does not fit.
    """
    cell = _cell(stored, tagged, is_exact)
    if find_mismatches(stored, [cell], Rules(dangling=True)):
        raise TypeMismatch
    return cell


def _cell(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    return _READERS.get(stored.name, _read_value)(stored, tagged, is_exact)


def _split(tagged: Tagged) -> tuple[int | None, Any]:
    """Return the tag and the payload of a tagged value; the tag is `None` for a plain value."""
    return tagged if type(tagged) in (tuple, list) else (None, tagged)


def _type_error(tagged: Tagged, expected: str) -> TypeError:
    number, payload = _split(tagged)
    name = type(payload).__name__ if number is None else Tag(number).name.lower()
    return TypeError(f"{with_article(name)} is not {with_article(expected)}")


def _read_scalar(stored: StoredType, tagged: Tagged, is_exact: bool = True) -> Any:
    number, payload = _split(tagged)
    if number not in (None, Tag.INT, Tag.STR):
        raise TypeMismatch
    return untag_plain(tagged, Opaque) if number else payload


def _read_value(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    name = stored.name
    number, payload = _split(tagged)
    if number == tag_of(name):
        if name in ("enum", "flag"):
            return _content_of_class(stored, payload)
        if name == "ndarray":
            return arrays.shorten(payload, stored.label)
        return _read_scalar(stored, payload) if name in _TEXTS else payload
    if name == "date" and number == Tag.DATETIME and not is_exact:
        return _read_scalar(stored, payload)
    if is_exact:
        raise _type_error(tagged, name)
    value = untag_plain(tagged, Opaque)
    cell = _FROM_PLAIN[name](value) if name in _FROM_PLAIN else value
    if name in standard_types.STANDARD_TYPES:
        standard_types.STANDARD_TYPES[name].unpack(cell)
    return arrays.shorten(cell, stored.label) if name == "ndarray" else cell


def _content_of_class(stored: StoredType, payload: Any) -> Any:
    """Return the content of a tagged value. Raises `TypeMismatch` for another class."""
    if payload[0] != stored.label:
        raise TypeMismatch
    return payload[1]


def _float(value: Any) -> Any:
    is_exact = type(value) is int and int(float(value)) == value
    return float(value) if is_exact else value


_TEXTS = ("time", "datetime", "path", "asset")  # types whose cells are texts
_FROM_PLAIN: dict[str, Callable[[Any], Any]] = {
    "complex": lambda value: (*map(_float, value),),
    "decimal": lambda value: str(value) if type(value) is int else value,
    "fraction": lambda value: f"{value}/1" if type(value) is int else value,
    "uuid": lambda value: uuid.UUID(value).bytes if type(value) is str else value,
}


def _read_ref(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _split(tagged)
    if number == tag_of(stored.name) or (number == Tag.KEY and not is_exact):
        return payload
    if tagged is None and not is_exact:
        return 0
    raise TypeError('a reference must be {"$ref": key} or None')


def _read_optional(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    (part,) = stored.parts
    if tagged is None:
        return 0 if part.name == "ref" else None
    return _cell(part, tagged, is_exact)


def _members(
    stored: StoredType, tagged: Tagged, is_exact: bool, *others: Tag
) -> tuple[int, Any]:
    """Return the tag and the members of a container; plain data may have one of `others`."""
    number, payload = _split(tagged)
    own = tag_of(stored.name)
    if number is None or (number != own and (is_exact or number not in others)):
        raise _type_error(
            tagged, own.name.lower() if is_exact else others[0].name.lower()
        )
    return number, payload[PARTS_FROM[number] :]


_ITEMS = (Tag.LIST, Tag.TUPLE, Tag.SET, Tag.FROZENSET, Tag.DEQUE)
_DICTS = (Tag.DICT, Tag.DEFAULTDICT, Tag.ORDEREDDICT, Tag.COUNTER)


def _read_items(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    number, members = _members(stored, tagged, is_exact, *_ITEMS)
    cells = [_cell(stored.parts[0], each, is_exact) for each in members]
    if stored.name == "deque":
        return tagged[1][0] if number == Tag.DEQUE else None, cells
    if stored.name in ("set", "frozenset"):
        return ordered(cells)
    return (*cells,) if stored.name == "tuple" else cells


def _read_fixed(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    _, members = _members(stored, tagged, is_exact, Tag.LIST, Tag.TUPLE)
    pairs = zip(stored.parts, members, strict=True)
    return tuple(_cell(part, each, is_exact) for part, each in pairs)


def _read_mapping(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    key, value = (*stored.parts, _INT)[:2]
    if not is_exact and _split(tagged)[0] == Tag.KEY:
        # The plain dict looked like a reference.
        tagged = int(Tag.DICT), ("$ref", tagged[1])
    number, members = _members(stored, tagged, is_exact, *_DICTS, *_ITEMS)
    is_list = number in _ITEMS
    pairs = (_split(each)[1] for each in members) if is_list else pairs_of(members)
    cells = [(_cell(key, k, is_exact), _cell(value, v, is_exact)) for k, v in pairs]
    return dict(cells) if stored.is_map else cells


_INT = StoredType("int")  # the type of the counts of a `Counter`


def _read_record(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _split(tagged)
    keys: tuple[Any, ...]
    if number == Tag.RECORD:
        if payload[0] != stored.label:
            raise TypeMismatch
        saved, keys = dict(zip(payload[1::3], payload[3::3])), stored.numbers
    elif number == Tag.DICT:  # a `TypedDict`, or plain data
        saved, keys = dict(pairs_of(payload)), stored.names
    else:
        raise _type_error(tagged, "dict")
    if unknown := saved.keys() - {*keys}:
        label = stored.label.rpartition(".")[2]
        raise SaveError(
            f"`{label}` has no field {nearest(str(min(unknown)), [*map(str, keys)])}"
        )
    present = {key: each for key, each in saved.items() if not is_absent(each)}
    fields = zip(keys, stored.inner_fields)
    return tuple(_field(field, present, key, is_exact) for key, field in fields)


def _field(field: Field, saved: dict[Any, Tagged], key: Any, is_exact: bool) -> Any:
    if field.may_be_absent and key not in saved:
        return ()
    cell = _cell(field.type, saved[key], is_exact)
    return (cell,) if field.may_be_absent else cell


def _read_union(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    if stored.is_native_union:
        return _read_scalar(stored, tagged)
    number, payload = _split(tagged)
    if number == Tag.DICT and payload[::2] == ("$is", "value") and not is_exact:
        index, value = payload[1::2]
        return _union_cell(stored, index, _cell(stored.parts[index], value, is_exact))
    shape, members = _tagged_shape(tagged), [*enumerate(stored.parts)]
    same_shape = [member for member in members if plain_shape(member[1]) == shape]
    # Exact fits come first, because in plain data a list may also stand for a tuple.
    attempts = [(member, True) for member in same_shape]
    attempts += [(member, is_exact) for member in [*same_shape, *members]]
    for (index, part), must_be_exact in attempts:
        try:
            cell = checked_cell(part, tagged, must_be_exact)
        except (SaveError, *BROKEN):
            continue
        return _union_cell(stored, index, cell)
    raise TypeMismatch


def _union_cell(stored: StoredType, index: int, cell: Any) -> tuple[Any, ...]:
    return (index, *(cell if n == index else None for n in range(len(stored.parts))))


def _read_codec(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    number, payload = _split(tagged)
    if number == Tag.FOREIGN:
        tagged = _content_of_class(stored, payload)
    elif is_exact:
        raise _type_error(tagged, stored.name)
    return _cell(stored.parts[0], tagged, is_exact)


def _read_any(stored: StoredType, tagged: Tagged, is_exact: bool) -> Any:
    untag_plain(tagged, Opaque)  # raises if the value is nested too deeply
    return tagged


_READERS: dict[str, Callable[[StoredType, Tagged, bool], Any]] = {
    **dict.fromkeys([*NATIVE, "literal"], _read_scalar),
    **dict.fromkeys(["ref", "weak"], _read_ref),
    **dict.fromkeys([*ARRAYS, "deque"], _read_items),
    **dict.fromkeys(MAPPINGS, _read_mapping),
    **dict.fromkeys(RECORDS, _read_record),
    "optional": _read_optional,
    "fixed": _read_fixed,
    "union": _read_union,
    "codec": _read_codec,
    "any": _read_any,
}


# -- the JSON types of plain data, which distinguish the members of a union


def plain_shape(stored: StoredType) -> str:
    """Return the type of the plain data of a stored type; "" if it can be several."""
    if stored.name == "codec":
        return plain_shape(stored.parts[0])
    if stored.name in MAPPINGS and stored.parts[0].name != "str":
        return "list"
    return FORMS[stored.name].shape


def _tagged_shape(tagged: Tagged) -> str:
    number, payload = _split(tagged)
    if number is None:
        return "none" if payload is None else type(payload).__name__
    return _TAG_SHAPES.get(number, "")


_TAG_SHAPES: dict[int, str] = {
    tag_of(name): form.shape
    for name, form in FORMS.items()
    if form.shape and name not in NATIVE and name != "value"
}
