"""Members of an enumeration of the game's, flags too, and the constants of a `Literal`."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type

FLAGS = ("flags",)  # in the place of constants: members can be combined


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "typing.Literal":
        return Kind(
            "enum", "Literal", values=type.literals, immutable=True, hashable=True
        )
    if classes.enum(type.name):
        values = FLAGS if classes.flag(type.name) else ()
        return Kind("enum", type.name, values=values, immutable=True, hashable=True)
    return None
