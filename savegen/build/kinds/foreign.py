"""Types that a codec knows: of other libraries by a preset, of the game by configuration."""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type, label


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
    return f"codec {label(kind.name)}<{_STORED[members(kind)][0]}>"


def cell(kind: Kind, cells: Cells) -> str:
    return _STORED[members(kind)][1]


# What a codec takes values apart into.
_STORED = {
    "any": ("any", "Any"),  # of the game's: it says itself what it is
    "int": ("tuple<int>", "tuple[int, ...]"),
    "float": ("tuple<float>", "tuple[float, ...]"),
    "number": ("tuple<union<int | float>>", "tuple[int | float, ...]"),
}


MEMBERS = {"any": "Any", "int": "int", "float": "float", "number": "int | float"}


def of_members(name: str, text: str) -> Kind:
    """Return the kind of a type whose codec takes its values apart into such members."""
    (word,) = (word for word, known in MEMBERS.items() if known == text)
    return Kind("foreign", name, values=(PRESETS, word))


def members(kind: Kind) -> str:
    """Return what a codec takes values apart into, as a word of `MEMBERS`."""
    if len(kind.values) == 2:  # a lock says it
        return kind.values[1]
    if not kind.values[0].startswith(PRESETS):
        return "any"
    package, name = kind.name.partition(".")[0], kind.name.rpartition(".")[2]
    if package in ("arcade", "pyglet"):  # they keep what they are given
        return "number"
    is_whole = name.endswith("i") or kind.name.endswith((".Rect", ".Color"))
    return "int" if is_whole else "float"
