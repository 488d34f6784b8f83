"""Recognise plain classes that are mutable or contain mutable values or references."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type
from savegen.build.kinds._common import union_of


def recognise(type: Type, classes: Classes) -> Kind | None:
    return plain_class(type, classes, "record")


def plain_class(type: Type, classes: Classes, kind_name: str) -> Kind | None:
    """Return the kind of a plain class if it is `kind_name` ("record" or "value"), else `None`.

    If the class has subclasses, it is the union of the class and these.
    """
    plain = classes.plain_class(type.name)
    kind = classes.kind_of_plain(plain) if plain else None
    if plain is None or kind is None or kind.kind != kind_name:
        return None
    subclasses = map(classes.kind_of_plain, classes.plain_subclasses(plain))
    return union_of([kind, *subclasses])


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return types.record(kind)


def cell(kind: Kind, cells: CellTypes) -> str:
    return cells.record(kind.name)
