"""Recognise `Method[[int], None]`, a bound method of a saveable object.

It is stored like a value with a codec: as the key of its object, and its name.
"""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

METHOD = "savegen.Method"


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name != METHOD:
        return None
    return Kind("method", METHOD, references=True, hashable=True)


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return "codec builtins.method<(ref<0>, str)>"


def cell(kind: Kind, cells: CellTypes) -> str:
    return "tuple[Key, str]"
