"""Decoding of level entries, with errors that suggest the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from savegen.runtime.errors import SaveError, nearest

T = TypeVar("T")
_FAULT = re.compile(r"(.*?)(?: - at (`key` in )?`\$(.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_NO_JSON = (msgspec.DecodeError, UnicodeError, RecursionError)
_Place = tuple[inspect.Type, Any]  # the expected type, and the actual value


def decode(data: bytes | str, type: Any) -> Any:
    """Return the level entries in JSON data: `decode(data, list[AnySerializer])`.

    Raises `SaveError` with the place of the error. For an unknown prefab, parameter or enum
    member, the error suggests the nearest valid name.

    >>> from savegen.runtime.serializers import PrefabSerializer
    >>> class Tank(PrefabSerializer, tag="TankSerializer"):
    ...     armour: int | msgspec.UnsetType = msgspec.UNSET
    >>> decode('[{"$type": "TankSerializer", "armour": 0}]', list[Tank])[0].armour
    0
    >>> decode('[{"$type": "TankSerializer", "armor": 0}]', list[Tank])
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: at `[0]`: TankSerializer has no parameter 'armor'; did you mean 'armour'?
    """
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.ValidationError as error:
        fault = str(error)
    except _NO_JSON as error:
        raise SaveError(f"this is not valid JSON: {error}") from None
    try:
        raise SaveError(_explained(fault, data, type))
    except _NO_JSON as error:  # invalid JSON after the validation error
        raise SaveError(f"this is not valid JSON: {error}") from None


def _explained(fault: str, data: bytes | str, type: Any) -> str:
    """Return the error text for a fault, with a suggestion if there is one."""
    found = _FAULT.fullmatch(fault)
    what, in_key, path = found.groups("") if found else (fault, "", "")
    entry = path.removesuffix(".$type")
    start = (inspect.type_info(type), msgspec.json.decode(data))
    places = _followed(entry, start)
    said = _said(what, entry != path, [*_keys(places)] if in_key else places)
    if said is None:
        said = f"{what[:1].lower()}{what[1:]}"
    else:
        path = entry
    of_key = "a key of " if in_key else ""
    return f"at {of_key}`{path.removeprefix('.')}`: {said}" if path else said


def _said(what: str, at_tag: bool, places: list[_Place]) -> str | None:
    word = next((w for w in _WORDS if what.startswith(w)), None)
    if word is None:
        return None
    name = what.removeprefix(word).strip(" `'")
    if at_tag:
        tags = [str(struct.tag) for struct in _of(inspect.StructType, places)]
        if name in tags:
            return "`$type` appears twice"
        return f"there is no prefab {nearest(name, tags)}"
    if word == _UNKNOWN:
        return _no_parameter(name, places)
    literals = _of(inspect.LiteralType, places)
    values = [str(value) for literal in literals for value in literal.values]
    return f"unknown value {nearest(name, values)}" if values else None


_UNKNOWN = "Object contains unknown field"
_WORDS = (_UNKNOWN, "Invalid enum value", "Invalid value")


def _no_parameter(name: str, places: list[_Place]) -> str | None:
    for struct, value in _chosen(places):
        if name in value:
            names = [field.encode_name for field in struct.fields]
            owner = struct.tag if struct.tag_field else "this object"
            return f"{owner} has no parameter {nearest(name, names)}"
    return None


def _chosen(places: Iterable[_Place]) -> Iterator[tuple[inspect.StructType, Any]]:
    """Yield each object with its struct type; in a union, the tag of the object selects it."""
    for type, value in places:
        for each in members(type):
            if isinstance(each, inspect.StructType) and isinstance(value, dict):
                if not each.tag_field or value.get(each.tag_field) == each.tag:
                    yield each, value


def _of(wanted: type[T], places: Iterable[_Place]) -> Iterator[T]:
    """Yield the expected types that are instances of `wanted`."""
    for found, _ in places:
        yield from (each for each in members(found) if isinstance(each, wanted))


def _keys(places: Iterable[_Place]) -> Iterator[_Place]:
    for type, value in places:
        for each in members(type):
            if isinstance(each, inspect.DictType) and isinstance(value, dict):
                yield from ((each.key_type, key) for key in value)


def members(type: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the member types of a union; any other type is yielded itself."""
    if isinstance(type, inspect.Metadata):
        yield from members(type.type)
    elif isinstance(type, inspect.UnionType):
        for each in type.types:
            yield from members(each)
    else:
        yield type


def _followed(path: str, start: _Place) -> list[_Place]:
    """Return the types and values at a msgspec path; `[...]` matches each value of an object."""
    places = [start]
    for name, index in _STEP.findall(path):
        places = [each for place in places for each in _step(place, name, index)]
    return places


def _step(place: _Place, name: str, index: str) -> Iterator[_Place]:
    if name:
        for struct, value in _chosen([place]):
            for field in struct.fields:
                if field.encode_name == name and name in value:
                    yield field.type, value[name]
        return
    type, value = place
    for each in members(type):
        yield from _inside(each, value, index)


def _inside(type: inspect.Type, value: Any, index: str) -> Iterator[_Place]:
    if isinstance(type, inspect.DictType) and isinstance(value, dict):
        yield from ((type.value_type, each) for each in value.values())
    place = -1 if index == "..." else int(index)
    if not isinstance(value, list) or not 0 <= place < len(value):
        return
    if isinstance(type, inspect.TupleType):
        yield type.item_types[place], value[place]
    elif isinstance(type, LISTS):
        yield type.item_type, value[place]


LISTS = (
    inspect.ListType,
    inspect.VarTupleType,
    inspect.SetType,
    inspect.FrozenSetType,
)
