"""Recognise `PrefabType`: a prefab itself, not an object made from it.

Its generated code is in `templates/kinds/prefab.jinja`.
"""

from __future__ import annotations

from savegen.build.kinds._base import Cells, Classes, Kind, Stored, Type

PREFAB_TYPE = "savegen.PrefabType"  # defined in the generated `types.py`


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != PREFAB_TYPE:
        return None
    return Kind("prefab", type.name, immutable=True, hashable=True)


def stored(kind: Kind, types: Stored) -> str:
    return "prefab"


def cell(kind: Kind, cells: Cells) -> str:
    return "int"
