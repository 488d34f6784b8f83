"""Make the JSON Schema of `level.lvl` for a game, and a template level with every prefab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from savegen.runtime.prefabs.prefabs import Prefab
from savegen.runtime.prefabs.serializers import PrefabSerializer

Schema = dict[str, Any]
_DEFS = "#/$defs/{name}"
# Names of definitions that cannot be names of classes.
_ENTRY, _COLOUR = "any-prefab", "any-colour"
_COLOUR_TEXT = "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$"
_DECIMAL = {"type": "string", "format": "decimal"}
_BYTE: Schema = {"type": "integer", "minimum": 0, "maximum": 255}

_LISTS = (
    inspect.ListType,
    inspect.VarTupleType,
    inspect.SetType,
    inspect.FrozenSetType,
)


class PrefabEntry(NamedTuple):
    """A prefab, and the default parameters of its entry in a level file."""

    prefab: Prefab
    serializer: type[PrefabSerializer]
    tag: str  # the `$type` of the entry
    defaults: dict[str, Any] = {}


def schema_of(entries: Sequence[PrefabEntry]) -> Schema:
    """Return the JSON Schema (2020-12) of a `level.lvl` of the game."""
    types = msgspec.inspect.multi_type_info(entry.serializer for entry in entries)
    structs = structs_in(types)
    names, schemas = _definitions([struct.cls for struct in structs])
    definitions = {name: _titled(_relaxed(it)) for name, it in schemas.items()}
    for struct in structs:
        name = names[struct.cls]
        definitions[name] = _struct_with_key_rules(definitions[name], struct)
    for entry in entries:
        _add_details(definitions[names[entry.serializer]], entry)
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
            name: [other]
            for pair in (("spr_colors", "spr_prefabs"), ("obj_colors", "obj_prefabs"))
            for name, other in (pair, pair[::-1])
        },
        "additionalProperties": False,
        "$defs": definitions,
    }


def _definitions(classes: Sequence[type]) -> tuple[dict[type, str], dict[str, Schema]]:
    """Return the names of the definitions of structs, and the definitions by name."""
    references, schemas = msgspec.json.schema_components(classes, ref_template=_DEFS)
    names = [reference["$ref"].removeprefix("#/$defs/") for reference in references]
    return dict(zip(classes, names, strict=True)), schemas


def _titled(schema: Schema) -> Schema:
    """Return the schema of a struct with the name of the game's class as its title."""
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
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": [*required]} if required else schema


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


def _add_details(schema: Schema, entry: PrefabEntry) -> None:
    """Add what levels need to know of a prefab to the schema of its serializer."""
    schema["title"] = entry.prefab.qualname
    schema["properties"]["$comment"] = {"type": "string"}
    if entry.prefab.max_count is not None:
        count = f"at most {entry.prefab.max_count} in a level"
        texts = filter(None, [schema.get("description"), count])
        schema["description"] = "\n\n".join(texts)
        schema["x-max-count"] = entry.prefab.max_count
    if entry.prefab.static:
        schema["x-static"] = True
    if entry.serializer.former_tags:
        schema["x-former-tags"] = [*entry.serializer.former_tags]
    if entry.serializer.former_names:
        schema["x-former-names"] = {**entry.serializer.former_names}
    name, _, inner = entry.prefab.position.partition(".")
    if name in schema["properties"]:
        schema["properties"][name] = _placed(schema["properties"][name], inner)
    for name, value in entry.defaults.items():
        schema["properties"][name] = {**schema["properties"][name], "default": value}


def _placed(schema: Schema, inner: str) -> Schema:
    """Return the schema of a parameter that has the position, or an `inner` attribute with it."""
    text = "by default, the place where the object is drawn"
    if inner:
        text = f"its {inner} is the place where the object is drawn"
    texts = filter(None, [schema.get("description"), text])
    return {**schema, "description": "\n\n".join(texts)}


def _relaxed(schema: Any) -> Any:
    """Return a schema made by msgspec, changed to allow everything that msgspec can read.

    It also reads sets with duplicate members, and decimal numbers that are not strings.
    """
    if isinstance(schema, list):
        return [_relaxed(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.items() >= _DECIMAL.items():
        return {**schema, "type": ["string", "number"]}
    return {
        key: (
            {name: _relaxed(inner) for name, inner in value.items()}
            if key == "properties"
            else value if key in ("default", "enum", "const") else _relaxed(value)
        )
        for key, value in schema.items()
        if key != "uniqueItems"
    }


def template_of(entries: Sequence[PrefabEntry]) -> dict[str, Any]:
    """Return a `level.lvl` with an entry for each prefab, with its default parameters."""
    colours = dict(_colours(int(entry.prefab.type) for entry in entries))
    return {
        "version": 1,
        "layer_names": ["layer1"],
        "layer_params": [{"position": {"x": 0, "y": 0, "z": 0}}],
        **{
            # Static prefabs are ground.
            key: {
                colours[int(entry.prefab.type)]: {"$type": entry.tag, **entry.defaults}
                for entry in entries
                if entry.prefab.static == (key == "tiles")
            }
            for key in ("sprites", "tiles")
        },
    }


def _colours(numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield each number with a colour, computed from the number; if that is taken, the next one.

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


# -- rules for the keys of JSON objects, which msgspec checks but does not put into schemas

_WHOLE_NUMBERS: Schema = {"pattern": "^(0|-?[1-9][0-9]*|-0)$"}


def members(type: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the member types of a union, or the type itself if it is not a union."""
    if isinstance(type, inspect.Metadata):
        yield from members(type.type)
    elif isinstance(type, inspect.UnionType):
        for member in type.types:
            yield from members(member)
    else:
        yield type


def structs_in(types: Iterable[inspect.Type]) -> list[inspect.StructType]:
    """Return every struct that occurs in the types, each once."""
    structs: dict[type, inspect.StructType] = {}
    pending = [*types]
    while pending:
        for member in members(pending.pop(0)):
            if not isinstance(member, inspect.StructType):
                pending += _item_types(member)
            elif member.cls not in structs:
                structs[member.cls] = member
                pending += (field.type for field in member.fields)
    return [*structs.values()]


def _struct_with_key_rules(schema: Schema, struct: inspect.StructType) -> Schema:
    """Return the schema of a struct, with rules for the keys of JSON objects in its fields."""
    types = {field.encode_name: field.type for field in struct.fields}
    properties = {
        name: _with_key_rules(inner, types[name]) if name in types else inner
        for name, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _item_types(type: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(type, inspect.DictType):
        yield type.value_type
    elif isinstance(type, inspect.TupleType):
        yield from type.item_types
    elif isinstance(type, _LISTS):
        yield type.item_type


def _with_key_rules(schema: Schema, type: inspect.Type) -> Schema:
    if "anyOf" in schema:
        choices = [_with_key_rules(choice, type) for choice in schema["anyOf"]]
        return {**schema, "anyOf": choices}
    for member in members(type):  # a union has at most one dict, one tuple and one list
        types = [*_item_types(member)]
        if isinstance(member, inspect.DictType) and "additionalProperties" in schema:
            values = _with_key_rules(schema["additionalProperties"], types[0])
            rules = _key_rules(member.key_type)
            return {**schema, **rules, "additionalProperties": values}
        if isinstance(member, inspect.TupleType) and "prefixItems" in schema:
            items = [*map(_with_key_rules, schema["prefixItems"], types)]
            return {**schema, "prefixItems": items}
        if isinstance(member, _LISTS) and "items" in schema:
            return {**schema, "items": _with_key_rules(schema["items"], types[0])}
    return schema


def _key_rules(type: inspect.Type) -> Schema:
    if isinstance(type, inspect.LiteralType):
        return {"propertyNames": {"enum": [*type.values]}}
    is_int = isinstance(type, inspect.IntType)
    return {"propertyNames": _WHOLE_NUMBERS} if is_int else {}
