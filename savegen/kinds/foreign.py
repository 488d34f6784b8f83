"""Types that a codec knows: of other libraries by a preset, of the game by configuration."""

from __future__ import annotations

from savegen.kinds._base import Cells, Classes, Kind, Stored, Type, label


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


PRESETS = "savegen."  # what the names of their codecs begin with


def stored(kind: Kind, types: Stored) -> str:
    return f"codec {label(kind.name)}<{_STORED[_members(kind)][0]}>"


def cell(kind: Kind, cells: Cells) -> str:
    return _STORED[_members(kind)][1]


# What a codec takes values apart into.
_STORED = {
    "any": ("any", "Any"),  # of the game's: it says itself what it is
    "int": ("tuple<int>", "tuple[int, ...]"),
    "float": ("tuple<float>", "tuple[float, ...]"),
    "number": ("tuple<union<int | float>>", "tuple[int | float, ...]"),
}


def _members(kind: Kind) -> str:
    if not kind.values[0].startswith(PRESETS):
        return "any"
    package, name = kind.name.partition(".")[0], kind.name.rpartition(".")[2]
    if package in ("arcade", "pyglet"):  # they keep what they are given
        return "number"
    is_whole = name.endswith("i") or kind.name.endswith((".Rect", ".Color"))
    return "int" if is_whole else "float"
