"""Recognise `Annotated[T, Asset()]`: a shared object that is saved as its id."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

ASSET = "savegen.Asset"


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != ASSET:
        return None
    (inner,) = type.arguments
    if inner.name.startswith("?"):
        return classes.kind_of(inner)
    return Kind("asset", inner.name, immutable=True, hashable=True)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return "asset"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "str"
