"""Decoding of level entries, with errors that suggest the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from savegen.runtime.errors import SaveError, nearest

T = TypeVar("T")
_MSGSPEC_ERROR = re.compile(r"(.*?)(?: - at (`key` in )?`\$(.*)`)?", re.DOTALL)
_PATH_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_INVALID_JSON = (msgspec.DecodeError, UnicodeError, RecursionError)
_Node = tuple[inspect.Type, Any]  # an expected type, and the value in the JSON data


def decode(data: bytes | str, type: Any) -> Any:
    """Return the level entries in JSON data: `decode(data, list[AnySerializer])`.

    Raises `SaveError` with the place of the error. For an unknown prefab, parameter or enum
    member, the error suggests the nearest valid name.

    >>> from savegen.runtime.prefabs.serializers import PrefabSerializer
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
        message = str(error)
    except _INVALID_JSON as error:
        raise SaveError(f"this is not valid JSON: {error}") from None
    try:
        raise SaveError(_explain(message, data, type))
    except _INVALID_JSON as error:  # invalid JSON after the validation error
        raise SaveError(f"this is not valid JSON: {error}") from None


def _explain(message: str, data: bytes | str, type: Any) -> str:
    """Return the error text for a message of msgspec, with a suggestion if there is one."""
    match = _MSGSPEC_ERROR.fullmatch(message)
    fault, in_key, path = match.groups("") if match else (message, "", "")
    entry = path.removesuffix(".$type")
    start = (inspect.type_info(type), msgspec.json.decode(data))
    nodes = _follow(entry, start)
    text = _suggestion(fault, entry != path, [*_keys(nodes)] if in_key else nodes)
    if text is None:
        text = f"{fault[:1].lower()}{fault[1:]}"
    else:
        path = entry
    of_key = "a key of " if in_key else ""
    return f"at {of_key}`{path.removeprefix('.')}`: {text}" if path else text


def _suggestion(fault: str, is_at_tag: bool, nodes: list[_Node]) -> str | None:
    """Return the text for an unknown name, with the nearest valid one; `None` for other faults."""
    prefix = next((p for p in _PREFIXES if fault.startswith(p)), None)
    if prefix is None:
        return None
    name = fault.removeprefix(prefix).strip(" `'")
    if is_at_tag:
        tags = [str(struct.tag) for struct in _types_of(inspect.StructType, nodes)]
        if name in tags:
            return "`$type` appears twice"
        return f"there is no prefab {nearest(name, tags)}"
    if prefix == _UNKNOWN_FIELD:
        return _unknown_parameter(name, nodes)
    literals = _types_of(inspect.LiteralType, nodes)
    values = [str(value) for literal in literals for value in literal.values]
    return f"unknown value {nearest(name, values)}" if values else None


_UNKNOWN_FIELD = "Object contains unknown field"
_PREFIXES = (_UNKNOWN_FIELD, "Invalid enum value", "Invalid value")


def _unknown_parameter(name: str, nodes: list[_Node]) -> str | None:
    for struct, value in _structs(nodes):
        if name in value:
            names = [field.encode_name for field in struct.fields]
            owner = struct.tag if struct.tag_field else "this object"
            return f"{owner} has no parameter {nearest(name, names)}"
    return None


def _structs(nodes: Iterable[_Node]) -> Iterator[tuple[inspect.StructType, Any]]:
    """Yield each object with its struct type; in a union, the tag of the object selects it."""
    for type, value in nodes:
        for struct in members(type):
            if isinstance(struct, inspect.StructType) and isinstance(value, dict):
                if not struct.tag_field or value.get(struct.tag_field) == struct.tag:
                    yield struct, value


def _types_of(cls: type[T], nodes: Iterable[_Node]) -> Iterator[T]:
    """Yield the expected types that are instances of a class of `msgspec.inspect`."""
    for type, _ in nodes:
        yield from (member for member in members(type) if isinstance(member, cls))


def _keys(nodes: Iterable[_Node]) -> Iterator[_Node]:
    for type, value in nodes:
        for member in members(type):
            if isinstance(member, inspect.DictType) and isinstance(value, dict):
                yield from ((member.key_type, key) for key in value)


def members(type: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the member types of a union, or the type itself if it is not a union."""
    if isinstance(type, inspect.Metadata):
        yield from members(type.type)
    elif isinstance(type, inspect.UnionType):
        for member in type.types:
            yield from members(member)
    else:
        yield type


def _follow(path: str, start: _Node) -> list[_Node]:
    """Return the types and values at a msgspec path; `[...]` matches each value of an object."""
    nodes = [start]
    for name, index in _PATH_STEP.findall(path):
        nodes = [inner for node in nodes for inner in _step(node, name, index)]
    return nodes


def _step(node: _Node, name: str, index: str) -> Iterator[_Node]:
    if name:
        for struct, value in _structs([node]):
            for field in struct.fields:
                if field.encode_name == name and name in value:
                    yield field.type, value[name]
        return
    type, value = node
    for member in members(type):
        yield from _items_at(member, value, index)


def _items_at(type: inspect.Type, value: Any, index: str) -> Iterator[_Node]:
    if isinstance(type, inspect.DictType) and isinstance(value, dict):
        yield from ((type.value_type, item) for item in value.values())
    n = -1 if index == "..." else int(index)
    if not isinstance(value, list) or not 0 <= n < len(value):
        return
    if isinstance(type, inspect.TupleType):
        yield type.item_types[n], value[n]
    elif isinstance(type, LISTS):
        yield type.item_type, value[n]


LISTS = (
    inspect.ListType,
    inspect.VarTupleType,
    inspect.SetType,
    inspect.FrozenSetType,
)
