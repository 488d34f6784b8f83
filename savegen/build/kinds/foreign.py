"""Recognise types with a codec, which a preset or the configuration defines."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import dotted_name


def recognise(type: Type, classes: Classes) -> Kind | None:
    codec = classes.codec_of(type.name)
    if codec is None:
        return None
    return Kind(
        "foreign",
        type.name,
        values=(codec.name,),
        immutable=codec.immutable,
        hashable=codec.hashable,
    )


PRESET_PREFIX = "savegen."  # the names of codecs of presets begin with this


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return f"codec {dotted_name(kind.name)}<{_STORED[item_type(kind)][0]}>"


def cell(kind: Kind, cells: CellTypes) -> str:
    return _STORED[item_type(kind)][1]


# Stored type and cell type, by the type of the items into which the codec encodes a value.
_STORED = {
    "any": ("any", "Any"),  # a codec of the game can return any data
    "int": ("tuple<int>", "tuple[int, ...]"),
    "float": ("tuple<float>", "tuple[float, ...]"),
    "number": ("tuple<union<int | float>>", "tuple[int | float, ...]"),
}


# The annotation in the lock, by item type.
ITEM_ANNOTATIONS = {
    "any": "Any",
    "int": "int",
    "float": "float",
    "number": "int | float",
}


def with_items(name: str, annotation: str) -> Kind:
    """Return the kind of a type whose codec encodes values as items with this annotation."""
    item_types = {text: item_type for item_type, text in ITEM_ANNOTATIONS.items()}
    return Kind("foreign", name, values=(PRESET_PREFIX, item_types[annotation]))


def item_type(kind: Kind) -> str:
    """Return the type of the items into which a codec encodes values: "any", "int", …"""
    if len(kind.values) == 2:  # made by `with_items`
        return kind.values[1]
    if not kind.values[0].startswith(PRESET_PREFIX):
        return "any"
    package, name = kind.name.partition(".")[0], kind.name.rpartition(".")[2]
    if package in ("arcade", "pyglet"):  # they do not convert int to float
        return "number"
    is_whole = name.endswith("i") or kind.name.endswith((".Rect", ".Color"))
    return "int" if is_whole else "float"
