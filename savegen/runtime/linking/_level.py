"""The JSON Schema of `level.lvl`, and a template level with every prefab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from savegen.runtime.decoding import LISTS, members
from savegen.runtime.prefabs import Prefab
from savegen.runtime.serializers import PrefabSerializer

Schema = dict[str, Any]
_DEFS = "#/$defs/{name}"
# These are not valid names of classes, so they cannot collide with them.
_ENTRY, _COLOUR = "any-prefab", "any-colour"
_COLOUR_TEXT = "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$"
_DECIMAL = {"type": "string", "format": "decimal"}  # msgspec also reads numbers
_BYTE: Schema = {"type": "integer", "minimum": 0, "maximum": 255}


class Entry(NamedTuple):
    """One prefab and its parameters in a level file."""

    prefab: Prefab
    serializer: type[PrefabSerializer]
    tag: str
    defaults: dict[str, Any] = {}


def schema_of(entries: Sequence[Entry]) -> Schema:
    """Return the JSON Schema 2020-12 of a `level.lvl`."""
    types = msgspec.inspect.multi_type_info(entry.serializer for entry in entries)
    structs = structs_in(types)
    names, found = _components([struct.cls for struct in structs])
    definitions = {name: _titled(_as_read(each)) for name, each in found.items()}
    for struct in structs:
        name = names[struct.cls]
        definitions[name] = keyed(definitions[name], struct)
    for entry in entries:
        _complete(definitions[names[entry.serializer]], entry)
    references = [
        {"$ref": _DEFS.format(name=names[entry.serializer])} for entry in entries
    ]
    definitions[_ENTRY] = {"anyOf": [*references]} if entries else {"not": {}}
    definitions[_COLOUR] = _colour()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "level.lvl",
        "description": "the meaning of the colours in the images of a level",
        "type": "object",
        "properties": _properties(),
        "required": ["version"],
        "dependentRequired": {
            name: [twin]
            for pair in (("spr_colors", "spr_prefabs"), ("obj_colors", "obj_prefabs"))
            for name, twin in (pair, pair[::-1])
        },
        "additionalProperties": False,
        "$defs": definitions,
    }


def _components(classes: Sequence[type]) -> tuple[dict[type, str], dict[str, Schema]]:
    """Return the names of the definitions of structs, and the definitions by name."""
    references, found = msgspec.json.schema_components(classes, ref_template=_DEFS)
    names = [each["$ref"].removeprefix("#/$defs/") for each in references]
    return dict(zip(classes, names, strict=True)), found


def _titled(schema: Schema) -> Schema:
    """Return the schema of a struct, titled with the name of the class that it represents."""
    title = schema.get("title", "").rstrip("_").removesuffix("Value")
    return {**schema, "title": title} if title else schema


def _properties() -> Schema:
    prefabs = _listed(_ENTRY, "the prefabs of the colours, in the same order")
    return {
        "@generated": {"type": "string"},
        "$schema": {"type": "string"},
        "$comment": {"type": "string"},
        "version": {"type": "integer", "minimum": 0},
        "layer_names": {
            "description": "the names of the layers in order; each is an image's file name without `.png`",
            "type": "array",
            "items": {"type": "string", "minLength": 1},
        },
        "layer_params": {
            "description": "one entry for each layer, in the order of `layer_names`",
            "type": "array",
            "items": _object({"position": _position()}),
        },
        "sprites": _by_colour("the prefab for each colour in the sprites images"),
        "tiles": _by_colour("the prefab for each colour in the geometry images"),
        "spr_colors": _listed(_COLOUR, "colours in the sprites images"),
        "spr_prefabs": prefabs,
        "obj_colors": _listed(_COLOUR, "colours in the geometry images"),
        "obj_prefabs": prefabs,
    }


def _object(properties: Schema, *required: str) -> Schema:
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": [*required]} if required else made


def _listed(definition: str, description: str) -> Schema:
    items = {"$ref": _DEFS.format(name=definition)}
    return {"description": description, "type": "array", "items": items}


def _by_colour(description: str) -> Schema:
    return {
        "description": description,
        "type": "object",
        "propertyNames": {"pattern": _COLOUR_TEXT},
        "additionalProperties": {"$ref": _DEFS.format(name=_ENTRY)},
    }


def _position() -> Schema:
    number = {"type": "number"}
    axes = _object({"x": number, "y": number, "z": number})
    return {
        "description": "`x` and `y` shift the layer; layers with a lower `z` are drawn first",
        **axes,
    }


def _colour() -> Schema:
    channels = _object(dict.fromkeys("rgba", _BYTE), *"rgb")
    return {"anyOf": [{"type": "string", "pattern": _COLOUR_TEXT}, channels]}


def _complete(schema: Schema, entry: Entry) -> None:
    """Add the details of its prefab to the schema of a serializer."""
    schema["title"] = entry.prefab.qualname
    schema["properties"]["$comment"] = {"type": "string"}
    if entry.prefab.max_count is not None:
        count = f"at most {entry.prefab.max_count} in a level"
        texts = filter(None, [schema.get("description"), count])
        schema["description"] = "\n\n".join(texts)
        schema["x-max-count"] = entry.prefab.max_count
    if entry.serializer.former_tags:
        schema["x-former-tags"] = [*entry.serializer.former_tags]
    if entry.serializer.former_names:
        schema["x-former-names"] = {**entry.serializer.former_names}
    for name, value in entry.defaults.items():
        schema["properties"][name] = {**schema["properties"][name], "default": value}


def _as_read(schema: Any) -> Any:
    """Return a schema of msgspec, relaxed to what msgspec accepts.

    msgspec accepts duplicate members in a set, and a decimal number written as a number.
    """
    if isinstance(schema, list):
        return [_as_read(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.items() >= _DECIMAL.items():
        return {**schema, "type": ["string", "number"]}
    return {
        key: (
            {name: _as_read(each) for name, each in value.items()}
            if key == "properties"
            else value if key in ("default", "enum", "const") else _as_read(value)
        )
        for key, value in schema.items()
        if key != "uniqueItems"
    }


def template_of(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return a level with every prefab once, with the default parameters of the prefab."""
    told = [*entries]
    colours = dict(_colours(int(entry.prefab.type) for entry in told))
    return {
        "version": 1,
        "layer_names": ["layer1"],
        "layer_params": [{"position": {"x": 0, "y": 0, "z": 0}}],
        "sprites": {
            colours[int(entry.prefab.type)]: {"$type": entry.tag, **entry.defaults}
            for entry in told
        },
        "tiles": {},
    }


def _colours(numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield a colour for each number, derived from the number alone unless that one is taken.

    >>> dict(_colours([7, 8]))
    {7: '#65b8a5', 8: '#03f01e'}
    """
    taken = {0x000000, 0xFFFFFF}  # the most common backgrounds of images
    for number in sorted(numbers):
        colour = number * 0x9E3779 + 0x123456 & 0xFFFFFF
        while colour in taken:
            colour = colour + 1 & 0xFFFFFF
        taken.add(colour)
        yield number, f"#{colour:06x}"


# -- the keys of JSON objects: msgspec reads them strictly, but its schemas omit the rules

_WHOLE = {"pattern": "^(0|-?[1-9][0-9]*|-0)$"}


def structs_in(types: Iterable[inspect.Type]) -> list[inspect.StructType]:
    """Return every struct that occurs in the types, each once."""
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
    """Return the schema of a struct, with rules for the keys of objects in its fields."""
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
    elif isinstance(type, LISTS):
        yield type.item_type


def _keyed(schema: Schema, type: inspect.Type) -> Schema:
    if "anyOf" in schema:
        return {**schema, "anyOf": [_keyed(each, type) for each in schema["anyOf"]]}
    for each in members(type):  # a union has at most one member of each of these
        inner = [*_inside(each)]
        if isinstance(each, inspect.DictType) and "additionalProperties" in schema:
            values = _keyed(schema["additionalProperties"], inner[0])
            return {**schema, **_names(each.key_type), "additionalProperties": values}
        if isinstance(each, inspect.TupleType) and "prefixItems" in schema:
            items = [*map(_keyed, schema["prefixItems"], inner)]
            return {**schema, "prefixItems": items}
        if isinstance(each, LISTS) and "items" in schema:
            return {**schema, "items": _keyed(schema["items"], inner[0])}
    return schema


def _names(type: inspect.Type) -> Schema:
    if isinstance(type, inspect.LiteralType):
        return {"propertyNames": {"enum": [*type.values]}}
    return {"propertyNames": _WHOLE} if isinstance(type, inspect.IntType) else {}
