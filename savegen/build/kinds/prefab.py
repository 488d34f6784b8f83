"""Recognise `PrefabType`: the field names a prefab, saved as its stable number."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

PREFAB_TYPE = "savegen.PrefabType"  # defined in the generated `types.py`


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != PREFAB_TYPE:
        return None
    return Kind("prefab", type.name, immutable=True, hashable=True)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return "prefab"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "int"
