"""Types that a codec knows: of other libraries by a preset, of the game by configuration."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    codec = classes.codec(type.name)
    if codec is None:
        return None
    return Kind(
        "foreign",
        type.name,
        values=(codec.name, *(["copy"] if codec.has_copy else [])),
        immutable=codec.immutable,
        hashable=codec.hashable,
    )
