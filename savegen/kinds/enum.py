"""Members of an enumeration of the game's, flags too, and the constants of a `Literal`."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name == "typing.Literal":
        return Kind(
            "enum", "Literal", values=type.literals, immutable=True, hashable=True
        )
    if classes.enum(type.name):
        return Kind("enum", type.name, immutable=True, hashable=True)
    return None
