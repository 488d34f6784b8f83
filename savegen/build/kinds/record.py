"""Recognise plain classes that are mutable or contain mutable values or references."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypes, Type


def recognise(type: Type, classes: Classes) -> Kind | None:
    plain = classes.plain_class(type.name)
    if plain is None:
        return None
    kind = classes.kind_of_plain(plain)
    return kind if kind.kind == "record" else None


def stored(kind: Kind, types: StoredTypes) -> str:
    return types.record(kind)


def cell(kind: Kind, cells: CellTypes) -> str:
    return cells.record(kind.name)
