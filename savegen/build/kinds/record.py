"""Recognise plain classes that are mutable or contain mutable values or references."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypes, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    return plain_class(type, classes, "record")


def plain_class(type: Type, classes: Classes, kind_name: str) -> Kind | None:
    """Return the kind of a plain class if it is `kind_name` ("record" or "value"), else `None`."""
    plain = classes.plain_class(type.name)
    kind = classes.kind_of_plain(plain) if plain else None
    return kind if kind and kind.kind == kind_name else None


def stored(kind: Kind, types: StoredTypes) -> str:
    return types.record(kind)


def cell(kind: Kind, cells: CellTypes) -> str:
    return cells.record(kind.name)
