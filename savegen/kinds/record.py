"""Plain classes that can change, or that hold something that can, or a reference."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    plain = classes.plain(type.name)
    if plain is None:
        return None
    kind = classes.plain_kind(plain)
    return kind if kind.kind == "record" else None
