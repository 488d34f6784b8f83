"""What the keys of objects may be: msgspec reads them strictly, and its schemas say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import inspect

from savegen.runtime.decoding import members

Schema = dict[str, Any]
_WHOLE = {"pattern": "^(0|-?[1-9][0-9]*|-0)$"}
_LISTS = (
    inspect.ListType,
    inspect.VarTupleType,
    inspect.SetType,
    inspect.FrozenSetType,
)


def structs_in(types: Iterable[inspect.Type]) -> list[inspect.StructType]:
    """Return every struct that types lead to, each once."""
    found: dict[type, inspect.StructType] = {}
    waiting = [*types]
    while waiting:
        for each in members(waiting.pop(0)):
            if not isinstance(each, inspect.StructType):
                waiting += _inside(each)
            elif each.cls not in found:
                found[each.cls] = each
                waiting += (field.type for field in each.fields)
    return [*found.values()]


def keyed(schema: Schema, struct: inspect.StructType) -> Schema:
    """Return the schema of a struct, with what the keys of objects in its fields may be."""
    types = {field.encode_name: field.type for field in struct.fields}
    properties = {
        name: _keyed(each, types[name]) if name in types else each
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _inside(type: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(type, inspect.DictType):
        yield type.value_type
    elif isinstance(type, inspect.TupleType):
        yield from type.item_types
    elif isinstance(type, _LISTS):
        yield type.item_type


def _keyed(schema: Schema, type: inspect.Type) -> Schema:
    if "anyOf" in schema:
        return {**schema, "anyOf": [_keyed(each, type) for each in schema["anyOf"]]}
    for each in members(type):  # of each of these, a union has one at most
        inner = [*_inside(each)]
        if isinstance(each, inspect.DictType) and "additionalProperties" in schema:
            values = _keyed(schema["additionalProperties"], inner[0])
            return {**schema, **_names(each.key_type), "additionalProperties": values}
        if isinstance(each, inspect.TupleType) and "prefixItems" in schema:
            items = [*map(_keyed, schema["prefixItems"], inner)]
            return {**schema, "prefixItems": items}
        if isinstance(each, _LISTS) and "items" in schema:
            return {**schema, "items": _keyed(schema["items"], inner[0])}
    return schema


def _names(type: inspect.Type) -> Schema:
    if isinstance(type, inspect.LiteralType):
        return {"propertyNames": {"enum": [*type.values]}}
    return {"propertyNames": _WHOLE} if isinstance(type, inspect.IntType) else {}
