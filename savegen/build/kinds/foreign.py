"""Recognise types with a codec, which a preset or the configuration defines.

Its generated code is in `templates/kinds/foreign.jinja`.
"""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type, dotted_name


def recognise(type: Type, classes: Classes) -> Kind | None:
    codec = classes.codec(type.name)
    if codec is None:
        return None
    return Kind(
        "foreign",
        type.name,
        values=(codec.name,),
        immutable=codec.immutable,
        hashable=codec.hashable,
    )


PRESETS = "savegen."  # the names of codecs of presets begin with this


def stored(kind: Kind, types: Stored) -> str:
    return f"codec {dotted_name(kind.name)}<{_STORED[members(kind)][0]}>"


def cell(kind: Kind, cells: Cells) -> str:
    return _STORED[members(kind)][1]


# Stored type and cell type, by the items into which the codec encodes a value.
_STORED = {
    "any": ("any", "Any"),  # a codec of the game can return any data
    "int": ("tuple<int>", "tuple[int, ...]"),
    "float": ("tuple<float>", "tuple[float, ...]"),
    "number": ("tuple<union<int | float>>", "tuple[int | float, ...]"),
}


MEMBERS = {"any": "Any", "int": "int", "float": "float", "number": "int | float"}


def of_members(name: str, text: str) -> Kind:
    """Return the kind of a type whose codec encodes values as items with this annotation."""
    (word,) = (word for word, annotation in MEMBERS.items() if annotation == text)
    return Kind("foreign", name, values=(PRESETS, word))


def members(kind: Kind) -> str:
    """Return the type of the items into which a codec encodes values, as a key of `MEMBERS`."""
    if len(kind.values) == 2:  # the kind was read from a lock
        return kind.values[1]
    if not kind.values[0].startswith(PRESETS):
        return "any"
    package, name = kind.name.partition(".")[0], kind.name.rpartition(".")[2]
    if package in ("arcade", "pyglet"):  # they do not convert int to float
        return "number"
    is_whole = name.endswith("i") or kind.name.endswith((".Rect", ".Color"))
    return "int" if is_whole else "float"
